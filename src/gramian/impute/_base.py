"""What the imputers share: the columns of the indicator, and names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._interrupt import interruptible
from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.impute._indicator import MissingIndicator
from gramian.impute._missing import MissingMark, is_nan_mark
from gramian.params import Boolean, param
from gramian.validation import check_is_fitted


class ImputerBase(TransformerMixin, BaseEstimator):
    """Base of imputers, which may put the columns of a `MissingIndicator` behind their own."""

    missing_values: Any = param(np.nan, MissingMark())
    add_indicator: bool = param(False, Boolean())
    keep_empty_features: bool = param(False, Boolean())

    indicator_: MissingIndicator | None
    n_features_in_: int

    def _fit_indicator(self, mask: Any) -> MissingIndicator | None:
        if not self.add_indicator:
            return None
        indicator = MissingIndicator(missing_values=self.missing_values, error_on_new=False)
        return indicator.fit_mask(mask)

    def _with_indicator(self, filled: Any, mask: Any) -> Any:
        """Return the filled data, and behind them the columns of the indicator."""
        if self.indicator_ is None:
            return filled
        columns = self.indicator_.transform_mask(mask)
        if isinstance(filled, np.ndarray):
            return np.hstack([filled, columns])
        from scipy import sparse

        return sparse.hstack([filled, columns], format=filled.format)

    def _kept(self) -> NDArray[np.bool_]:
        """Return which columns are in the output."""
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are kept, then those of the indicator.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        check_is_fitted(self)
        names = feature_names(self, input_features)
        if self.indicator_ is None:
            return names[self._kept()]
        return np.concatenate([names[self._kept()], self.indicator_.get_feature_names_out(names)])

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.native_table = True
        tags.allow_nan = is_nan_mark(self.missing_values)
        return tags


def writeable(data: Any, original: Any, *, copy: bool) -> Any:
    """Return data that may be changed: a copy unless the caller allows changing his own."""
    if isinstance(data, np.ndarray):
        is_free = not np.may_share_memory(data, original) if type(original) is np.ndarray else False
        allowed = not copy and type(original) is np.ndarray
        is_ours = data.flags.writeable and (is_free or allowed)
        return data if is_ours else interruptible(data.size, np.copy, data)
    is_free = data is not original and not np.may_share_memory(data.data, original.data)
    return data if data.data.flags.writeable and (is_free or not copy) else data.copy()
