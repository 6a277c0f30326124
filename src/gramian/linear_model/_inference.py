"""The method ``summary`` of linear models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gramian.linear_model._family import Family
    from gramian.linear_model._summary_table import CoefficientSummary

METHODS = ("analytic", "bootstrap")


class SummaryMixin:
    """Mixin of linear models whose coefficients can be judged; least squares unless overridden."""

    def _family(self) -> Family | None:
        """Return the distribution of the target; None means least squares."""
        return None

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        alpha: float = 0.05,
        cov_type: str = "nonrobust",
        groups: Any = None,
        method: str = "analytic",
        n_bootstrap: int | None = None,
        random_state: Any = None,
    ) -> CoefficientSummary | tuple[CoefficientSummary, ...]:
        """Return coefficients with standard errors, tests and intervals, and measures of the fit.

        Least squares with several targets gives one summary for each. A penalised fit has no valid
        standard errors: it is refused, with the reason, unless by ``method="bootstrap"``.

        Parameters
        ----------
        X, y, sample_weight
            The data of ``fit``. Least squares takes weights as precisions of the rows, other
            models as counts of equal rows.
        alpha : float, default=0.05
            The intervals hold with probability ``1 - alpha``.
        cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="nonrobust"
            How the covariance of the coefficients is estimated: by the model; robust to unequal
            variances (HC); or robust to any dependence within `groups` too.
        groups : array-like of shape (n_samples,), default=None
            Label of each row's cluster, for ``cov_type="cluster"``, or for a bootstrap that draws
            whole clusters.
        method : {"analytic", "bootstrap"}, default="analytic"
            Formulas of large samples, or percentiles of refits on rows drawn with replacement.
        n_bootstrap : int, default=None
            Number of refits of the bootstrap; None means 1000.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the bootstrap.

        Returns
        -------
        summary : RegressionSummary, LikelihoodSummary, BootstrapSummary or tuple
            Prints as a table; `frame` gives it as a data frame.
        """
        if method not in METHODS:
            raise ValueError(f"method={method!r} must be one of {', '.join(METHODS)}.")
        if method == "bootstrap":
            from gramian.linear_model._bootstrap import bootstrap_summary

            if cov_type != "nonrobust":
                raise ValueError(
                    f"cov_type={cov_type!r} is for method='analytic'; a bootstrap needs none, and "
                    "draws whole clusters where groups are given."
                )
            size = 1000 if n_bootstrap is None else n_bootstrap
            options = {"alpha": alpha, "groups": groups, "n_bootstrap": size}
            return bootstrap_summary(
                self, X, y, sample_weight, random_state=random_state, **options
            )
        if n_bootstrap is not None or random_state is not None:
            raise ValueError("n_bootstrap and random_state are for method='bootstrap' only.")
        kinds = {"alpha": alpha, "cov_type": cov_type, "groups": groups}
        family = self._family()
        if family is None:
            from gramian.linear_model._summary import summarize

            return summarize(self, X, y, sample_weight, **kinds)
        from gramian.linear_model._likelihood_summary import summarize_likelihood

        return summarize_likelihood(self, family, X, y, sample_weight, **kinds)
