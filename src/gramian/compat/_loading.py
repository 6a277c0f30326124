"""From a file of another library to a model: what the three `load_model` share."""

from collections.abc import Callable, Mapping
from typing import Any

from gramian.compat._model import LoadedClassifier, LoadedRegressor, loaded_model
from gramian.compat._model_parts import ModelParts
from gramian.compat._untrusted import reading, source_bytes
from gramian.params import Integer, Nothing, OneOf, check_arguments

__all__ = ["read_model"]


def read_model(
    library: str,
    source: Any,
    n_iterations: Any,
    parsed: Callable[[bytes], Any],
    parts_of: Callable[[Any, int, Any], ModelParts],
) -> LoadedClassifier | LoadedRegressor:
    """Return the model of a file.

    Parameters
    ----------
    library : str
        Who wrote it.
    source, n_iterations : object
        The arguments of `load_model`; a mapping is a document that is parsed already.
    parsed : callable
        Takes the bytes of the file, returns the document.
    parts_of : callable
        Takes the document, the size of the file and `n_iterations`, returns what it says.
    """
    constraint = Integer(1) | OneOf("all") | Nothing()
    check_arguments("load_model", n_iterations=(n_iterations, constraint))
    is_parsed = isinstance(source, Mapping)
    data = b"" if is_parsed else source_bytes(source)
    with reading(library):
        parts = parts_of(source if is_parsed else parsed(data), len(data), n_iterations)
    return loaded_model(parts)
