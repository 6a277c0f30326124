"""Small tables that come with the package, generated data, and tables to download."""

from gramian.datasets._blocks import (
    make_biclusters,
    make_checkerboard,
)
from gramian.datasets._builtin import BuiltinTable
from gramian.datasets._bunch import Bunch
from gramian.datasets._classes import (
    make_classification,
    make_gaussian_quantiles,
    make_hastie_10_2,
)
from gramian.datasets._download import DownloadError, clear_data_home, get_data_home
from gramian.datasets._fetchers import fetch_california_housing, fetch_covtype, load_boston
from gramian.datasets._labels import (
    make_multilabel_classification,
)
from gramian.datasets._loaders import (
    load_auto_mpg,
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_play_tennis,
    load_wine,
)
from gramian.datasets._matrices import (
    make_low_rank_matrix,
    make_sparse_coded_signal,
    make_sparse_spd_matrix,
    make_spd_matrix,
)
from gramian.datasets._openml import fetch_openml
from gramian.datasets._regression import (
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_regression,
    make_sparse_uncorrelated,
)
from gramian.datasets._shapes import (
    make_blobs,
    make_circles,
    make_moons,
    make_s_curve,
    make_swiss_roll,
)
from gramian.datasets._tables import find_table, table_names

__all__ = [
    "BuiltinTable",
    "Bunch",
    "DownloadError",
    "clear_data_home",
    "fetch_california_housing",
    "fetch_covtype",
    "fetch_openml",
    "find_table",
    "get_data_home",
    "load_auto_mpg",
    "load_boston",
    "load_breast_cancer",
    "load_diabetes",
    "load_digits",
    "load_iris",
    "load_play_tennis",
    "load_wine",
    "make_biclusters",
    "make_blobs",
    "make_checkerboard",
    "make_circles",
    "make_classification",
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_gaussian_quantiles",
    "make_hastie_10_2",
    "make_low_rank_matrix",
    "make_moons",
    "make_multilabel_classification",
    "make_regression",
    "make_s_curve",
    "make_sparse_coded_signal",
    "make_sparse_spd_matrix",
    "make_sparse_uncorrelated",
    "make_spd_matrix",
    "make_swiss_roll",
    "table_names",
]
