"""Load damaged and hostile model files of every registered class, and use what loads.

Every file must load or raise ModelFileError, within limits of time and memory, and without running
code: an audit hook watches for imports, ``exec``, processes and opened files, and payloads would
leave a canary file behind. What loads is then hashed, drawn from, listed, saved and loaded again,
and asked to predict: there it may raise, but neither crash nor take much time or memory.
"""

import io
import json
import os
import random
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from tests.contract.cases import METHODS, fit, make_data
from tests.fuzz.inputs import plain_estimator
from tests.fuzz.mutations import CANARY, Parts, mutate, take_apart
from tests.fuzz.outcomes import FoundError

import gramian
from gramian.base import BaseEstimator
from gramian.exceptions import ModelFileError
from gramian.persistence import persistable
from gramian.registry import COMPATIBLE, FAMILIES, PARTS, estimators_of

LOAD_SECONDS = 2.0
MOST_COLUMNS = 1_000
"""How many columns a loaded model is given at most."""

# -- good models --------------------------------------------------------------------------------


@persistable
class Stage(BaseEstimator):
    """An estimator with everything in its state that a file can hold."""

    def __init__(self, alpha: Any = 1.0, steps: Any = None, random_state: Any = None) -> None:
        self.alpha = alpha
        self.steps = steps
        self.random_state = random_state


@persistable
@dataclass(frozen=True)
class Split:
    """Indices into an array, checked when they are read."""

    children: np.ndarray[Any, Any]
    label: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def _check_state(self) -> None:
        if self.children.size and self.children.max() >= self.children.size:
            raise ValueError("a child is out of range")


def _values() -> list[Any]:
    """Return what holds every kind of value that a file can hold."""
    rng = np.random.default_rng(0)
    inner = Stage(alpha=np.float32(0.5), random_state=np.random.RandomState(3))
    inner.coef_ = rng.normal(size=(5, 9))
    inner.names_ = np.array(["a", "bc", None, 3.5], dtype=object)
    inner.split_ = Split(np.array([1, 2, 0], dtype=np.int32), "x", {"k": 1})
    outer = Stage(steps=[("one", inner), ("two", inner)], random_state=np.random.default_rng(5))
    outer.sparse_ = sparse.random_array((20, 9), density=0.3, rng=rng, format="csr")
    outer.coo_ = sparse.coo_matrix(np.eye(3))
    outer.text_ = np.array(["red", "green"] * 60)
    outer.mask_ = np.arange(400) % 3 == 0
    outer.dates_ = np.array(["2024-01-01", "NaT"], dtype="datetime64[D]")
    values = [None, True, -(2**80), float("nan"), -0.0, 2 + 3j, b"ab", range(5), slice(1, None, 2)]
    more = {"t": (1, 2), ("k", 1): {3, 4}, "d": np.dtype("f4"), "n": np.float64, "u": np.log1p}
    philox = np.random.Generator(np.random.Philox(1))
    return [inner, outer, [values, more, philox, frozenset({"a"})]]


def _fitted(name: str) -> Any:
    """Return an estimator of a class, fitted; on a table with levels, if it takes that."""
    estimator = plain_estimator(name)
    X, y = make_data(estimator, n_samples=40, n_features=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(estimator, X, y)


def registered_names() -> list[str]:
    """Return the names of all classes of which there can be a fitted one in a file."""
    return [name for name in estimators_of(FAMILIES + PARTS + COMPATIBLE) if name not in UNFITTED]


UNFITTED = ("BayesianConceptLearner", "FrozenEstimator")
"""Classes whose ``fit`` does nothing, or takes no rows."""


@cache
def good_files(only: str = "") -> list[bytes]:
    """Return the files that are damaged: of every class, or of one."""
    models = [_fitted(name) for name in registered_names() if not only or name == only]
    files = [_saved(model) for model in (models if only else [*_values(), *models])]
    for file in files:
        exercise(gramian.load(io.BytesIO(file)))  # imports what is used on the way
    return files


def _saved(model: Any) -> bytes:
    file = io.BytesIO()
    gramian.save(model, file)
    return file.getvalue()


# -- loading under watch ------------------------------------------------------------------------

FORBIDDEN = {"compile", "exec", "import", "marshal.loads", "open", "pickle.find_class"}
FORBIDDEN_PREFIXES = ("os.", "subprocess.", "ctypes.", "socket.", "shutil.", "code.", "glob.")


class Watch:
    """An audit hook that notes forbidden events while a file is loaded."""

    def __init__(self) -> None:
        self.active = False
        self.events: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.active and (event in FORBIDDEN or event.startswith(FORBIDDEN_PREFIXES)):
            self.events.append(f"{event} {args!r:.100}")


@cache
def _watch(process: int) -> Watch:
    """Return the hook of a process: it cannot be taken away again."""
    return Watch()


def load_watched(data: bytes) -> Any:
    """Load a file; raise ModelFileError, or FoundError if it did more than it may."""
    watch, began = _watch(os.getpid()), time.process_time()
    watch.active = True
    try:
        return gramian.load(io.BytesIO(data))
    finally:
        watch.active = False
        seconds = time.process_time() - began
        if watch.events:
            raise FoundError(f"audit events {watch.events[:3]}")
        if seconds > LOAD_SECONDS and "LD_PRELOAD" not in os.environ:
            raise FoundError(f"loading took {seconds:.1f} s")
        if os.path.exists(CANARY):
            raise FoundError(f"a payload ran and created {CANARY}")


def exercise(model: Any) -> None:
    """Look at all of a loaded value, and save and load it again."""
    todo = [model]
    for _ in range(2_000):
        if not todo:
            break
        value = todo.pop()
        if isinstance(value, (list, tuple, set, frozenset)):
            todo += value
        elif isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, np.random.RandomState):
            value.randint(0, 9, size=700)
        elif isinstance(value, np.random.Generator):
            value.integers(0, 9, size=700)
        elif sparse.issparse(value):
            if max(value.shape) < 1_000:
                value.toarray()
        elif isinstance(value, np.ndarray):
            str(value.tolist()).encode("utf-8", "surrogatepass")
        elif hasattr(value, "__dict__") and not callable(value):
            todo += vars(value).values()
    fingerprint = gramian.fingerprint(model)
    if gramian.fingerprint(gramian.load(io.BytesIO(_saved(model)))) != fingerprint:
        raise FoundError("a loaded model differs from its copy")


def use(model: Any) -> None:
    """Call a loaded estimator: whatever its file says, it must not crash or cost much."""
    if not isinstance(model, BaseEstimator):
        return
    n_columns = vars(model).get("n_features_in_", 3)
    if type(n_columns) is not int or not 0 <= n_columns <= MOST_COLUMNS:
        n_columns = 3
    rows = np.random.default_rng(0).normal(size=(4, n_columns))
    calls = [(getattr(type(model), name, None), rows) for name in METHODS]
    calls += [(getattr(type(model), "get_feature_names_out", None),), (repr,), (_attributes,)]
    for function, *arguments in calls:
        try:
            if function is not None:
                _bound(function, model)(*arguments)
        except MemoryError as error:
            raise FoundError(f"MemoryError in {getattr(function, '__name__', function)}") from error
        except Exception:  # the file's author decides what a model answers
            continue


def _bound(function: Any, model: Any) -> Any:
    return function.__get__(model) if hasattr(function, "__get__") else function


def _attributes(model: Any) -> None:
    for name in dir(model):
        # The last is as long as the training data were, which are not in the file.
        if name.endswith("_") and not name.startswith("_") and name != "estimators_samples_":
            getattr(model, name, None)


# -- cases --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelFileCase:
    """A damaged file, by its number and the seed."""

    number: int
    seed: int = 0
    only: str = ""

    def data(self) -> bytes:
        """Return the file."""
        rng = random.Random(f"{self.seed}/{self.number}")
        return mutate(good_files(self.only), rng)

    def run(self) -> str:
        """Load the file and use what it holds."""
        data = self.data()
        try:
            model = load_watched(data)
        except ModelFileError:
            return "refused"
        exercise(model)
        use(model)
        return "loaded"

    def smaller(self) -> Iterator["ModelFileCase"]:
        """Yield nothing: a file is told by its number."""
        return iter(())

    def snippet(self) -> str:
        """Return code that runs the case."""
        return f"from tests.fuzz.model_files import ModelFileCase\n{self!r}.run()"


def model_file_cases(seed: int, only: str = "") -> Iterator[ModelFileCase]:
    """Yield cases without end."""
    good_files(only)  # before the children are made
    number = 0
    while True:
        yield ModelFileCase(number, seed, only)
        number += 1


@dataclass(frozen=True)
class CountCase:
    """A file of a class with one whole number among the attributes of an object edited."""

    name: str
    node: int
    attribute: str
    value: int

    def run(self) -> str:
        """Load the file and use what it holds."""
        text, members = take_apart(good_files(self.name)[0])
        parts = Parts(json.loads(text), members)
        parts.manifest["objects"][self.node]["attributes"][self.attribute] = self.value
        try:
            model = load_watched(parts.sealed())
        except ModelFileError:
            return "refused"
        use(model)
        return "loaded"

    def smaller(self) -> Iterator["CountCase"]:
        """Yield nothing."""
        return iter(())

    def snippet(self) -> str:
        """Return code that runs the case."""
        return f"from tests.fuzz.model_files import CountCase\n{self!r}.run()"


def count_cases(value: int) -> Iterator[CountCase]:
    """Yield a case for every whole number among the attributes of every class."""
    for name in registered_names():
        text, _ = take_apart(good_files(name)[0])
        for index, node in enumerate(json.loads(text)["objects"]):
            for attribute, slot in node.get("attributes", {}).items():
                if type(slot) is int:
                    yield CountCase(name, index, attribute, value)
