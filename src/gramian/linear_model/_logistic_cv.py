"""Logistic regression whose penalty is chosen by cross-validation."""

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import row_weights
from gramian._linear.advice import scale_advice, warn_of_fits
from gramian._linear.classifier import encode_classes
from gramian._linear.glm import certify
from gramian._requests import UNUSED, raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, Routed, RoutedMethods, route
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.linear_model._logistic_base import SOLVERS, LogisticClassifier, check_liblinear
from gramian.linear_model._logistic_grid import Grid, grid_of
from gramian.linear_model._logistic_paths import LogisticSearch, Paths
from gramian.linear_model._logistic_scores import held_out_scores
from gramian.metrics import get_scorer
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Callables,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
    param,
)
from gramian.validation import check_fit

if TYPE_CHECKING:
    from typing import Self


class LogisticRegressionCV(LogisticClassifier):
    """Logistic regression whose penalty is chosen by cross-validation.

    See `LogisticRegression` for the objective. On each fold the fits go from the strongest penalty
    to the weakest, each from the one before. A data frame is encoded once, by all rows.

    Parameters
    ----------
    Cs : int or sequence of float, default=10
        Inverse strengths of the penalty to try, > 0; a number means as many from 1e-4 to 1e4.
    l1_ratios : sequence of float, default=None
        Shares of the L1 penalty to try, from 0 to 1; None is (0,). Leaving it out, or None, is
        deprecated.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    cv : int, splitter, iterable of (train, test) or None, default=None
        Folds; None means five, an int as many, with the classes spread evenly.
    dual : bool, default=False
        Kept for compatibility, with "liblinear": the optimum is the same.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        Deprecated: use `l1_ratios`.
    scoring : str, callable or None, default=None
        How predictions are judged, as for `gramian.metrics.check_scoring`; None is the accuracy.
        Leaving it out is deprecated: scikit-learn 1.11 will take "neg_log_loss".
    solver : str, default="lbfgs"
        As for `LogisticRegression`.
    tol : float, default=1e-4
        As for `LogisticRegression`.
    max_iter : int, default=100
        Most iterations of each fit.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, 1 for those not named; "balanced" gives all classes the same total,
        over all rows.
    n_jobs : int, optional
        Threads for the folds; None means all.
    verbose : int, default=0
        If positive, the choice and the certificate are printed.
    refit : bool, default=True
        Whether to fit all rows with the penalty of the best mean score. Otherwise coefficients are
        the mean of each fold's best, and so are ``C_`` and ``l1_ratio_``.
    intercept_scaling : float, default=1.0
        With "liblinear" the constant is penalised as the coefficient of a column of this value.
    random_state : int, RandomState, Generator or None, default=None
        Kept for compatibility: no solver here draws random numbers.
    use_legacy_attributes : bool, default=True
        Whether attributes have the forms of scikit-learn up to 1.9, with a key or an entry for
        each class. Leaving it out is deprecated: scikit-learn 1.10 will take False.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant b of each row of coefficients.
    Cs_ : ndarray of shape (n_cs,)
        The values of C tried, in the order given.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The shares tried; ``[None]`` if none were given.
    C_ : float
        The C chosen. Legacy: an array with an entry for each row of coefficients.
    l1_ratio_ : float
        The share chosen. Legacy: an array likewise.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Scores on the rows held out. Legacy: a dict by class, all alike, of shape (n_folds, n_cs,
        n_l1_ratios), without the last axis if no shares were given; for two classes one key.
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_rows, n_features + 1)
        Coefficients and constant of each fit; without ``fit_intercept`` no constant. Legacy: a dict
        by class, of shape (n_folds, n_cs, n_l1_ratios, n_features + 1).
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Iterations of each fit. Legacy: of shape (1, n_folds, n_cs, n_l1_ratios).
    certificate_ : Certificate
        How near the last fit is to its optimum; only with `refit`.
    n_features_in_, feature_names_in_, encoding_
        As for `LogisticRegression`.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.linear_model import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(
    ...     l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
    ... ).fit(X, y)
    >>> model.scores_.shape
    (5, 1, 10)
    >>> round(model.C_, 1), round(model.score(X, y), 3)
    (166.8, -0.041)
    """

    Cs: Any = param(10, Integer(1) | Arrays())
    l1_ratios: Any = param("warn", Arrays() | Nothing() | OneOf("warn"))
    fit_intercept: bool = param(True, Boolean())
    cv: Any = param(None, Anything())
    dual: bool = param(False, Boolean())
    penalty: str = param("deprecated", OneOf("l1", "l2", "elasticnet", "deprecated"))
    scoring: Any = param("warn", Strings() | Callables() | Nothing())
    solver: str = param("lbfgs", OneOf(*SOLVERS))
    tol: float = param(1e-4, Real(0.0))
    max_iter: int = param(100, Integer(0))
    class_weight: Any = param(None, Anything())
    n_jobs: int | None = param(None, Integer() | Nothing())
    verbose: int = param(0, Integer(0) | Boolean())
    refit: bool = param(True, Boolean())
    intercept_scaling: float = param(1.0, Real(0.0, closed="neither"))
    random_state: Any = param(None, RandomState())
    use_legacy_attributes: Any = param("warn", Boolean() | OneOf("warn"))

    __metadata_request__score: ClassVar[dict[str, Any]] = {"sample_weight": UNUSED}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> "Self":
        """Choose the penalty by cross-validation, then fit all rows with it.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : float or array of shape (n_samples,), optional
            Weights of the rows, in fits and scores: a row of weight k counts as k copies that are
            held out together. Copies that are rows of their own fall into several folds, so that
            the scores differ, unless `cv` gives folds that keep them together.
        **params : arguments of the scorer and the splitter
            Passed on if metadata routing is on.

        Returns
        -------
        self
        """
        raise_for_params(params, self, "fit")
        grid = grid_of(self)
        self._warn_defaults()
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        data = check_fit(self, X, y, sample_weight, dtype=np.float64)
        assert data.y is not None
        classes, codes = encode_classes(data.y, self)
        if self.solver == "liblinear":
            check_liblinear(data.X, len(classes))
        if data.sample_weight is not None:
            params = {**params, "sample_weight": data.sample_weight}
        splitting, scoring = self._routed(params)
        folds = self._folds(X, data.y, splitting)
        weight = row_weights(self.class_weight, classes, codes, data.sample_weight)
        search = LogisticSearch(
            self, data.X, codes, weight, len(classes), grid.Cs, grid.ratios, folds
        )
        paths = search.paths()
        scores = held_out_scores(search, paths, (data.y, classes), self._get_scorer(), scoring)
        self.classes_ = classes
        self._keep(search, paths, scores, grid)
        self._warn_unless_converged(data.X, paths)
        return self

    def _warn_defaults(self) -> None:
        """Warn of defaults that scikit-learn will change."""
        if isinstance(self.scoring, str) and self.scoring == "warn":
            warnings.warn(
                "The default value of the parameter 'scoring' will change from None, i.e. "
                "accuracy, to 'neg_log_loss' in version 1.11 of scikit-learn. To silence this "
                "warning, set scoring='neg_log_loss' for the new, scoring='accuracy' or "
                "scoring=None for the old default.",
                FutureWarning,
                stacklevel=4,
            )
        if self.use_legacy_attributes == "warn":
            warnings.warn(
                "The fitted attributes of LogisticRegressionCV will be simplified in scikit-learn "
                "1.10: set use_legacy_attributes=False to have the new ones now, or True to "
                "silence this warning. The default value of use_legacy_attributes will change "
                "from True to False.",
                FutureWarning,
                stacklevel=4,
            )

    def _routed(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of the splitter, and of the scorer."""
        routed = route(self, "fit", params, Routed(scorer=RoutedMethods(score=params)))
        scoring = routed["scorer"]["score"]
        if self.scoring is None and "sample_weight" in params:
            scoring = {**scoring, "sample_weight": params["sample_weight"]}
        return routed["splitter"]["split"], scoring

    def _folds(self, X: Any, y: Any, params: dict[str, Any]) -> list[tuple[Any, Any]]:
        from gramian.model_selection import check_cv

        return list(check_cv(self.cv, y, classifier=True).split(X, y, **params))

    def _keep(self, search: LogisticSearch, paths: Paths, scores: Floats, grid: Grid) -> None:
        """Choose the penalties, fit all rows or average, and set the attributes."""
        vars(self).pop("certificate_", None)
        if self.refit:
            # Ties go to the first C, then to the first ratio.
            k, r = np.unravel_index(scores.sum(axis=0).T.argmax(), scores.shape[:0:-1])
            C, ratio = float(grid.Cs[k]), grid.listed[r]
            params = self._fit_all(search, paths, (int(r), int(k)))
        else:
            best = scores.transpose(0, 2, 1).reshape(len(scores), -1).argmax(axis=1)
            ks, rs = np.unravel_index(best, scores.shape[:0:-1])
            C = float(grid.Cs[ks].mean())
            ratio = 0.0 if grid.given is None else float(np.mean([grid.ratios[r] for r in rs]))
            params = paths.params[np.arange(len(scores)), rs, ks].mean(axis=0)
        self.coef_, self.intercept_ = params[:, :-1].copy(), params[:, -1].copy()
        self.Cs_, self.l1_ratios_ = grid.Cs, np.asarray(grid.listed)
        if self.verbose:
            certificate = getattr(self, "certificate_", "no fit of all rows")
            print(f"LogisticRegressionCV: C={C:.6g}, l1_ratio={ratio}; {certificate}")
        coefs = paths.params if self.fit_intercept else paths.params[..., :-1]
        if self.use_legacy_attributes:
            self._keep_legacy(coefs, scores, paths.n_iter, (C, ratio), grid)
            return
        self.C_: Any = C
        self.l1_ratio_: Any = float(grid.ratios[0] if grid.given is None else ratio)
        self.coefs_paths_: Any = coefs
        self.scores_: Any = scores
        self.n_iter_ = paths.n_iter

    def _keep_legacy(
        self,
        coefs: Floats,
        scores: Floats,
        n_iter: NDArray[np.int32],
        chosen: tuple[float, Any],
        grid: Grid,
    ) -> None:
        """Set the attributes in the forms of scikit-learn up to 1.9."""
        keys = self.classes_[-len(self.coef_) :]
        by_class = np.moveaxis(coefs, (3, 0, 2, 1), (0, 1, 2, 3))
        by_C, n_iter = scores.transpose(0, 2, 1), n_iter.transpose(0, 2, 1)
        if grid.given is None:
            by_class, by_C, n_iter = by_class[:, :, :, 0], by_C[:, :, 0], n_iter[:, :, 0]
        self.coefs_paths_ = dict(zip(keys, np.ascontiguousarray(by_class), strict=True))
        self.scores_ = {key: by_C.copy() for key in keys}
        self.n_iter_ = n_iter[None]
        self.C_, self.l1_ratio_ = (np.asarray([value] * len(keys)) for value in chosen)

    def _fit_all(self, search: LogisticSearch, paths: Paths, chosen: tuple[int, int]) -> Floats:
        """Fit all rows from the mean of the folds; return the parameters."""
        r, k = chosen
        start = paths.params[:, r, k].mean(axis=0)
        problem, result = search.refit(float(search.Cs[k]), search.ratios[r], start)
        self.certificate_ = certify(problem, result, self.solver, problem.total_weight)
        if problem.l1 == 0 and problem.l2 == 0:
            from gramian.linear_model._separation import warn_if_diverged

            self.coef_, self.intercept_ = result.params[:, :-1], result.params[:, -1]
            warn_if_diverged(self, search.X, search.codes, search.weight)
        return result.params

    def _warn_unless_converged(self, X: Any, paths: Paths) -> None:
        """Warn once of all fits that did not converge, that of all rows among them."""
        missed, count = ~paths.converged, paths.converged.size
        sizes = paths.gradient[missed].tolist()
        certificate: Certificate | None = vars(self).get("certificate_")
        if certificate is not None:
            count += 1
            sizes += [] if certificate.converged else [certificate.optimality]
        stopped = certificate is not None and "stopped" in certificate.details
        if not sizes or paths.out_of_time or stopped:
            return
        names = getattr(vars(self)["encoding_"], "get_feature_names_out", None)
        warn_of_fits(
            f"{self.solver} failed to converge",
            (len(sizes), count),
            f"the largest entry of a gradient is {max(sizes):.1e}, where tol={self.tol:g}",
            self.max_iter,
            scale_advice(X, None if names is None else names()),
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None, **score_params: Any) -> float:
        """Return the score on some rows by the metric of `scoring`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        **score_params : arguments of the scorer
            Passed on if metadata routing is on.
        """
        raise_for_params(score_params, self, "score")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        params = {**score_params, **weights}
        routed = route(self, "score", params, Routed(scorer=RoutedMethods(score=weights)))
        return float(self._get_scorer()(self, X, y, **routed["scorer"]["score"]))

    def _get_scorer(self) -> Any:
        is_own = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return get_scorer("accuracy" if is_own else self.scoring)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the splitter and the scorer."""
        return (
            MetadataRouter(self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
            .add(
                scorer=self._get_scorer(),
                method_mapping=MethodMapping(score="score", fit="score"),
            )
        )
