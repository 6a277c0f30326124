"""The native core: arrays in, arrays out."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray
import scipy.sparse


class Context:
    """
    What one native computation may use: threads, seed, and time from now on.

    Make one per fit or predict; after an interrupt it stays stopped.
    """

    def __init__(self, n_threads: int = 1, seed: int = 0, time_limit: float | None = None) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @property
    def seed(self) -> int: ...

    def stop(self) -> None:
        """End what runs with this context, in whichever thread, as Ctrl-C would."""

    @property
    def expired(self) -> bool:
        """Whether the time limit has passed."""

def blas_functions() -> list[str]:
    """The names of the BLAS and LAPACK functions that the core calls."""

def load_blas(functions: dict, set_threads: int = 0, get_threads: int = 0) -> None:
    """
    Take the functions, as capsules of scipy.linalg.cython_blas and cython_lapack, and the
    addresses of openblas_set_num_threads and openblas_get_num_threads (0 where absent).
    """

class SingleThreadedBlas:
    """
    While any of these lives, in any thread, SciPy's BLAS runs on one thread.
    """

    def __init__(self) -> None: ...

def is_blas_loaded() -> bool:
    """Whether load_blas has been called."""

def boost_sample_rows(n_rows: int, *, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> object:
    """The rows that bins are chosen from, ascending."""

class BoostBlocks:
    """Rows that come in blocks, cut into bins."""

    def __init__(self, sample: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, n_rows: int, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, ctx: Context) -> None: ...

    def write(self, block: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, ctx: Context) -> None:
        """Cut rows of a block, which are those at `places` of the table."""

class BoostBins:
    """A table cut into bins."""

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, column_bins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sharing: str = 'all', max_conflict_rate: float = 0.0, absent_is_missing: bool = False, ctx: Context) -> None: ...

    def like(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, ctx: Context) -> BoostBins:
        """The same bins for other rows."""

    @staticmethod
    def of_blocks(blocks: BoostBlocks, *, sharing: str = 'all', is_lean: bool = False, ctx: Context) -> BoostBins:
        """
        The bins of rows in blocks, which move over; lean ones take one byte a value, not two.
        """

    def blocks_like(self, n_rows: int) -> BoostBlocks:
        """For other rows in blocks, cut into the same bins."""

    def like_blocks(self, blocks: BoostBlocks, *, ctx: Context) -> BoostBins:
        """The bins of what `blocks_like` gave."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_tracks(self) -> int: ...

    def places(self) -> dict:
        """By name: the track, first_code and usual_bin of each column."""

    def codes(self, track: int) -> object:
        """The codes of a track by row."""

class BoostOptions:
    """How a boosted tree grows."""

    def __init__(self) -> None: ...

    @property
    def growth(self) -> str: ...

    @growth.setter
    def growth(self, arg: str, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_rows(self) -> int: ...

    @min_rows.setter
    def min_rows(self, arg: int, /) -> None: ...

    @property
    def min_hessian(self) -> float: ...

    @min_hessian.setter
    def min_hessian(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float: ...

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def by_cosine(self) -> bool: ...

    @by_cosine.setter
    def by_cosine(self, arg: bool, /) -> None: ...

    @property
    def noise(self) -> float: ...

    @noise.setter
    def noise(self, arg: float, /) -> None: ...

    @property
    def max_step(self) -> float: ...

    @max_step.setter
    def max_step(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def columns_by_tree(self) -> float: ...

    @columns_by_tree.setter
    def columns_by_tree(self, arg: float, /) -> None: ...

    @property
    def columns_by_level(self) -> float: ...

    @columns_by_level.setter
    def columns_by_level(self, arg: float, /) -> None: ...

    @property
    def columns_by_node(self) -> float: ...

    @columns_by_node.setter
    def columns_by_node(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def interaction_sets(self) -> list[list[int]]: ...

    @interaction_sets.setter
    def interaction_sets(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def one_hot_levels(self) -> int: ...

    @one_hot_levels.setter
    def one_hot_levels(self, arg: int, /) -> None: ...

    @property
    def level_smoothing(self) -> float: ...

    @level_smoothing.setter
    def level_smoothing(self, arg: float, /) -> None: ...

    @property
    def level_l2(self) -> float: ...

    @level_l2.setter
    def level_l2(self, arg: float, /) -> None: ...

    @property
    def level_support(self) -> float: ...

    @level_support.setter
    def level_support(self, arg: float, /) -> None: ...

    @property
    def max_levels(self) -> int: ...

    @max_levels.setter
    def max_levels(self, arg: int, /) -> None: ...

    @property
    def level_group(self) -> float: ...

    @level_group.setter
    def level_group(self, arg: float, /) -> None: ...

    @property
    def orders_absent(self) -> bool: ...

    @orders_absent.setter
    def orders_absent(self, arg: bool, /) -> None: ...

class FlatTree:
    """A tree in the flat format."""

    @property
    def n_leaves(self) -> int: ...

    @property
    def first_value(self) -> float: ...

def join_flat_trees(trees: Sequence[FlatTree], *, scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict:
    """
    The arrays of all trees by name, and split_gain; values times the scale of their tree.
    """

class BoostTree:
    """A tree on bins."""

    @property
    def n_leaves(self) -> int: ...

    def values(self) -> object:
        """The values of the leaves, from left to right."""

    def set_values(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def count_rows(self, leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """Set numbers and weights of the leaves' rows."""

    def add(self, bins: BoostBins, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, scale: float, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None = None, ctx: Context) -> None:
        """
        Add scale times what the rows' leaves give to the scores; X is for linear leaves.
        """

    def flat(self, bins: BoostBins) -> FlatTree:
        """The tree in the flat format."""

    def linear(self) -> dict | None:
        """The arrays of the linear leaves by name; None if there are none."""

    def find_leaves(self, bins: BoostBins, leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], *, ctx: Context) -> None:
        """Write the leaf of each row."""

    def fit_values(self, bins: BoostBins, *, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: BoostOptions, leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], finds_leaves: bool = True, ctx: Context) -> object:
        """
        The values of the leaves that are best for other rows; writes the leaf of each row, unless they are known.
        """

class BoostGrower:
    """Grows one boosted tree after another."""

    def __init__(self, bins: BoostBins) -> None: ...

    def grow(self, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: BoostOptions, ctx: Context) -> BoostTree:
        """A tree for these gradients; rows ascend, none: all."""

    def add_last(self, tree: BoostTree, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None = None, ctx: Context) -> None:
        """
        Add what the tree grown last gives to the scores of all rows; X is for linear leaves.
        """

    def fit_linear(self, tree: BoostTree, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, penalty: float, is_bounded: bool, ctx: Context) -> None:
        """
        Give the leaves of the tree grown last linear models of the columns on their paths.
        """

    def renew_by_quantile(self, tree: BoostTree, *, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, share: float, scale: float, ctx: Context) -> None:
        """Set the leaves of the last tree to quantiles of what is left of y."""

def boost_gradients(loss: str, parameter: float, n_groups: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, ctx: Context) -> None:
    """Write the derivatives of the loss at the scores."""

def boost_loss(loss: str, parameter: float, n_groups: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ctx: Context) -> float:
    """The mean loss at the scores."""

def boost_lambdas(measure: str, truncation: int, normalises: bool, divides_by_gap: bool, relevance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Write LambdaMART's derivatives at the scores."""

def boost_rank_measure(measure: str, truncation: int, empty_value: float, relevance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Write the measure of each query in the order of the scores."""

def boost_draw_uniform(n: int, n_drawn: int, seed: int) -> tuple:
    """Rows without replacement, and no factors."""

def boost_draw_goss(sizes: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_top: int, n_other: int, seed: int) -> tuple:
    """
    The rows of the largest sizes and some of the others, and their factors.
    """

def boost_draw_minimal_variance(sizes: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_drawn: float, seed: int) -> tuple:
    """Rows with probabilities that grow with their sizes, and their factors."""

def coordinate_descent(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csc_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, tol: float, max_iter: int, positive: bool, random: bool, path: bool, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Least squares with L1 and L2 penalties, for each pair of them in turn."""

@overload
def moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, shift_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], sum_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], yy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> float: ...

@overload
def moments(X: object, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, shift_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], sum_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], yy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> float:
    """
    Second moments of X and Y about the shifts; returns the sum of the weights.
    """

def coordinate_descent_gram(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], yy: float, n_rows: int, l1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, tol: float, max_iter: int, positive: bool, random: bool, path: bool, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """coordinate_descent on centred moments instead of data."""

def distance_matrix(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, metric: str, power: float = 2.0, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The distance of every row of X to every row of Y."""

def nearest_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, metric: str, power: float = 2.0, index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The first nearest row of Y for each row of X, and its distance."""

def cluster_distances(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, metric: str, power: float = 2.0, own: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], other: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    For rows sorted by cluster: the sum of distances to the own cluster, and the least mean distance to another one.
    """

def expected_mutual_information(a_size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b_size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_samples: int, ctx: Context) -> float:
    """Mean mutual information of clusterings with clusters of these sizes."""

def continuous_information(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_neighbors: int, psi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Information between every row of x and y, from the k nearest neighbours.
    """

def class_information(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], *, n_classes: int, n_neighbors: int, psi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Information between the rows of x and of codes, from the k nearest neighbours.
    """

@overload
def isotonic_values(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, increasing: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def isotonic_values(y: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, increasing: bool, out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Isotonic fit to y in the given order; out may be y. Weights are positive.
    """

@overload
def isotonic_corners(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, increasing: bool, y_min: float, y_max: float, x_tolerance: float, x_out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], y_out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int: ...

@overload
def isotonic_corners(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, increasing: bool, y_min: float, y_max: float, x_tolerance: float, x_out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], y_out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int:
    """
    Corners of the isotonic fit of y as a function of x; how many there are.
    """

@overload
def least_squares_moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, fit_intercept: bool, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool: ...

@overload
def least_squares_moments(X: object, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, fit_intercept: bool, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    gram = X_c' W X_c and cross = X_c' W Y_c, about the means with an intercept. False if they are not finite.
    """

def kernel_matrix(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """out = (X - mean) (X - mean)'."""

def leave_one_out(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, vectors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, offset: float, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], errors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Leave-one-out errors of ridge regressions from the eigenvectors of the Gram matrix.
    """

class FittedGlm:
    """What a solver says about its result, and what the data prove about it."""

    @property
    def objective(self) -> float: ...

    @property
    def gradient_size(self) -> float: ...

    @property
    def excess_bound(self) -> float: ...

    @property
    def is_finite(self) -> bool: ...

    @property
    def estimated_excess(self) -> float: ...

    @property
    def n_iter(self) -> int: ...

    @property
    def converged(self) -> bool: ...

    @property
    def is_singular(self) -> bool: ...

def fit_logistic_folds(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, fit_intercept: bool, tol: float, max_iter: int, params: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> bool:
    """
    Fit logistic regressions on several weightings of the rows, for descending strengths of the L2 penalty; params (strength by strength, fold by fold) and reached (gradient, iterations, converged) are filled. Returns whether all is finite.
    """

@overload
def fit_glm(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, loss: str, power: float, l2: float, l2_intercept: float, l1: float, l1_intercept: float, fit_intercept: bool, method: str, tol: float, max_iter: int, round_to_float: bool, params: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> FittedGlm: ...

@overload
def fit_glm(X: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, loss: str, power: float, l2: float, l2_intercept: float, l1: float, l1_intercept: float, fit_intercept: bool, method: str, tol: float, max_iter: int, round_to_float: bool, params: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> FittedGlm:
    """
    Fit a generalised linear model, with an L1 penalty if l1 is positive; params is start and result.
    """

class LeastSquaresInfo:
    """How a least-squares fit went."""

    @property
    def status(self) -> str:
        """'ok', 'not_finite' or 'ill_conditioned' (no result then)."""

    @property
    def optimality(self) -> float:
        """max |x_j' r - alpha v_j| / (|x_j| |y|)."""

    @property
    def rcond(self) -> float:
        """Reciprocal condition of the scaled Gram matrix, estimated."""

    @property
    def rank(self) -> int: ...

    @property
    def n_refinements(self) -> int: ...

    @property
    def weight(self) -> float:
        """Sum of the weights."""

def extended_residuals(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], root_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], residual: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, f: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], g: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], g0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Residuals of the augmented least-squares system, summed in doubled precision.
    """

@overload
def least_squares(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, fit_intercept: bool, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, ctx: Context) -> LeastSquaresInfo: ...

@overload
def least_squares(X: object, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, fit_intercept: bool, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, ctx: Context) -> LeastSquaresInfo:
    """
    Fit ridge regression (alpha may be zero) through a Gram matrix; see LeastSquaresInfo.
    """

@overload
def least_squares_gradient(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def least_squares_gradient(X: object, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """gradient = (X - mean_x)' W R with R = Y - mean_y - (X - mean_x) coef."""

@overload
def column_means(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def column_means(X: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Weighted means of the columns."""

def affine_predict(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """out = X @ coef + intercept."""

def matrix_product(A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, B: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """out = (A - shift) B, of few columns."""

def cross_product(A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, B: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """out = (A - shift)' B, of few columns, summed over tiles of rows."""

def gather_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """out = X[rows]."""

def row_sum(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The sum of a number for each row, by tiles of rows."""

def all_finite(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, ctx: Context) -> bool:
    """Whether X holds neither NaN nor infinity."""

def linear_svm(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, *, loss: str, epsilon: float, is_l1: bool, intercept_scaling: float, side: str, tol: float, max_iter: int, seed: int, params: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Fit linear support vector machines side by side; params and reached (objective, bound, iterations, solver, converged, finite) are filled.
    """

def crammer_singer(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, intercept_scaling: float, tol: float, max_iter: int, seed: int, params: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Fit the machine of Crammer and Singer for several classes at once; params and reached, as of linear_svm, are filled.
    """

def k_nearest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, leaves_out_self: bool = False, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    The nearest rows of Y for each row of X by Euclidean distance, nearest first.
    """

def count_within(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, radius: float, leaves_out_self: bool = False, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The number of rows of Y within a Euclidean distance of each row of X."""

def fill_within(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, radius: float, leaves_out_self: bool = False, by_distance: bool, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The rows of Y within a Euclidean distance of each row of X, as counted before.
    """

def k_smallest(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], least: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The least entries of each row, least first."""

def count_votes(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The weight of each class among each query's neighbours."""

def mean_of_neighbours(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The weighted mean of the targets of each query's neighbours."""

def nearest_donors(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The nearest rows of Y that have a value where a row of X has a gap."""

def reachability_density(distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], k_distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The inverse of the mean reachability distance of each row's neighbours.
    """

def outlier_factors(index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], density: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own_density: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The mean density of each row's neighbours over its own."""

class BoostPrefixModels:
    """Models of the first 0, 1, 2, 4, ... rows of an order."""

    def __init__(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def rows(self) -> object:
        """The row of each score, one model after the other."""

    def own_places(self) -> object:
        """
        Of each row: the place of its score by the largest model that has not seen it.
        """

    def set_leaves(self, leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_leaves: int) -> None:
        """Take the rows to be in these leaves from now on."""

    def newton_values(self, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: BoostOptions, ctx: Context) -> object:
        """Newton steps of the leaves, one model after the other."""

    def quantile_values(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, share: float, scale: float, ctx: Context) -> object:
        """
        Quantiles of what is left of y in the leaves, one model after the other.
        """

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
        """Add the values of the rows' leaves to the scores."""

def boost_leaf_quantiles(leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_leaves: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, share: float, scale: float, ctx: Context) -> object:
    """Quantiles of what is left of y in each leaf."""

@overload
def column_moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, total_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def column_moments(X: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, total_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Weight, mean and centred sum of squares of each column, NaN left out."""

@overload
def column_ranges(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def column_ranges(X: object, *, low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Least and largest entry of each column, NaN left out."""

def map_columns(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, restore: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    out = (X - shift) / scale, or X * scale + shift if restore; out may be X.
    """

def spline_values(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], knots: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, degree: int, n_splines: int, extrapolation: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> bool:
    """
    The first splines of each column, side by side; whether no entry is refused.
    """

@overload
def spline_entries(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], knots: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, degree: int, n_splines: int, extrapolation: str, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool: ...

@overload
def spline_entries(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], knots: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, degree: int, n_splines: int, extrapolation: str, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Number and value of the splines of each entry that may not be 0; whether none is refused.
    """

def mark_numbers(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, is_present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Marks the whole numbers of each column in rows of positive weight; whether all have slots.
    """

def number_codes(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], ctx: Context) -> bool:
    """
    Codes of the whole numbers of each column; -1 missing, -2 without a slot; whether none is.
    """

def group_quantiles(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, levels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], method: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Quantiles of groups of weighted values; a whole weight is a number of copies.
    """

@overload
def threshold_counts(score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], fps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int: ...

@overload
def threshold_counts(score: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, thresholds: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], fps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int: ...

@overload
def threshold_counts(score: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, thresholds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], fps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int:
    """
    False and true positives at every distinct score, highest first; how many there are.
    """

@overload
def roc_areas(score: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_fpr: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def roc_areas(score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_fpr: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def roc_areas(score: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_fpr: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Area under the ROC curve of every row of score; NaN where a class has no weight.
    """

@overload
def average_precisions(score: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def average_precisions(score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def average_precisions(score: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], positive: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Average precision of every row of score; NaN without positives."""

class HuberInfo:
    """How Newton's method went."""

    @property
    def n_iter(self) -> int: ...

    @property
    def converged(self) -> bool: ...

    @property
    def decrement(self) -> float:
        """What the last step was expected to gain, relative to the objective."""

class QuantileInfo:
    """How the interior-point method went."""

    @property
    def n_iter(self) -> int: ...

    @property
    def converged(self) -> bool: ...

    @property
    def gap(self) -> float:
        """Complementarity left, relative to the objective."""

def residuals(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """out = y - intercept - X @ coef, in double precision."""

def huber(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, epsilon: float, alpha: float, tol: float, max_iter: int, fit_intercept: bool, warm_start: bool, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> HuberInfo:
    """Fit Huber's regression by Newton's method."""

def quantile(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, quantile: float, penalty: float, tol: float, max_iter: int, fit_intercept: bool, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], dual: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> QuantileInfo:
    """Fit quantile regression by an interior-point method."""

class BlockMeans:
    """Means of columns whose blocks somebody else reads."""

    def __init__(self, n_rows: int, n_columns: int, block_rows: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def add(self, first: int, block: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], ctx: Context) -> bool:
        """Add a block; tell whether its sums are finite."""

    def write(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def block_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], what: str, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], of_rows: Sequence[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int]], ctx: Context) -> bytes:
    """
    The sums of one block of rows, as bytes of float64, for those who ask elsewhere.
    """

class SgdOptions:
    """What a stochastic gradient descent does."""

    def __init__(self, *, loss: str, loss_parameter: float, penalty: str, alpha: float, l1_ratio: float, learning_rate: str, eta0: float, power_t: float, t: float, intercept_decay: float, average: int, batch_size: int, max_iter: int, tol: float, n_iter_no_change: int, fit_intercept: bool, shuffle: bool, early_stopping: bool, one_class: bool, reports: bool) -> None: ...

class SgdTarget:
    """Targets and weights of the rows."""

    def __init__(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, is_validation: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None) -> None: ...

class SgdArrays:
    """Where a descent starts, and ends."""

    def __init__(self, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], average_coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, average_intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, seeds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class SgdGradientArrays:
    """A point, and its loss and gradient."""

    def __init__(self, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], intercept_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def sgd_orders(seed: int, *, out: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    The rows in the order of every shuffled epoch, one epoch per row of out.
    """

def sgd(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, target: SgdTarget, arrays: SgdArrays, options: SgdOptions, ctx: Context) -> list:
    """
    Descend; for each target the epochs, how it ended, and the reports of the epochs.
    """

def sgd_gradient(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, target: SgdTarget, arrays: SgdGradientArrays, options: SgdOptions, ctx: Context) -> None:
    """The mean loss of each target and its gradient."""

def sag(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean_y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, tol: float, max_iter: int, saga: bool, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], n_iter: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Fit ridge regression by SAG or SAGA; whether every target met the tolerance.
    """

class SparseStructure:
    """What the index arrays of a CSR matrix show."""

    @property
    def fault(self) -> str:
        """'none', 'first_offset', 'falling_offset', 'last_offset' or 'index'."""

    @property
    def row(self) -> int:
        """The row of the fault, or -1."""

    @property
    def value(self) -> int:
        """The offset or index that is wrong."""

    @property
    def is_canonical(self) -> bool:
        """Whether the indices increase within every row."""

@overload
def check_compressed(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, *, ctx: Context) -> SparseStructure: ...

@overload
def check_compressed(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, *, ctx: Context) -> SparseStructure: ...

@overload
def check_compressed(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, *, ctx: Context) -> SparseStructure: ...

@overload
def check_compressed(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, *, ctx: Context) -> SparseStructure:
    """Check CSR arrays; indices behind the last row may hold anything."""

@overload
def find_outside(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, *, ctx: Context) -> int: ...

@overload
def find_outside(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, *, ctx: Context) -> int:
    """The position of the first index outside [0, size), or -1."""

def sparse_k_nearest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The nearest rows of a sparse matrix, nearest first."""

def sparse_within(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, radius: float, leaves_out_self: bool = False, ctx: Context) -> tuple:
    """
    The number of rows within a radius of each row of X, these rows and their distances.
    """

def svm(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, kernel: str, gamma: float, coef0: float, degree: int, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_sign: bool, has_intercept: bool, tol: float, max_iter: int, cache_mb: float, shrinking: bool, precision: str, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Solve the dual problems of support vector machines on parts of the rows of X. Sparse rows have sorted indices.
    """

def svm_gram(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_sign: bool, has_intercept: bool, tol: float, max_iter: int, cache_mb: float, shrinking: bool, precision: str, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """svm for a kernel matrix given whole."""

def kernel_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, kernel: str, gamma: float, coef0: float, degree: int, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Add sum_s coef[o, s] K(x, centre s) over the centres of each group to out[group, o], for each row x of X. Group g ends before centre ends[g]. Sparse rows have sorted indices.
    """

def kernel_values(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array | None, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, kernel: str, gamma: float, coef0: float, degree: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    out = K(x, y) for the rows of X and those of Y, by default X. Sparse rows have sorted indices.
    """

def boost_random_order(n: int, seed: int) -> object:
    """Row numbers in a random order."""

@overload
def boost_ordered_statistics(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: float, strength: float, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None: ...

@overload
def boost_ordered_statistics(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: float, strength: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Write the ordered target statistics of columns x rows."""

def boost_ordered_errors(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: float, strength: float, ctx: Context) -> object:
    """
    How far the target is from the statistics of each column, as a sum of squares.
    """

def boost_pair_keys(first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_first: int, n_second: int) -> object:
    """The pairs of levels that occur, as ascending keys."""

def boost_pair_codes(first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_first: int, n_second: int, keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the place of each row's pair among the keys, their number for any other.
    """

def path_shap(trees: object, leaf_outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, is_interleaved: bool, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], phi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], expected: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, ctx: Context) -> None:
    """
    phi += Shapley values, expected += the mean prediction, by the shares of training weight.
    """

def path_interactions(trees: object, leaf_outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, is_interleaved: bool, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], phi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, ctx: Context) -> None:
    """
    phi += Shapley interaction values off the diagonal, by the shares of training weight.
    """

def background_shap(trees: object, leaf_outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, is_interleaved: bool, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], phi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], expected: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, ctx: Context) -> None:
    """
    phi += Shapley values, expected += the mean prediction, by background rows.
    """

def tree_partial_dependence(trees: object, leaf_outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, is_interleaved: bool, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], is_known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], *, ctx: Context) -> None:
    """
    out (n x n_outputs) += the ensemble where known columns are those of X and the others are averaged by the shares of training weight.
    """

def tree_out_of_bag(trees: TreePredictor, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, n_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, is_hard: bool, is_out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], n_trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], loss_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_scored: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Add trees, one after the other, to the rows that each has not seen: is_out[tree, row].
    """

def tree_shuffled_losses(trees: object, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Rise of each tree's mean loss (row) when each feature (column) is shuffled among its rows.
    """

def check_trees(trees: object) -> None:
    """
    Raise unless the arrays of these trees fit together and every index stays inside.
    """

def tree_topology(trees: object, *, tree: int, criterion: str) -> dict:
    """
    Children, depth, counts, value and impurity of each node of one tree, as a dict.
    """

def tree_impurity_decreases(trees: object, *, criterion: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Decrease of impurity by the splits of each tree (row) on each feature (column).
    """

class TreePredictor:
    """Trees in the form in which they predict fast."""

    def __init__(self, trees: object, linear: object | None = None, *, ctx: Context) -> None:
        """linear: the linear functions of the leaves, if they have any."""

    def mean(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """
        out (n x width): mean over the trees of the class proportions or values.
        """

    def sums(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """
        out (n x (n_groups width)): bias plus the sum of the trees; tree t adds to the columns of group t % n_groups.
        """

    def votes(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """out (n x width): how many trees vote for each class of each output."""

    def each(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """
        out (n x n_trees width): proportions or values of one tree after another.
        """

    def apply(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """out (n x n_trees): number of the node in which a row ends."""

def tree_path_offsets(trees: object, leaves: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], *, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    indptr of the sparse matrix of the nodes that each row passes; leaves are from apply.
    """

def tree_path_nodes(trees: object, leaves: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], *, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """indices of the sparse matrix of the nodes that each row passes."""

def weakest_links(feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, alphas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], risks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> int:
    """
    Steps of cost-complexity pruning of a tree in preorder; how many there are.
    """

def reduced_error_leaves(feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], error: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, is_leaf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Which nodes of a tree in preorder are leaves after reduced-error pruning.
    """

class TreeOptions:
    """Criterion and limits of growing trees."""

    def __init__(self, *, criterion: str, random_splits: bool, max_depth: int, min_samples_split: int, min_samples_leaf: int, min_weight_leaf: float, max_features: int, max_leaf_nodes: int, min_impurity_decrease: float, monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, keeps_nodes: bool, random_ties: bool) -> None: ...

class TreeColumns:
    """A matrix sorted or coded for trees; shared by all that grow on it."""

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: TreeOptions, n_trees: int, ctx: Context) -> None: ...

def grow_trees(columns: TreeColumns, options: TreeOptions, *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_outputs: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_draws: int, tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, ctx: Context) -> dict:
    """
    Grow one tree for each seed; returns the arrays of the flat format by name.
    """

def bootstrap_counts(seed: int, n_draws: int, counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """How often each row is drawn by the bootstrap of a tree with this seed."""

def grow_oblivious(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, max_depth: int, min_samples_leaf: int, min_decrease: float, max_bins: int, unit: float, ctx: Context) -> dict:
    """
    Grow an oblivious tree; returns its conditions, and the leaf of each row, by name.
    """

def grow_multiway(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, use_ratio: bool, max_depth: int, min_samples_split: int, min_gain: float, ctx: Context) -> dict:
    """
    Grow a tree with a branch for every level; returns its nodes by name, counts flat.
    """

def boost_samme(columns: TreeColumns, options: TreeOptions, *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], ctx: Context) -> tuple:
    """
    AdaBoost of trees: their arrays, weights and errors, and whether the weights of the rows have overflown.
    """

def select_rows(uniforms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_in: int, *, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Choose n_in rows, each by a number between 0 and 1."""

class GradientBooster:
    """Gradient boosting on columns sorted once."""

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], columns: object, options: TreeOptions, *, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], loss: str, alpha: float, rate: float, has_global_step: bool, ccp_alpha: float) -> None: ...

    def watch(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> None:
        """Follow the loss of rows that no tree sees."""

    def add_round(self, *, is_in: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], ctx: Context) -> tuple:
        """
        Grow a tree for each output; the mean losses of the rows that it has seen, of the others before and after, and of those that are watched.
        """

    def trees(self) -> dict:
        """The arrays of the flat format by name."""

    def steps(self) -> object:
        """The step of each tree."""

    def scores(self) -> object:
        """Scores of the rows, one output after another."""

@overload
def class_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None: ...

@overload
def class_sums(X: object, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Weight and sum of the rows of each class."""

def linear_answers(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Answers about classes whose joint log-probability is constant + X coef'.
    """

def log_shares(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], added: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, sign: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    sign log((base + sign counts + added) / total) for counts of classes in columns.
    """

def joint_answers(joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Answers that follow from joint log-probabilities."""

@overload
def class_moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None: ...

@overload
def class_moments(X: object, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Weight, means and centred sums of squares of the rows of each class."""

def gaussian_answers(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Joint log-probabilities, (log-)probabilities or labels of classes with normal columns; whether all squares were finite.
    """

def kd_tree_sizes(n_rows: int, n_features: int) -> tuple[int, int, int]:
    """The lengths of the splits, boxes and points of a tree."""

def build_kd_tree(Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], splits: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], boxes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Build a k-d tree of the rows."""

def k_nearest_in_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, metric: str, power: float = 2.0, leaves_out_self: bool = False, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The nearest rows of a tree for each row of X."""

def count_within_in_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, metric: str, power: float = 2.0, radii: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaves_out_self: bool = False, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The number of a tree's rows within a distance of each row of X."""

def fill_within_in_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, metric: str, power: float = 2.0, radii: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaves_out_self: bool = False, by_distance: bool, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """A tree's rows within a distance of each row of X, as counted before."""

def level_counts(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Weight of the rows of each class with each level."""

def level_answers(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Answers about classes with a table of log-probabilities of the levels of columns.
    """

@overload
def class_scatter(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Scatter matrices about the means of the classes, summed or one for each class.
    """

@overload
def class_scatter(X: object, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The sum of the scatter matrices of the classes."""

def normal_answers(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Joint log-probabilities, (log-)probabilities or labels of normal classes; whether all squares were finite.
    """

def text_codes(values: list, *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> object:
    """
    The distinct texts of a list in the order of their first appearance, and the code of each value, -1 for None and NaN; None if there is anything else.
    """

def distinct_rows(rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), device='cpu', writable=False)], *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> object:
    """The first of each of the distinct rows, and the code of each row."""

def lloyd(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], max_iter: int, tol: float, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], history: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, ctx: Context) -> tuple[int, float, float, bool, bool]:
    """
    Move the centres to the means of their rows until they rest: the number of steps, the inertia, the squared moves of the last step, whether no row changed, and converged.
    """

def lloyd_of_blocks(X: object, near: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], max_iter: int, tol: float, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], history: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, ctx: Context) -> tuple[int, float, float, bool, bool]:
    """
    The same for rows in blocks; `near` are some of them, about which sums are taken.
    """

def nearest_centres(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, ctx: Context) -> None:
    """The nearest centre of each row, and the squared distance to it."""

@overload
def cluster_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The weighted sum of the rows of each cluster about a shift, which sparse rows ignore.
    """

@overload
def cluster_sums(X: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The same of rows in blocks."""

def seed_centres(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The rows that greedy k-means++ chooses after the first."""

def propagate_affinity(S: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, damping: float, max_iter: int, convergence_iter: int, A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], R: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], is_exemplar: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> tuple[int, bool]:
    """
    Pass messages between rows until their exemplars stay: iterations, and whether they did.
    """

def grow_cf_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, tree: tuple | None, *, threshold: float, branching_factor: int, ctx: Context) -> tuple:
    """
    Put rows into a tree of clustering features: its root, then for each node the number of features and the next leaf, then for each feature count, child, scatter and mean.
    """

def dbscan(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple | None, *, metric: str, power: float = 2.0, eps: float, min_samples: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Clusters by density, in a tree or over all pairs."""

def dbscan_in_grid(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, eps: float, min_samples: float, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """Clusters by density in a grid of cells; whether there can be one."""

def dbscan_of_lists(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, min_samples: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Clusters by density, of given neighbours."""

def label_by_core(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], core_rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple | None, *, metric: str, power: float = 2.0, core_labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eps: float, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The least label of the core rows within eps of each row of X."""

def shift_to_means(tree: tuple, *, bandwidth: float, max_iter: int, means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], n_within: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_iter: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_settled: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Move seeds to the mean of the rows within a bandwidth, until they rest.
    """

def keep_apart(Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, radius: float, keeps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Which rows, in their order, are not within the radius of one that is kept.
    """

def kth_distances(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], k: int, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The distance of each row to the k-th nearest row, itself the first."""

def linkage_triangle_size(n: int) -> int:
    """The length of the array that holds the distances of n rows."""

def linkage_fill(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, metric: str, power: float = 2.0, triangle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The distances of all pairs of rows."""

def linkage_fill_rows(block: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], first: int, *, squares: bool, triangle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The same of given rows of the square matrix."""

def linkage_fill_condensed(condensed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, *, squares: bool, triangle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The same of the rows of the upper half, in turn."""

def linkage_of_triangle(triangle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n: int, *, method: str, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The tree of clusters of given distances, which are overwritten."""

def linkage_of_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, method: str, metric: str = 'euclidean', power: float = 2.0, sorts_children: bool = True, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The tree of clusters of rows, without all distances."""

def linkage_in_graph(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, distances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, method: str, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The tree of clusters of which only neighbours in a graph may merge."""

def linkage_cut(children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], n_clusters: int, *, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The labels of the rows when the tree is cut into so many clusters."""

class RankedPairs:
    """Pairs of points in the order of their dissimilarities."""

    @property
    def n_ranks(self) -> int: ...

    def means(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, means: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
        """Means over the pairs of each rank, and their numbers."""

    def spread(self, of_rank: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, scale: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """Write the scaled value of its rank for each pair, in both orders."""

def ranked_pairs(dissimilarities: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, ctx: Context) -> RankedPairs:
    """The pairs with a dissimilarity above zero."""

def conditional_affinities(squared: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, first: int, perplexity: float, p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], betas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    Probabilities of neighbours at a perplexity, and the rates that give it.
    """

def joint_affinities(index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, ctx: Context) -> tuple[object, object, object]:
    """Affinities of pairs as compressed rows: starts, places and values."""

def join_affinities(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], *, ctx: Context) -> None:
    """Make the probabilities of all pairs joint, in place."""

def tsne_descend(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, all: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, *, points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], updates: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], gains: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], n_steps: int, momentum: float, learning_rate: float, exaggeration: float, least_gain: float, method: str, angle: float, ctx: Context) -> tuple[int, float, float, float]:
    """
    Steps of t-SNE: their number, the divergence, and the norms of the gradient and of its attractive part.
    """

def tsne_divergence(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, all: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, *, points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], n_sampled: int, ctx: Context) -> tuple[float, float]:
    """The divergence of an embedding, and its standard error."""

def repulsive_forces(points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, method: str, angle: float, forces: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> float:
    """What pushes points apart, and the sum over all pairs."""

def tsne_place(points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], angle: float, placed: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Place new points in an embedding."""

def barycentre_weights(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], *, reg: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> int:
    """
    Weights of neighbours that come nearest to each row; the first row without any, or -1.
    """

def smacof_pass(disparities: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, next: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, ctx: Context) -> tuple[float, float]:
    """
    Stress of points and half the sum of their squared distances, and Guttman's transform.
    """

def shortest_paths(lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    Lengths of the shortest paths from some nodes of an undirected graph to all.
    """

def squared_product(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], scale: float, V: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """The matrix of squared distances times V."""

def fourth_powers(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], scale: float, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Sums of the fourth powers of the distances of each row."""

def distances_through(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Distances of new nodes that are joined to known ones."""

def log_density_in_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, metric: str, power: float = 2.0, kernel: str, bandwidth: float, atol: float = 0.0, rtol: float = 0.0, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The logarithm of the sum of a kernel of the distances to a tree's rows.
    """

def log_density_of_distances(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, kernel: str, bandwidth: float, atol: float = 0.0, rtol: float = 0.0, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The same of given distances."""

def count_pairs_in_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, metric: str, power: float = 2.0, radii: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    How many pairs of a row of X and a tree's row are within each of some radii.
    """

@overload
def boltzmann_steps(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, chains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], draws: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], batch_rows: int, rate: float, ctx: Context) -> None: ...

@overload
def boltzmann_steps(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], *, chains: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], draws: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], batch_rows: int, rate: float, ctx: Context) -> None:
    """
    Steps of persistent contrastive divergence, one for each batch of rows; weights, biases and chains are changed in place.
    """

@overload
def boltzmann_hidden(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None: ...

@overload
def boltzmann_hidden(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], *, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Probabilities of the hidden units, given the visible ones of each row."""

@overload
def boltzmann_pseudo_likelihood(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, n_hidden: int, flips: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

@overload
def boltzmann_pseudo_likelihood(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], hidden_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], visible_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], *, n_hidden: int, flips: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """Pseudo-likelihood of each row, with one visible unit turned over."""

class NetworkEpochOptions:
    """How the steps of an epoch are made."""

    def __init__(self, *, solver: str, rate: float, last_rate: float, first: float, second: float, epsilon: float, nesterov: bool, alpha: float, weight_decay: float, max_norm: float, dropout: float, dropout_seed: int, batch_rows: int, rates: Sequence[float]) -> None: ...

class NetworkMinimiseOptions:
    """How L-BFGS descends."""

    def __init__(self, *, alpha: float, tol: float, max_iter: int, max_fun: int) -> None: ...

class NetworkRows:
    """Rows to train on, and their targets."""

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class Network:
    """A multilayer perceptron and its optimiser's state."""

    def __init__(self, sizes: Sequence[int], *, is_double: bool, hidden: str, output: str, loss: str, loss_parameter: float, block_begins: Sequence[int], block_ends: Sequence[int], n_frequencies: int, wave_sources: Sequence[int], is_parametric: bool) -> None: ...

    def set_parameters(self, weights: list, biases: list, shares: list) -> None: ...

    def lend_parameters(self, weights: list, biases: list, shares: list) -> None:
        """Parameters for predictions alone, large ones read where they lie."""

    def get_parameters(self, weights: list, biases: list, shares: list) -> None: ...

    def get_moments(self, first: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')]) -> None: ...

    def set_moments(self, first: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], n_steps: int) -> None: ...

    @property
    def n_steps(self) -> int: ...

    @property
    def size(self) -> int: ...

    def epoch(self, rows: NetworkRows, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: NetworkEpochOptions, ctx: Context) -> tuple:
        """
        A pass over the rows, a step for each batch: the mean of the batches' losses, and how many rows were reached in time.
        """

    def objective(self, rows: NetworkRows, alpha: float, weights: list, biases: list, shares: list, ctx: Context) -> tuple:
        """The objective of all rows and the loss; its gradient into the arrays."""

    def norms(self, rows: NetworkRows, alpha: float, ctx: Context) -> tuple:
        """
        The objective, the loss, and the norms of the gradient and of the parameters.
        """

    def minimise(self, rows: NetworkRows, options: NetworkMinimiseOptions, ctx: Context) -> tuple:
        """
        L-BFGS: how it ended, iterations, evaluations, loss, gradient and losses.
        """

    def predict(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | scipy.sparse.csr_array, *, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
        """The outputs of the rows."""

def ica_sums(Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, contrast: str, alpha: float, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    products = sum g(y) z' and slopes = sum g'(y) over the rows z of Z, with y = W z.
    """

def nmf_sweeps(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], cross: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_sweeps: int, shrink: float, factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> float:
    """
    Coordinate descent on w'Gw / 2 - c'w over w >= 0 for each row w of factor; returns the sum of the projected gradients that the first sweep met.
    """

def nmf_row_terms(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, beta: float, least: float, numerator: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], denominator: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Numerator and denominator of the multiplicative update of W."""

def nmf_column_terms(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, beta: float, least: float, numerator: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], denominator: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Numerator and denominator of the multiplicative update of H."""

def nmf_divergence(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, beta: float, least: float, ctx: Context) -> float:
    """The beta divergence of X from W H."""

@overload
def sampled_product(indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], Ht: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The entries of W Ht' where a sparse matrix has some."""

@overload
def sampled_product(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], Ht: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None: ...

def mixture_step(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, form: str, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | None, ctx: Context) -> tuple[float, float, bool]:
    """
    Sums of one EM step about the means; log-likelihood, entropy, whether all was finite.
    """

def mixture_evidence(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], form: str, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """Log-density of each row; whether all squares were finite."""

def mixture_answers(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], form: str, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, answer: str, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> bool:
    """
    Joint log-densities, (log-)probabilities or labels; whether all squares were finite.
    """

def spanning_tree_in_tree(tree: tuple, n_features: int, *, metric: str = 'euclidean', power: float = 2.0, cores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float = 1.0, neighbours: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], n_within_core: int, ends: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The minimum spanning tree by mutual reachability of the rows of a k-d tree, in the order of Prim's algorithm.
    """

def spanning_tree_of_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], *, metric: str = 'euclidean', power: float = 2.0, cores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float = 1.0, ends: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The same over all pairs of rows."""

def linkage_of_edges(ends: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """The tree of clusters of sorted edges."""

def hdbscan_clusters(children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, min_cluster_size: int, takes_leaves: bool, allows_root: bool, epsilon: float, max_cluster_size: int, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> tuple[object, object]:
    """
    Clusters that last: labels, probabilities, and the density at which each cluster begins and its stability.
    """

def optics_in_tree(tree: tuple, n_features: int, *, metric: str = 'euclidean', power: float = 2.0, cores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_eps: float, ordering: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], reachability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], predecessor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The order of a tree's rows in which each next one is reached at the least distance.
    """

def optics_step(row: int, neighbours: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, cores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_eps: float, is_processed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], reachability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], predecessor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    One step of that order by given distances of one row; the number of the next row, or -1.
    """

def xi_clusters(plot: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reached_from: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, xi: float, min_samples: int, min_cluster_size: int, corrects_predecessors: bool, ctx: Context) -> object:
    """
    The first and last places of the clusters of a reachability plot, one after the other.
    """

def reach_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree: tuple, *, metric: str = 'euclidean', power: float = 2.0, cores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_eps: float, index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], reachability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ctx: Context) -> None:
    """
    The row of a tree that reaches each row of X at the least distance, or -1.
    """

def count_words(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, ctx: Context) -> tuple:
    """
    The different words of each text in UTF-8: where they begin in the lists of hashes, of counts, and of the place and the length in bytes where they stand first.
    """

def choose_neighbours(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], pull: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """
    How likely rows take a neighbour of their class, and half the gradient of the sum.
    """

def gower_distances(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], *, is_level: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], ctx: Context) -> None:
    """Gower's distances of rows whose numbers are in units of their range."""

def cpu_level() -> str:
    """The instruction set level in use: 'plain', 'v2', 'v3' or 'v4'."""
