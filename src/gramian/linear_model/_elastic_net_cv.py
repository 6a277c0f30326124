"""Lasso and elastic net whose penalties are chosen by cross-validation."""

from typing import Any

from gramian.linear_model._elastic_net import ElasticNet, Lasso
from gramian.linear_model._multi_task import MultiTaskElasticNet, MultiTaskLasso
from gramian.linear_model._path import enet_path, lasso_path
from gramian.linear_model._path_search import PathRegressorCV
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)


class LassoCV(PathRegressorCV):
    """Lasso whose penalty is chosen by cross-validation.

    See `Lasso` for the objective. The paths of all folds are warm-started and share their Gram
    matrices.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a share of the largest.
    alphas : int or array, default=100
        Penalties to try, or the length of an automatic grid.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    precompute : "auto", bool or array, default="auto"
        Whether to work on the Gram matrices of the folds, which share their sums. An array counts
        as True: no matrix of all rows can serve the folds.
    max_iter : int, default=1000
        Most rounds over the columns, for each penalty.
    tol : float, default=1e-4
        Paths end when the duality gap is at most ``tol`` times the variance of the target, the last
        fit also when it is at most ``tol / 100`` times its objective.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    cv : int, splitter, iterable of (train, test) or None, default=None
        Folds; None means five. A row is in one of them, whatever its weight.
    verbose : bool or int, default=False
        Whether to report the chosen penalty.
    n_jobs : int, optional
        Threads for the folds; None follows the settings, -1 uses all.
    positive : bool, default=False
        Whether to allow only coefficients >= 0.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared errors on the held-out folds.
    alphas_ : ndarray of shape (n_alphas,)
        The penalties, from large to small.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
        Rounds over the columns of the last fit.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    certificate_ : Certificate
        Objective of the last fit, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> noise = rng.standard_normal(60)
    >>> y = 3.0 * X[:, 0] + 0.1 * noise
    >>> model = LassoCV(cv=3).fit(X, y)
    >>> model.mse_path_.shape
    (100, 3)
    """

    eps: float = param(1e-3, Real(0.0, closed="neither"))
    alphas: Any = param(100, Integer(1) | Arrays())
    fit_intercept: bool = param(True, Boolean())
    precompute: Any = param("auto", OneOf("auto") | Boolean() | Arrays())
    max_iter: int | None = param(1000, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    copy_X: bool = param(True, Boolean())
    cv: Any = param(None, Anything())
    verbose: Any = param(False, Integer(0) | Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    positive: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())
    selection: str = param("cyclic", OneOf("cyclic", "random"))

    path = staticmethod(lasso_path)
    _model = Lasso


class ElasticNetCV(PathRegressorCV):
    """Elastic net whose penalties are chosen by cross-validation.

    See `ElasticNet` for the objective. The paths of all folds are warm-started and share their Gram
    matrices.

    Parameters
    ----------
    l1_ratio : float or sequence of float, default=0.5
        Share of the L1 penalty, from 0 to 1; of several the best is chosen.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a share of the largest.
    alphas : int or array, default=100
        Penalties to try, or the length of an automatic grid.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    precompute : "auto", bool or array, default="auto"
        Whether to work on the Gram matrices of the folds, which share their sums. An array counts
        as True: no matrix of all rows can serve the folds.
    max_iter : int, default=1000
        Most rounds over the columns, for each penalty.
    tol : float, default=1e-4
        Paths end when the duality gap is at most ``tol`` times the variance of the target, the last
        fit also when it is at most ``tol / 100`` times its objective.
    cv : int, splitter, iterable of (train, test) or None, default=None
        Folds; None means five. A row is in one of them, whatever its weight.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    verbose : bool or int, default=False
        Whether to report the chosen penalty.
    n_jobs : int, optional
        Threads for the folds; None follows the settings, -1 uses all.
    positive : bool, default=False
        Whether to allow only coefficients >= 0.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the L1 penalty.
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        Mean squared errors on the held-out folds.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, from large to small.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
        Rounds over the columns of the last fit.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    certificate_ : Certificate
        Objective of the last fit, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import ElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> noise = rng.standard_normal(60)
    >>> y = 3.0 * X[:, 0] + 0.1 * noise
    >>> model = ElasticNetCV(cv=3).fit(X, y)
    >>> model.mse_path_.shape
    (100, 3)
    """

    l1_ratio: Any = param(0.5, Real(0.0, 1.0, closed="both") | Arrays())
    eps: float = param(1e-3, Real(0.0, closed="neither"))
    alphas: Any = param(100, Integer(1) | Arrays())
    fit_intercept: bool = param(True, Boolean())
    precompute: Any = param("auto", OneOf("auto") | Boolean() | Arrays())
    max_iter: int | None = param(1000, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    cv: Any = param(None, Anything())
    copy_X: bool = param(True, Boolean())
    verbose: Any = param(0, Integer(0) | Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    positive: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())
    selection: str = param("cyclic", OneOf("cyclic", "random"))

    path = staticmethod(enet_path)
    _model = ElasticNet


class MultiTaskLassoCV(PathRegressorCV):
    """Multi-task lasso whose penalty is chosen by cross-validation.

    See `MultiTaskLasso` for the objective.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a share of the largest.
    alphas : int or array, default=100
        Penalties to try, or the length of an automatic grid.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    max_iter : int, default=1000
        Most rounds over the columns, for each penalty.
    tol : float, default=1e-4
        Paths end when the duality gap is at most ``tol`` times the variance of the target, the last
        fit also when it is at most ``tol / 100`` times its objective.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    cv : int, splitter, iterable of (train, test) or None, default=None
        Folds; None means five. A row is in one of them, whatever its weight.
    verbose : bool or int, default=False
        Whether to report the chosen penalty.
    n_jobs : int, optional
        Threads for the folds; None follows the settings, -1 uses all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared errors on the held-out folds.
    alphas_ : ndarray of shape (n_alphas,)
        The penalties, from large to small.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
        Rounds over the columns of the last fit.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    certificate_ : Certificate
        Objective of the last fit, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import MultiTaskLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> noise = rng.standard_normal((60, 2))
    >>> y = np.column_stack([X[:, 0], 2.0 * X[:, 0]]) + 0.1 * noise
    >>> model = MultiTaskLassoCV(cv=3).fit(X, y)
    >>> model.mse_path_.shape
    (100, 3)
    """

    eps: float = param(1e-3, Real(0.0, closed="neither"))
    alphas: Any = param(100, Integer(1) | Arrays())
    fit_intercept: bool = param(True, Boolean())
    max_iter: int | None = param(1000, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    copy_X: bool = param(True, Boolean())
    cv: Any = param(None, Anything())
    verbose: Any = param(False, Integer(0) | Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    selection: str = param("cyclic", OneOf("cyclic", "random"))

    path = staticmethod(lasso_path)
    _model = MultiTaskLasso


class MultiTaskElasticNetCV(PathRegressorCV):
    """Multi-task elastic net whose penalties are chosen by cross-validation.

    See `MultiTaskElasticNet` for the objective.

    Parameters
    ----------
    l1_ratio : float or sequence of float, default=0.5
        Share of the L1 penalty, from 0 to 1; of several the best is chosen.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a share of the largest.
    alphas : int or array, default=100
        Penalties to try, or the length of an automatic grid.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    max_iter : int, default=1000
        Most rounds over the columns, for each penalty.
    tol : float, default=1e-4
        Paths end when the duality gap is at most ``tol`` times the variance of the target, the last
        fit also when it is at most ``tol / 100`` times its objective.
    cv : int, splitter, iterable of (train, test) or None, default=None
        Folds; None means five. A row is in one of them, whatever its weight.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    verbose : bool or int, default=False
        Whether to report the chosen penalty.
    n_jobs : int, optional
        Threads for the folds; None follows the settings, -1 uses all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share of the L1 penalty.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        Mean squared errors on the held-out folds.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, from large to small.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
        Rounds over the columns of the last fit.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    certificate_ : Certificate
        Objective of the last fit, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import MultiTaskElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> noise = rng.standard_normal((60, 2))
    >>> y = np.column_stack([X[:, 0], 2.0 * X[:, 0]]) + 0.1 * noise
    >>> model = MultiTaskElasticNetCV(cv=3).fit(X, y)
    >>> model.mse_path_.shape
    (100, 3)
    """

    l1_ratio: Any = param(0.5, Real(0.0, 1.0, closed="both") | Arrays())
    eps: float = param(1e-3, Real(0.0, closed="neither"))
    alphas: Any = param(100, Integer(1) | Arrays())
    fit_intercept: bool = param(True, Boolean())
    max_iter: int | None = param(1000, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    cv: Any = param(None, Anything())
    copy_X: bool = param(True, Boolean())
    verbose: Any = param(0, Integer(0) | Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    selection: str = param("cyclic", OneOf("cyclic", "random"))

    path = staticmethod(enet_path)
    _model = MultiTaskElasticNet
