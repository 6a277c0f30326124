"""Combinations of parameters: all of a grid, or random ones."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gramian.model_selection._split_base import Indices
from gramian.validation import check_random_state


class ParameterGrid:
    """All combinations of the values of some parameters, in order.

    Parameters
    ----------
    param_grid : dict of str to sequence, or sequence of such dicts
        The values of each parameter; the combinations of several dicts follow each other.

    Examples
    --------
    >>> from gramian.model_selection import ParameterGrid
    >>> list(ParameterGrid({"alpha": [1, 2], "fit_intercept": [True]}))
    [{'alpha': 1, 'fit_intercept': True}, {'alpha': 2, 'fit_intercept': True}]
    """

    def __init__(self, param_grid: Any) -> None:
        if not isinstance(param_grid, (Mapping, Iterable)):
            raise TypeError(
                f"Parameter grid should be a dict or a list, got: {param_grid!r} of type "
                f"{type(param_grid).__name__}"
            )
        is_one = isinstance(param_grid, Mapping)
        self.param_grid: list[Any] = [param_grid] if is_one else list(param_grid)
        for grid in self.param_grid:
            if not isinstance(grid, dict):
                raise TypeError(f"Parameter grid is not a dict ({grid!r})")
            for name, values in grid.items():
                _check_values(name, values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for grid in self.param_grid:
            names = sorted(grid)
            for values in product(*(grid[name] for name in names)):
                yield dict(zip(names, values, strict=True))

    def __len__(self) -> int:
        return sum(math.prod(len(values) for values in grid.values()) for grid in self.param_grid)

    def __getitem__(self, ind: int) -> dict[str, Any]:
        """Return the combination of that number, in the order of the iteration."""
        for grid in self.param_grid:
            size = math.prod(len(values) for values in grid.values())
            if ind >= size:
                ind -= size
                continue
            found = {}
            for name in sorted(grid, reverse=True):  # the last parameter changes fastest
                ind, position = divmod(ind, len(grid[name]))
                found[name] = grid[name][position]
            return found
        raise IndexError("ParameterGrid index out of range")


def _check_values(name: str, values: Any) -> None:
    if isinstance(values, np.ndarray) and values.ndim > 1:
        raise ValueError(
            f"Parameter array for {name!r} should be one-dimensional, got: {values!r} with shape "
            f"{values.shape}"
        )
    if isinstance(values, str) or not isinstance(values, (np.ndarray, Sequence)):
        raise TypeError(
            f"Parameter grid for parameter {name!r} needs to be a list or a numpy array, but got "
            f"{values!r} (of type {type(values).__name__}) instead. Single values need to be "
            "wrapped in a list with one element."
        )
    if len(values) == 0:
        raise ValueError(
            f"Parameter grid for parameter {name!r} need to be a non-empty sequence, got: "
            f"{values!r}"
        )


class ParameterSampler:
    """Random combinations of parameters.

    If all parameters are given as lists, no combination is drawn twice. The same integer
    `random_state` gives the combinations that scikit-learn gives.

    Parameters
    ----------
    param_distributions : dict of str to sequence or distribution, or sequence of such dicts
        A distribution has ``rvs``, as those of `scipy.stats` have. Of several dicts, one is drawn
        first.
    n_iter : int
        How many combinations.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.

    Examples
    --------
    >>> from gramian.model_selection import ParameterSampler
    >>> list(ParameterSampler({"alpha": [1, 2, 3], "solver": ["svd", "lsqr"]}, 2, random_state=0))
    [{'solver': 'lsqr', 'alpha': 3}, {'solver': 'svd', 'alpha': 2}]
    """

    def __init__(self, param_distributions: Any, n_iter: int, *, random_state: Any = None) -> None:
        if not isinstance(param_distributions, (Mapping, Iterable)):
            raise TypeError(
                "Parameter distribution is not a dict or a list, got: "
                f"{param_distributions!r} of type {type(param_distributions).__name__}"
            )
        is_one = isinstance(param_distributions, Mapping)
        self.param_distributions: list[Any] = (
            [param_distributions] if is_one else list(param_distributions)
        )
        for distributions in self.param_distributions:
            if not isinstance(distributions, dict):
                raise TypeError(f"Parameter distribution is not a dict ({distributions!r})")
            for name, values in distributions.items():
                if not isinstance(values, Iterable) and not hasattr(values, "rvs"):
                    raise TypeError(
                        f"Parameter grid for parameter {name!r} is not iterable or a distribution "
                        f"(value={values})"
                    )
        self.n_iter = n_iter
        self.random_state = random_state

    def __iter__(self) -> Iterator[dict[str, Any]]:
        source = check_random_state(self.random_state)
        if self._has_lists_only():
            yield from self._of_grid(source)
            return
        for _ in range(self.n_iter):
            distributions = self.param_distributions[_below(source, len(self.param_distributions))]
            drawn = {}
            for name, values in sorted(distributions.items()):
                is_list = not hasattr(values, "rvs")
                drawn[name] = (
                    values[_below(source, len(values))]
                    if is_list
                    else values.rvs(random_state=source)
                )
            yield drawn

    def _of_grid(self, source: Any) -> Iterator[dict[str, Any]]:
        grid = ParameterGrid(self.param_distributions)
        size = len(grid)
        if size < self.n_iter:
            warnings.warn(
                f"The total space of parameters {size} is smaller than n_iter={self.n_iter}. "
                f"Running {size} iterations. For exhaustive searches, use GridSearchCV.",
                UserWarning,
                stacklevel=3,
            )
        for number in _draw_distinct(size, min(size, self.n_iter), source):
            yield grid[int(number)]

    def __len__(self) -> int:
        if self._has_lists_only():
            return min(self.n_iter, len(ParameterGrid(self.param_distributions)))
        return self.n_iter

    def _has_lists_only(self) -> bool:
        return not any(
            hasattr(values, "rvs")
            for distributions in self.param_distributions
            for values in distributions.values()
        )


def _below(source: Any, high: int) -> int:
    """Draw a whole number from 0 to `high` - 1."""
    draw = source.integers if isinstance(source, np.random.Generator) else source.randint
    return int(draw(high))


def _draw_distinct(n_population: int, n_draws: int, source: Any) -> Indices:
    """Draw distinct whole numbers below `n_population`, in scikit-learn's stream.

    A shuffle of all numbers, except that few of many are drawn one by one until they are distinct,
    and nearly all of many by replacing members of a reservoir.
    """
    fraction = n_draws / n_population if n_population else 1.0
    if 0.01 < fraction < 0.99:
        order: Indices = source.permutation(n_population)
        return order[:n_draws]
    if fraction >= 0.2:
        reservoir = np.arange(n_draws)
        for number in range(n_draws, n_population):
            place = _below(source, number + 1)
            if place < n_draws:
                reservoir[place] = number
        return reservoir
    drawn: dict[int, None] = {}
    while len(drawn) < n_draws:
        drawn[_below(source, n_population)] = None
    return np.array(list(drawn), dtype=np.intp)
