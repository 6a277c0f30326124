"""Scores along the values of a parameter, drawn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import require_pyplot
from gramian.model_selection._curves import validation_curve
from gramian.model_selection._score_display import ScoreDisplay, Style, name_of_score, positions


class ValidationCurveDisplay(ScoreDisplay):
    """Picture of the scores against the values of one parameter.

    Make it with `from_estimator`, which draws at once.

    Parameters
    ----------
    param_name : str
        The parameter.
    param_range : array-like of shape (n_ticks,)
        Its values. The horizontal axis is logarithmic if their distances differ much; values that
        are no numbers stand at equal distances.
    train_scores, test_scores : ndarray of shape (n_ticks, n_splits)
        Scores on the training and on the test parts.
    score_name : str, optional
        What the vertical axis says.

    Attributes
    ----------
    lines_ : list of Line2D or None
        Mean scores; None with error bars.
    fill_between_ : list of PolyCollection or None
        Mean plus and minus one standard deviation, as areas.
    errorbar_ : list of ErrorbarContainer or None
        The same as error bars.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    validation_curve : The numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import ValidationCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = ValidationCurveDisplay.from_estimator(
    ...     Ridge(), X, y, param_name="alpha", param_range=[0.01, 1.0, 10.0]
    ... )
    >>> display.frame()[["alpha", "train_mean", "test_mean"]].round(2)
       alpha  train_mean  test_mean
    0   0.01        0.52       0.48
    1   1.00        0.44       0.41
    2  10.00        0.16       0.14
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: Any,
        train_scores: Any,
        test_scores: Any,
        score_name: str | None = None,
    ) -> None:
        self.param_name = param_name
        self.param_range = param_range
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.score_name = score_name

    def _columns(self) -> Mapping[str, Any]:
        return {self.param_name: positions(self.param_range), **self._score_columns()}

    def _axis(self) -> tuple[Any, str]:
        return self.param_range, str(self.param_name)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        param_name: str,
        param_range: Any,
        groups: Any = None,
        cv: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: Any = "all",
        verbose: int = 0,
        error_score: Any = np.nan,
        fit_params: dict[str, Any] | None = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: Style = None,
        fill_between_kw: Style = None,
        errorbar_kw: Style = None,
    ) -> "ValidationCurveDisplay":
        """Compute the validation curve of an estimator and draw it.

        Parameters
        ----------
        estimator, X, y, param_name, param_range, groups, cv, scoring
            As for `validation_curve`.
        n_jobs, pre_dispatch, verbose, error_score
            As for `validation_curve`.
        fit_params : dict, optional
            Arguments of ``fit``.
        score_name : str, optional
            What the vertical axis says; by default made of the name of `scoring`.
        ax, negate_score, score_type, std_display_style, line_kw, fill_between_kw, errorbar_kw
            As for `plot`.

        Returns
        -------
        ValidationCurveDisplay
        """
        require_pyplot()
        train_scores, test_scores = validation_curve(
            estimator,
            X,
            y,
            param_name=param_name,
            param_range=param_range,
            groups=groups,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            pre_dispatch=pre_dispatch,
            verbose=verbose,
            error_score=error_score,
            params=fit_params,
        )
        display = cls(
            param_name=param_name,
            param_range=np.asarray(param_range),
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=name_of_score(score_name, scoring, negate_score),
        )
        return display.plot(
            ax,
            negate_score=negate_score,
            score_type=score_type,
            std_display_style=std_display_style,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
            errorbar_kw=errorbar_kw,
        )
