"""Tables that are downloaded when they are first asked for."""

import gzip
import os
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.datasets._arguments import Paths, checked
from gramian.datasets._builtin import description_of
from gramian.datasets._bunch import Bunch
from gramian.datasets._download import (
    DELAY,
    N_RETRIES,
    RemoteFile,
    Retry,
    atomic_file,
    fetch_file,
    get_data_home,
    local_folder,
)
from gramian.datasets._frames import read_matrix, with_target
from gramian.params import Boolean, Nothing
from gramian.validation import check_random_state

DataHome = str | os.PathLike[str] | None

_COMMON = {
    "data_home": Paths() | Nothing(),
    "download_if_missing": Boolean(),
    "n_retries": N_RETRIES,
    "delay": DELAY,
}


@dataclass(frozen=True)
class _Source:
    """A table with the target in the last column: the file on the server and how it is read."""

    name: str
    remote: RemoteFile
    read: Callable[[Path], Floats]
    feature_names: tuple[str, ...]
    target_name: str
    keeps_numbers: bool = False  # whether to keep what was read, where reading takes seconds

    def load(self, data_home: DataHome, retry: Retry, download_if_missing: bool) -> Any:
        """Return the matrix: a table in GRAMIAN_DATA, or else the file, downloaded if need be."""
        own = local_folder()
        tables = [own / f"{self.name}{end}" for end in (".parquet", ".csv")] if own else []
        for path in tables:
            if path.is_file():
                return read_matrix(path, len(self.feature_names) + 1)
        home = Path(get_data_home(data_home))
        path = fetch_file(self.remote, home, retry, download_if_missing=download_if_missing)
        if not self.keeps_numbers:
            return self.read(path)
        return _read_once(path, home / f"{self.name}-{self.remote.sha256[:16]}.npz", self.read)


def _read_once(path: Path, kept: Path, read: Callable[[Path], Floats]) -> Floats:
    """Read a table of small whole numbers, and keep them for the next time."""
    try:
        with kept.open("rb") as packed, np.load(packed, allow_pickle=False) as archive:
            result: Floats = archive["table"].astype(np.float64)
            return result
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):  # none, or damaged
        matrix = read(path)
    with atomic_file(kept) as file:
        np.savez_compressed(file, table=matrix.astype(np.int16))
    return matrix


def _read_california(path: Path) -> Floats:
    with tarfile.open(path, mode="r:gz") as archive:
        member = archive.extractfile("CaliforniaHousing/cal_housing.data")
        if member is None:
            raise OSError(f"{path} holds no CaliforniaHousing/cal_housing.data.")
        columns = np.loadtxt(member, delimiter=",").T
    longitude, latitude, age, rooms, bedrooms, population, households, income, value = columns
    averages = rooms / households, bedrooms / households, population, population / households
    return np.column_stack([income, age, *averages, latitude, longitude, value / 100000.0])


def _read_covtype(path: Path) -> Floats:
    with gzip.open(path, "rt", encoding="ascii") as lines:
        return np.loadtxt(lines, delimiter=",")


CALIFORNIA = _Source(
    name="california_housing",
    remote=RemoteFile(
        filename="cal_housing.tgz",
        url="https://ndownloader.figshare.com/files/5976036",
        sha256="aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681",
    ),
    read=_read_california,
    feature_names=(
        "MedInc",
        "HouseAge",
        "AveRooms",
        "AveBedrms",
        "Population",
        "AveOccup",
        "Latitude",
        "Longitude",
    ),
    target_name="MedHouseVal",
)

COVTYPE = _Source(
    name="covertype",
    remote=RemoteFile(
        filename="covtype.data.gz",
        url="https://ndownloader.figshare.com/files/5976039",
        sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
    ),
    read=_read_covtype,
    feature_names=(
        "Elevation",
        "Aspect",
        "Slope",
        "Horizontal_Distance_To_Hydrology",
        "Vertical_Distance_To_Hydrology",
        "Horizontal_Distance_To_Roadways",
        "Hillshade_9am",
        "Hillshade_Noon",
        "Hillshade_3pm",
        "Horizontal_Distance_To_Fire_Points",
        *(f"Wilderness_Area_{i}" for i in range(4)),
        *(f"Soil_Type_{i}" for i in range(40)),
    ),
    target_name="Cover_Type",
    keeps_numbers=True,
)

BOSTON = _Source(
    name="boston_housing",
    remote=RemoteFile(
        filename="boston_housing.data",
        url=(
            "https://raw.githubusercontent.com/jbrownlee/Datasets/"
            "d20fcb6402ae34e653d4513b00f39257bb37ed7f/housing.data"
        ),
        sha256="e3e36f7b9e5435f9eb8320e106aebad00031fefa3064527da0c71dec59e49b76",
    ),
    read=np.loadtxt,
    feature_names=(
        *("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE"),
        *("DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"),
    ),
    target_name="MEDV",
)


@checked(**_COMMON)
def fetch_california_housing(
    *,
    data_home: DataHome = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the house values of 20,640 districts of California (regression, 8 numeric columns).

    A table ``california_housing.parquet`` (or .csv) or the archive ``cal_housing.tgz`` in the
    folder named by the environment variable GRAMIAN_DATA is read first; else the archive is
    downloaded once and kept.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of downloaded data, see `get_data_home`.
    download_if_missing : bool, default=True
        False raises an OSError instead of downloading.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.
    n_retries : int, default=3
        How often to try again if the network fails.
    delay : float, default=1.0
        Seconds between tries.

    Returns
    -------
    Bunch or tuple
        With `data` (20640, 8), `target` (20640,), `frame`, `feature_names`, `target_names` and
        `DESCR`; or ``(data, target)``. The target is the median value in units of 100,000 dollars.

    Examples
    --------
    >>> from gramian.datasets import fetch_california_housing
    >>> housing = fetch_california_housing()  # doctest: +SKIP
    >>> housing.data.shape  # doctest: +SKIP
    (20640, 8)
    """
    matrix = CALIFORNIA.load(data_home, Retry(n_retries, delay), download_if_missing)
    bunch = _bunch(CALIFORNIA, matrix, matrix[:, -1].copy(), as_frame)
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked(**_COMMON)
def fetch_covtype(
    *,
    data_home: DataHome = None,
    download_if_missing: bool = True,
    random_state: Any = None,
    shuffle: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the forest cover types of 581,012 patches (seven classes, 54 numeric columns).

    A table ``covertype.parquet`` (or .csv) or the file ``covtype.data.gz`` in the folder named by
    the environment variable GRAMIAN_DATA is read first; else the file is downloaded once and kept.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of downloaded data, see `get_data_home`.
    download_if_missing : bool, default=True
        False raises an OSError instead of downloading.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for `shuffle`.
    shuffle : bool, default=False
        Whether to mix the rows.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.
    n_retries : int, default=3
        How often to try again if the network fails.
    delay : float, default=1.0
        Seconds between tries.

    Returns
    -------
    Bunch or tuple
        With `data` (581012, 54), `target` (581012,) of classes 1 to 7, `frame`, `feature_names`,
        `target_names` and `DESCR`; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import fetch_covtype
    >>> forest = fetch_covtype()  # doctest: +SKIP
    >>> forest.data.shape  # doctest: +SKIP
    (581012, 54)
    """
    matrix = COVTYPE.load(data_home, Retry(n_retries, delay), download_if_missing)
    if shuffle:
        order = np.arange(len(matrix))
        check_random_state(random_state).shuffle(order)
        matrix = matrix[order]
    bunch = _bunch(COVTYPE, matrix, matrix[:, -1].astype(np.int32), as_frame)
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked(**_COMMON)
def load_boston(
    *,
    return_X_y: bool = False,
    data_home: DataHome = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the house values of 506 districts of Boston (regression, 13 numeric columns).

    scikit-learn removed this table in version 1.2, since its column B rests on an assumption about
    race; it is here so that older programs and lecture notes run. For new work take
    `fetch_california_housing`.

    A table ``boston_housing.parquet`` (or .csv) or the file ``boston_housing.data`` in the folder
    named by the environment variable GRAMIAN_DATA is read first; else the file is downloaded once
    and kept.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    data_home : str or path, default=None
        Folder of downloaded data, see `get_data_home`.
    download_if_missing : bool, default=True
        False raises an OSError instead of downloading.
    n_retries : int, default=3
        How often to try again if the network fails.
    delay : float, default=1.0
        Seconds between tries.

    Returns
    -------
    Bunch or tuple
        With `data` (506, 13), `target` (506,), `feature_names`, `DESCR` and `filename`; or
        ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_boston
    >>> boston = load_boston()  # doctest: +SKIP
    >>> boston.data.shape  # doctest: +SKIP
    (506, 13)
    """
    matrix = BOSTON.load(data_home, Retry(n_retries, delay), download_if_missing)
    bunch = _bunch(BOSTON, matrix, matrix[:, -1].copy(), as_frame=False)
    if return_X_y:
        return bunch.data, bunch.target
    # What scikit-learn's bunch of this table had: names as an array, no frame.
    return Bunch(
        data=bunch.data,
        target=bunch.target,
        feature_names=np.array(BOSTON.feature_names),
        DESCR=bunch.DESCR,
        filename=BOSTON.remote.filename,
    )


def _bunch(source: _Source, matrix: Floats, target: Any, as_frame: bool) -> Bunch:
    data = np.ascontiguousarray(matrix[:, :-1])
    names = list(source.feature_names)
    X, y, frame = with_target(
        data, target, names, as_frame=as_frame, target_name=source.target_name
    )
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        target_names=[source.target_name],
        feature_names=names,
        DESCR=description_of(source.name),
    )
