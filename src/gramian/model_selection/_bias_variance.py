"""Where a model's error comes from: being wrong on average, or depending on the training rows."""

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable, rows_of_params, split_rows
from gramian.base import clone, is_classifier
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._parallel import run_all
from gramian.validation import check_consistent_length, check_random_state, n_samples_of

LOSSES = ("0-1_loss", "mse")

Decomposition = tuple[float, float, float]


class BiasVarianceCurve(NamedTuple):
    """Result of `bias_variance_curve`; unpacks like a tuple.

    Attributes
    ----------
    param_range : list
        The values of the parameter.
    error : ndarray of shape (n_values,)
        Mean loss on the test rows over all resamples.
    bias : ndarray of shape (n_values,)
        Loss of the main prediction; the squared bias for squared loss.
    variance : ndarray of shape (n_values,)
        Mean loss between the predictions and the main prediction.
    """

    param_range: list[Any]
    error: NDArray[np.float64]
    bias: NDArray[np.float64]
    variance: NDArray[np.float64]


def bias_variance_decomp(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    loss: str = "0-1_loss",
    num_rounds: int = 200,
    random_seed: Any = None,
    **fit_params: Any,
) -> Decomposition:
    """Decompose the expected loss into bias and variance, by resampling the training rows.

    The model is fitted on bootstrap samples of the training rows. The main prediction of a test row
    is the mean of its predictions, or for 0-1 loss the most frequent of them (the smallest of
    several). The bias is the loss of the main predictions, and the variance the mean loss between
    the predictions and the main ones. For squared loss the expected loss is their sum; the noise of
    `y_test` is then part of the bias. For 0-1 loss it is not (Domingos, 2000).

    Name, arguments, defaults and results are those of mlxtend, with three differences: the
    estimator given stays as it is, classes may be any labels, and arguments of ``fit`` with one
    value for each row are resampled with the rows.

    Parameters
    ----------
    estimator : estimator
        With ``fit`` and ``predict``.
    X_train : table, array or sparse matrix of shape (n_train, n_features)
        What is resampled.
    y_train : array-like of shape (n_train,)
        Its target.
    X_test : table, array or sparse matrix of shape (n_test, n_features)
        Where loss, bias and variance are measured.
    y_test : array-like of shape (n_test,)
        Its target.
    loss : {"0-1_loss", "mse"}, default="0-1_loss"
        The loss: for classes, or squared for numbers.
    num_rounds : int, default=200
        The number of resamples, each as large as the training set.
    random_seed : int, RandomState, Generator or None, default=None
        The source of the resamples.
    **fit_params
        Arguments of ``fit``.

    Returns
    -------
    avg_expected_loss, avg_bias, avg_var : float
        Means over the test rows; of the squared bias for squared loss.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import bias_variance_decomp
    >>> X, y = load_diabetes(return_X_y=True)
    >>> for alpha in (1e-3, 1.0):
    ...     error, bias, variance = bias_variance_decomp(
    ...         Ridge(alpha), X[:300], y[:300], X[300:], y[300:], loss="mse", random_seed=0
    ...     )
    ...     print(f"{error:.0f} = {bias:.0f} + {variance:.0f}")
    2944 = 2813 + 131
    3230 = 3198 + 32
    """
    check_arguments("bias_variance_decomp", estimator=estimator, num_rounds=num_rounds)
    train, test = _checked(X_train, y_train, X_test, y_test, loss)
    source = check_random_state(random_seed)
    predictions = _resampled(estimator, train, test[0], num_rounds, source, fit_params)
    return decompose(predictions, test[1], loss)


def bias_variance_curve(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    param_name: str,
    param_range: Any,
    loss: str | None = None,
    num_rounds: int = 200,
    random_seed: Any = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
) -> BiasVarianceCurve:
    """Return error, bias and variance for values of one parameter, such as the complexity.

    All values see the same resamples, so that the curves are smooth in the parameter; each point is
    what `bias_variance_decomp` gives for the same seed.

    Parameters
    ----------
    estimator, X_train, y_train, X_test, y_test, num_rounds, random_seed
        As for `bias_variance_decomp`.
    param_name : str
        The parameter.
    param_range : array-like of shape (n_values,)
        Its values.
    loss : {"0-1_loss", "mse"} or None, default=None
        None is "0-1_loss" for classifiers and "mse" for all others.
    n_jobs : int or None, default=None
        How many values are worked on at a time, through joblib.
    params : dict, optional
        Arguments of ``fit``.

    Returns
    -------
    BiasVarianceCurve
        ``param_range``, ``error``, ``bias`` and ``variance``.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import bias_variance_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> curve = bias_variance_curve(
    ...     Ridge(), X[:300], y[:300], X[300:], y[300:],
    ...     param_name="alpha", param_range=[0.01, 1.0, 100.0], num_rounds=50, random_seed=1,
    ... )
    >>> curve.variance.round()
    array([114.,  28.,  13.])
    """
    check_arguments(
        "bias_variance_curve",
        estimator=estimator,
        param_name=param_name,
        num_rounds=num_rounds,
        n_jobs=n_jobs,
        params=params,
    )
    loss = default_loss(estimator) if loss is None else loss
    train, test = _checked(X_train, y_train, X_test, y_test, loss)
    seed = random_seed
    if not isinstance(seed, numbers.Integral):
        seed = check_random_state(seed).choice(2**31)
    values = list(param_range)
    if not values:
        raise ValueError("param_range must have at least one value.")
    parts = run_all(
        _decompose_at,
        (
            ({param_name: value}, estimator, train, test, loss, num_rounds, int(seed), params or {})
            for value in values
        ),
        n_jobs=n_jobs,
    )
    return BiasVarianceCurve(values, *np.array(parts, dtype=np.float64).T)


def default_loss(estimator: Any) -> str:
    """Return the loss for an estimator: that of classes for a classifier."""
    return "0-1_loss" if is_classifier(estimator) else "mse"


def _decompose_at(
    parameters: dict[str, Any],
    estimator: Any,
    train: tuple[Any, Any],
    test: tuple[Any, NDArray[Any]],
    loss: str,
    num_rounds: int,
    seed: int,
    fit_params: dict[str, Any],
) -> Decomposition:
    model = clone(estimator).set_params(**clone(parameters, safe=False))
    source = check_random_state(seed)
    predictions = _resampled(model, train, test[0], num_rounds, source, fit_params)
    return decompose(predictions, test[1], loss)


def _checked(
    X_train: Any, y_train: Any, X_test: Any, y_test: Any, loss: Any
) -> tuple[tuple[Any, Any], tuple[Any, NDArray[Any]]]:
    """Return the training data, whose rows can be taken, and the test data, its target an array."""
    if loss not in LOSSES:
        names = " or ".join(repr(name) for name in LOSSES)
        raise NotImplementedError(f"loss must be {names}, not {loss!r}.")
    X_train, y_train = indexable(X_train), indexable(y_train, "y_train")
    check_consistent_length(X_train, y_train)
    check_consistent_length(X_test, y_test)
    target = np.asarray(y_test)
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1 or len(target) == 0:
        raise ValueError(
            f"y_test must have one value for each test row, not the shape {target.shape}."
        )
    return (X_train, y_train), (X_test, target)


def _resampled(
    estimator: Any,
    train: tuple[Any, Any],
    X_test: Any,
    num_rounds: int,
    source: Any,
    fit_params: dict[str, Any],
) -> NDArray[Any]:
    """Return the predictions of models fitted on resamples, of shape (num_rounds, n_test)."""
    model = clone(estimator, safe=False)
    n_train = n_samples_of(train[0])
    predictions = []
    for _ in range(num_rounds):
        rows = source.choice(n_train, size=n_train, replace=True)
        X, y = split_rows(model, *train, rows)
        model.fit(X, y, **rows_of_params(train[0], fit_params, rows))
        predictions.append(np.asarray(model.predict(X_test)))
    stacked = np.stack(predictions)
    return stacked[:, :, 0] if stacked.ndim == 3 and stacked.shape[2] == 1 else stacked


def decompose(predictions: NDArray[Any], target: NDArray[Any], loss: str) -> Decomposition:
    """Return expected loss, bias and variance of predictions of shape (n_rounds, n_test)."""
    if predictions.shape[1:] != target.shape:
        raise ValueError(
            f"the model predicts the shape {predictions.shape[1:]} where y_test has {target.shape}."
        )
    if loss == "mse":
        predictions, target = predictions.astype(np.float64), target.astype(np.float64)
        main = predictions.mean(axis=0)
        error = np.square(predictions - target).mean()
        return (
            float(error),
            float(np.square(main - target).mean()),
            float(np.square(predictions - main).mean()),
        )
    main = _most_frequent(predictions)
    error, variance = (predictions != target).mean(), (predictions != main).mean()
    return float(error), float((main != target).mean()), float(variance)


def _most_frequent(predictions: NDArray[Any]) -> NDArray[Any]:
    """Return the most frequent class of each column, the smallest of several."""
    if predictions.dtype.kind == "f" and np.any(predictions != np.floor(predictions)):
        raise ValueError(
            'loss="0-1_loss" is for classes, and the predictions are fractions; use loss="mse".'
        )
    classes, codes = np.unique(predictions, return_inverse=True)
    n_test = predictions.shape[1]
    cells = codes.reshape(predictions.shape) + len(classes) * np.arange(n_test)
    counts = np.bincount(cells.ravel(), minlength=len(classes) * n_test)
    main: NDArray[Any] = classes[counts.reshape(n_test, -1).argmax(axis=1)]
    return main
