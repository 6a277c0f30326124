"""Tables of openml.org, by name or number."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from gramian.datasets._arguments import Paths, checked
from gramian.datasets._bunch import Bunch
from gramian.datasets._download import DELAY, N_RETRIES, Retry, get_data_home
from gramian.datasets._fetchers import DataHome
from gramian.datasets._openml_api import OpenmlApi
from gramian.datasets._openml_local import (
    MNIST,
    is_mnist,
    local_mnist,
    mnist_columns,
    read_mnist,
)
from gramian.datasets._openml_table import (
    Selection,
    divide_frame,
    read_arrays,
    read_frame,
    read_sparse,
)
from gramian.params import Arrays, Boolean, Integer, Mappings, Nothing, OneOf, Strings


@checked(
    name=Strings() | Nothing(),
    version=Integer(1) | OneOf("active"),
    data_id=Integer(1) | Nothing(),
    data_home=Paths() | Nothing(),
    target_column=Strings() | Arrays() | Nothing(),
    cache=Boolean(),
    as_frame=Boolean() | OneOf("auto"),
    n_retries=N_RETRIES,
    delay=DELAY,
    parser=OneOf("auto", "pandas", "liac-arff"),
    read_csv_kwargs=Mappings() | Nothing(),
)
def fetch_openml(
    name: str | None = None,
    *,
    version: str | int = "active",
    data_id: int | None = None,
    data_home: DataHome = None,
    target_column: str | list[str] | None = "default-target",
    cache: bool = True,
    return_X_y: bool = False,
    as_frame: str | bool = "auto",
    n_retries: int = 3,
    delay: float = 1.0,
    parser: str = "auto",
    read_csv_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Load a table from openml.org by its name or number.

    What was downloaded is kept in the folder ``openml`` of `data_home`, in scikit-learn's layout.
    The folder named by the environment variable GRAMIAN_DATA may hold a copy of such a folder
    ``openml``; it is read first. Of the digits "mnist_784" it may also hold a file of its own:
    ``mnist_784`` or ``mnist`` as npz (arrays ``X`` and ``y``), parquet, csv or arff.

    Parameters
    ----------
    name : str, default=None
        Name of the table; several versions may share it.
    version : int or "active", default="active"
        Version of the table of that name; "active" takes the oldest one that is active.
    data_id : int, default=None
        Number of the table; either this or `name` is given.
    data_home : str or path, default=None
        Folder of downloaded data, see `get_data_home`.
    target_column : str, list or None, default="default-target"
        The target; "default-target" takes the one that the server names, None takes none.
    cache : bool, default=True
        Whether to keep what is downloaded, and to use what was kept.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool or "auto", default="auto"
        Return pandas objects; "auto" does for dense tables.
    n_retries : int, default=3
        How often to try again if the network fails.
    delay : float, default=1.0
        Seconds between tries.
    parser : {"auto", "pandas", "liac-arff"}, default="auto"
        "pandas" reads dense files with ``pandas.read_csv``, which is fast and infers whole
        numbers. "liac-arff", scikit-learn's name for the other choice, reads what the file
        declares: sparse files, all numbers as floats, and without `as_frame` classes as the
        positions of their declared levels. "auto" takes the first for dense files.
    read_csv_kwargs : dict, default=None
        More arguments for ``pandas.read_csv``; only for the parser "pandas".

    Returns
    -------
    Bunch or tuple
        With `data`, `target`, `frame`, `categories`, `feature_names`, `target_names`, `DESCR`,
        `details` (what the server says about the table) and `url`; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import fetch_openml
    >>> mnist = fetch_openml("mnist_784", version=1, as_frame=False)  # doctest: +SKIP
    >>> mnist.data.shape  # doctest: +SKIP
    (70000, 784)
    """
    own = local_mnist() if is_mnist(name, version, data_id) else None
    if own is not None:
        bunch = _from_file(own, target_column, as_frame, parser, read_csv_kwargs)
        return (bunch["data"], bunch["target"]) if return_X_y else bunch
    folder = Path(get_data_home(data_home)) / "openml" if cache else None
    api = OpenmlApi(folder, Retry(n_retries, delay))
    data_id = _find_id(api, name, version, data_id)
    details = api.description(data_id)
    _pass_on_warnings(details)
    is_sparse = details["format"].lower() == "sparse_arff"
    as_frame = not is_sparse if as_frame == "auto" else bool(as_frame)
    parser = _choose_parser(parser, is_sparse, as_frame, read_csv_kwargs)
    selection = Selection.of(api.features(data_id), target_column)
    if not as_frame:
        selection.check_no_text()
    content = api.table(details)
    if is_sparse:
        X, y, frame, categories = read_sparse(content, selection)
    elif as_frame or parser == "pandas":
        X, y, frame, categories = read_frame(content, selection, parser, read_csv_kwargs or {})
        if not as_frame:
            X, y, frame = X.to_numpy(), None if y is None else y.to_numpy(), None
        else:
            categories = None
    else:
        X, y, frame, categories = read_arrays(content, selection)
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        categories=categories,
        feature_names=selection.features,
        target_names=selection.targets,
        DESCR=f"{details.pop('description')}\n\nDownloaded from openml.org.",
        details=details,
        url=f"https://www.openml.org/d/{data_id}",
    )


def _from_file(
    path: Path,
    target_column: Any,
    as_frame: str | bool,
    parser: str,
    read_csv_kwargs: dict[str, Any] | None,
) -> Bunch:
    """Return the digits of a file of the user's, as the server's table would come."""
    as_frame = as_frame if isinstance(as_frame, bool) else True
    parser = _choose_parser(parser, False, as_frame, read_csv_kwargs)
    selection = Selection.of(mnist_columns(), target_column)
    table = read_mnist(path, read_csv_kwargs or {})
    X, y, frame, categories = divide_frame(table, selection)
    if not as_frame:
        X, y, frame = X.to_numpy(), None if y is None else y.to_numpy(), None
        X = X.astype(np.float64) if parser == "liac-arff" else X
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        categories=None if as_frame else categories,
        feature_names=selection.features,
        target_names=selection.targets,
        DESCR=f"{len(X)} handwritten digits of 28 x 28 pixels, read from {path}.",
        details=dict(MNIST),
        url=f"https://www.openml.org/d/{MNIST['id']}",
    )


def _find_id(api: OpenmlApi, name: str | None, version: str | int, data_id: int | None) -> int:
    if name is not None and data_id is not None:
        raise ValueError(
            f"Dataset data_id={data_id} and name={name} passed, but you can only specify a numeric "
            "data_id or a name, not both."
        )
    if name is not None:
        return api.find(name.lower(), version)
    if data_id is None:
        raise ValueError("Neither name nor data_id are provided. Please provide name or data_id.")
    if version != "active":
        raise ValueError(
            f"Dataset data_id={data_id} and version={version} passed, but you can only specify a "
            "numeric data_id or a version, not both."
        )
    return data_id


def _pass_on_warnings(details: dict[str, Any]) -> None:
    if details["status"] != "active":
        warnings.warn(
            f"Version {details['version']} of dataset {details['name']} is inactive, meaning that "
            "issues have been found in the dataset. Try using a newer version from this URL: "
            f"{details['url']}",
            stacklevel=4,
        )
    if "error" in details:
        warnings.warn(
            "OpenML registered a problem with the dataset. It might be unusable. Error: "
            f"{details['error']}",
            stacklevel=4,
        )
    if "warning" in details:
        warnings.warn(
            "OpenML raised a warning on the dataset. It might be unusable. Warning: "
            f"{details['warning']}",
            stacklevel=4,
        )


def _choose_parser(
    parser: str, is_sparse: bool, as_frame: bool, read_csv_kwargs: dict[str, Any] | None
) -> str:
    chosen = ("liac-arff" if is_sparse else "pandas") if parser == "auto" else parser
    if is_sparse and as_frame:
        raise ValueError(
            "Sparse ARFF datasets cannot be loaded with as_frame=True. Use as_frame=False or "
            "as_frame='auto' instead."
        )
    if is_sparse and chosen == "pandas":
        raise ValueError(
            f"Sparse ARFF datasets cannot be loaded with parser={parser!r}. Use "
            "parser='liac-arff' or parser='auto' instead."
        )
    if read_csv_kwargs is not None and chosen != "pandas":
        raise ValueError(
            "read_csv_kwargs is for the parser 'pandas'; this table is read with 'liac-arff'."
        )
    return chosen
