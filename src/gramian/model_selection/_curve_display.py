"""Pictures of scores against the number of training rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import require_pyplot
from gramian.model_selection._curves import learning_curve
from gramian.model_selection._score_display import ScoreDisplay, Style, name_of_score

_SIZES = np.linspace(0.1, 1.0, 5)


class LearningCurveDisplay(ScoreDisplay):
    """Picture of the scores against the number of training rows.

    Make it with `from_estimator`, which draws at once. A gap that stays between the curves speaks
    of too flexible a model, low scores of both of too rigid a one; test scores that still rise
    at the right end, of too few rows.

    Parameters
    ----------
    train_sizes : ndarray of shape (n_ticks,)
        Numbers of training rows.
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
    learning_curve : The numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import LearningCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimator(Ridge(), X, y, train_sizes=[50, 200, 350])
    >>> display.frame()[["train_size", "train_mean", "test_mean"]].round(2)
       train_size  train_mean  test_mean
    0          50        0.18       0.13
    1         200        0.36       0.34
    2         350        0.43       0.41
    """

    def __init__(
        self,
        *,
        train_sizes: Any,
        train_scores: Any,
        test_scores: Any,
        score_name: str | None = None,
    ) -> None:
        self.train_sizes = train_sizes
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.score_name = score_name

    def _columns(self) -> Mapping[str, Any]:
        return {"train_size": np.asarray(self.train_sizes), **self._score_columns()}

    def _axis(self) -> tuple[Any, str]:
        return self.train_sizes, "Number of samples in the training set"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        train_sizes: Any = _SIZES,
        cv: Any = None,
        scoring: Any = None,
        exploit_incremental_learning: bool = False,
        n_jobs: int | None = None,
        pre_dispatch: Any = "all",
        verbose: int = 0,
        shuffle: bool = False,
        random_state: Any = None,
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
    ) -> "LearningCurveDisplay":
        """Compute the learning curve of an estimator and draw it.

        Parameters
        ----------
        estimator, X, y, groups, train_sizes, cv, scoring, exploit_incremental_learning
            As for `learning_curve`.
        n_jobs, pre_dispatch, verbose, shuffle, random_state, error_score
            As for `learning_curve`.
        fit_params : dict, optional
            Arguments of ``fit``.
        score_name : str, optional
            What the vertical axis says; by default made of the name of `scoring`.
        ax, negate_score, score_type, std_display_style, line_kw, fill_between_kw, errorbar_kw
            As for `plot`.

        Returns
        -------
        LearningCurveDisplay
        """
        require_pyplot()
        train_sizes, train_scores, test_scores = learning_curve(
            estimator,
            X,
            y,
            groups=groups,
            train_sizes=train_sizes,
            cv=cv,
            scoring=scoring,
            exploit_incremental_learning=exploit_incremental_learning,
            n_jobs=n_jobs,
            pre_dispatch=pre_dispatch,
            verbose=verbose,
            shuffle=shuffle,
            random_state=random_state,
            error_score=error_score,
            params=fit_params,
        )
        display = cls(
            train_sizes=train_sizes,
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
