"""Regression by a multilayer perceptron."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._network.rows import TrainingData
from gramian._network.units import TargetUnits
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.exceptions import DataConversionWarning, shared
from gramian.neural_network._base import MLPBase
from gramian.neural_network._net_fit import Callbacks
from gramian.neural_network._parameters import POSITIVE
from gramian.params import OneOf, Real, param

LOSSES = ("squared_error", "poisson", "gamma", "huber", "quantile")
DEVIANCES = ("poisson", "gamma")


class MLPRegressor(RegressorMixin, MLPBase):
    """Regression by a multilayer perceptron.

    Layers of neurons, each an activation of a weighted sum of the layer before; the outputs are the
    predictions. Minimises the mean loss plus ``alpha / (2 n) |weights|^2`` by back-propagation.

    For the same integer `random_state` the first weights, the validation rows and the order of the
    rows are those of scikit-learn's class, so that the fits agree to rounding.

    Parameters
    ----------
    loss : str, default="squared_error"
        "squared_error" is half of it; "huber" is that up to an error of `delta`, then linear;
        "quantile" is the pinball loss, for the level `quantile`; "poisson" and "gamma" are half the
        deviances, for targets >= 0 and > 0, and the outputs are then exponentials.
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Neurons of each hidden layer.
    activation : str, default="relu"
        Of the hidden neurons: "identity", "logistic", "tanh", "relu", "leaky_relu", "softplus",
        "gelu" (by its formula with tanh), "silu", "selu" or "mish".
    solver : {"adam", "sgd", "lbfgs", "adamw"}, default="adam"
        Steps on batches of rows: Adam's, or plain ones with momentum; or quasi-Newton steps on all
        rows, for a few thousand of them. "adamw" is Adam with `weight_decay`.
    alpha : float, default=0.0001
        Strength of the L2 penalty on the weights, which is divided by the rows of a batch.
    batch_size : int or "auto", default="auto"
        Rows of a step; "auto" is 200, or all if there are fewer. With ``preset="table"`` it is a
        twelfth of the rows, but at least 32 and at most 256.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        For "sgd": `learning_rate_init`; or that over ``t ** power_t`` after t rows; or a fifth of
        it each time the loss no longer falls.
    learning_rate_init : float, default=0.001
        The first rate of "sgd", "adam" and "adamw"; the highest of a `schedule`.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Most epochs, or iterations of "lbfgs".
    shuffle : bool, default=True
        Whether each epoch takes the rows in another order.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the first weights, the validation rows and the order of the rows.
    tol : float, default=1e-4
        An epoch that lowers the loss (raises the validation score) by less counts as one without
        gain; for "lbfgs" the largest entry of the gradient at the end.
    verbose : bool or int, default=False
        Whether to print the loss of each epoch; from 2 on with the time that it took and may take.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last weights.
    momentum : float, default=0.9
        Of "sgd", in [0, 1].
    nesterovs_momentum : bool, default=True
        Whether "sgd" looks ahead.
    early_stopping : bool, default=False
        Whether to set rows apart, to end when R² on them stops rising, and to return the weights
        that had the best.
    validation_fraction : float, default=0.1
        Fraction of the rows set apart.
    beta_1, beta_2 : float, default=0.9 and 0.999
        Decay of Adam's means of the gradient and of its square, in [0, 1).
    epsilon : float, default=1e-8
        Added to the square root in Adam's steps.
    n_iter_no_change : int or inf, default=10
        A fit ends after more epochs without gain than this.
    max_fun : int, default=15000
        Most evaluations of the loss by "lbfgs".
    weight_decay : float, default=0.01
        Of "adamw": share of the weights, times the learning rate, that each step takes away.
        It is not scaled as the gradient is, unlike the penalty `alpha`.
    schedule : {"cosine", "one_cycle", "cosine_cycles"} or None, default=None
        A plan of the learning rate for all `max_iter` epochs: after the warm-up it falls to 0 along
        half a cosine; "one_cycle" begins at a twenty-fifth of `learning_rate_init` and rises along
        half a cosine, too; "cosine_cycles" rises and falls along whole cosines, four of them, each
        twice as long as the one before. The fit then ends before them only with `early_stopping`.
    warm_up : float or None, default=None
        Share of the epochs in which the rate rises: evenly from 0, or as "one_cycle" does. None is
        0.3 for "one_cycle", else 0.
    max_grad_norm : float or None, default=None
        Longest gradient of a batch's mean loss; a longer one is shortened to it.
    dropout : float, default=0.0
        Share of the hidden neurons, drawn anew for each row in each step, that are left out of it;
        in [0, 1). Predictions use all.
    restore_best : bool, default=False
        Whether to return the weights of the epoch with the best validation score or, without
        validation rows, with the least loss. `early_stopping` does so anyhow.
    n_nets : int or None, default=None
        Nets of this shape, each from first weights of its own, whose outputs are averaged: more
        exact than one, and their spread tells how sure they are. They are fitted side by side on
        the threads there are, and are then the `nets_`. None is 1, or what `preset` has.
    encoding : {"columns", "embedding", "table"}, default="columns"
        What becomes of a data frame: columns of numbers, as `encoding_` tells; or a first layer
        that learns some numbers for each level of a column of text or categories, more of them the
        more levels there are. Numbers are then centred and scaled, gaps marked, and levels of a
        single row count as unseen ones. Arrays have no levels. "table" is for arrays, too: numbers
        are centred at the median, scaled by the quartiles and bent towards 3 and -3, each has three
        periodic functions of learned frequencies beside it, columns of up to 9 levels are
        indicators, and each of all these has a learned scale. Computed in single precision.
    parametric : bool, default=False
        Whether each hidden neuron learns the share of `activation` that it takes, the rest being
        the identity.
    fade : bool, default=False
        Whether `dropout` and `weight_decay` fall to 0 in the second half of the epochs.
    preset : {"table"} or None, default=None
        "table" is a net for tables of any columns: parameters that are at their defaults are those
        of such a net, which the guide lists. Rows set apart choose the best epoch, by R².
    out_activation : {"identity", "logistic", "tanh", "softplus"}, default="identity"
        Of the outputs, for the losses that are no deviances: bounds the predictions.
    delta : float, default=1.0
        Error from which on the Huber loss is linear, > 0.
    quantile : float, default=0.5
        Level of the quantile loss, between 0 and 1.

    Attributes
    ----------
    coefs_ : list of ndarrays of shape (n_in, n_out)
        Weights of each layer; ``predict`` reads them, so that they may be changed in place.
    intercepts_ : list of ndarrays of shape (n_out,)
        Biases of each layer.
    nets_ : list of nets
        With ``n_nets > 1``: the nets, each fitted by a `random_state` of its own. What belongs to
        one net, such as `coefs_` and `loss_curve_`, is there; `loss_` is their mean, `n_iter_` and
        `t_` are those of the longest fit.
    shares_ : list of ndarrays of shape (n_out,)
        With `parametric`: the share of the activation that each hidden neuron takes.
    embedding_ : LevelEmbedding
        With ``encoding="embedding"`` or "table": how columns become inputs of the first layer.
    embeddings_ : dict of dicts
        With ``encoding="embedding"`` or "table" and a data frame: for each column of levels the
        numbers of each level, None for gaps. They are the learned part of ``coefs_[0]``.
    certificate_ : Certificate
        Loss and gradient at the weights, and why the fit ended; only after ``fit``.
    loss_ : float
        Loss of the last epoch, penalty included.
    loss_curve_ : list of float
        Loss of each epoch, taken while its steps were made; not for "lbfgs".
    best_loss_ : float or None
        The least of them; None with `early_stopping`.
    validation_scores_ : list of float or None
        R² on the validation rows after each epoch, with `early_stopping` or a `validation_set`.
    best_validation_score_ : float or None
        The best of them.
    n_iter_ : int
        Epochs, or iterations of "lbfgs".
    t_ : int
        Rows seen by all steps.
    n_layers_ : int
        Number of layers, inputs and outputs included.
    n_outputs_ : int
        Number of outputs.
    out_activation_ : str
        `out_activation`, or "exp" for the losses "poisson" and "gamma".
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    A weight is the factor of a row's loss in its batch, whose sum is divided by the weights. Rows
    of weight zero are left out. The losses of several targets but "poisson" are their mean in
    ``loss_``, while the steps descend on their sum, as scikit-learn's do.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.neural_network import MLPRegressor
    >>> X = np.linspace(-3, 3, 200).reshape(-1, 1)
    >>> model = MLPRegressor(hidden_layer_sizes=20, solver="lbfgs", random_state=0, max_iter=1000)
    >>> bool(model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999)
    True
    """

    loss: str = param("squared_error", OneOf(*LOSSES), positional=True)
    out_activation: str = param("identity", OneOf("identity", "logistic", "tanh", "softplus"))
    delta: float = param(1.0, POSITIVE)
    quantile: float = param(0.5, Real(0.0, 1.0, closed="neither"))

    # scikit-learn has the loss first.
    _signature = (
        "loss, hidden_layer_sizes, activation, *, solver, alpha, batch_size, learning_rate, "
        "learning_rate_init, power_t, max_iter, shuffle, random_state, tol, verbose, warm_start, "
        "momentum, nesterovs_momentum, early_stopping, validation_fraction, beta_1, beta_2, "
        "epsilon, n_iter_no_change, max_fun, weight_decay, schedule, warm_up, max_grad_norm, "
        "dropout, restore_best, n_nets, encoding, parametric, fade, preset"
    )
    _estimator_type: ClassVar[str | None] = "regressor"
    _y_numeric: ClassVar[bool] = True

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        validation_set: Any = None,
        callbacks: Callbacks | None = None,
    ) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : float or array of shape (n_samples,), optional
            Weights of the rows.
        validation_set : tuple (X, y) or (X, y, sample_weight), optional
            Rows to score after each epoch. `early_stopping` looks at them instead of rows that it
            sets apart, and `restore_best` at their score instead of the loss.
        callbacks : iterable of callables, optional
            Called with the model after each epoch; the fit ends when one returns True. The model
            has the weights of the epoch, and may predict.

        Returns
        -------
        self
        """
        return self._fit(
            X, y, sample_weight, validation_set=validation_set, callbacks=callbacks or ()
        )

    @available_if(lambda self: self.solver != "lbfgs" and self.preset is None)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Run one epoch over further rows, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : float or array of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, is_partial=True)

    def _encode_target(self, y: NDArray[Any], *, is_partial: bool) -> NDArray[Any]:
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the "
                "shape of y to (n_samples, ), for example using ravel().",
                shared(DataConversionWarning),
                stacklevel=5,
            )
        self._check_deviance(y)
        target = y.reshape(len(y), -1)
        self.n_outputs_ = target.shape[1]
        units = self._target_units()
        return target if units is None else (target - units.centre) / units.scale

    def _target_units(self) -> TargetUnits | None:
        """Return the units in which a net for tables sees the targets."""
        found: TargetUnits | None = vars(self).get("_units")
        return found

    def _scale_target(self, y: NDArray[Any], weight: Floats | None) -> None:
        vars(self).pop("_units", None)
        if self._settings().encoding != "table" or self.out_activation != "identity":
            return
        self._units = TargetUnits.of(y.reshape(len(y), -1), weight, self.loss in DEVIANCES)

    def _check_deviance(self, y: NDArray[Any]) -> None:
        """Raise ValueError for targets that a deviance does not allow."""
        if self.loss not in DEVIANCES:
            return
        if self.loss == "poisson" and (y < 0).any():
            raise ValueError(f"loss='poisson' needs y >= 0, but its least value is {y.min()}.")
        if self.loss == "gamma" and (y <= 0).any():
            raise ValueError(f"loss='gamma' needs y > 0, but its least value is {y.min()}.")
        if self.out_activation != "identity":
            raise ValueError(
                f"out_activation={self.out_activation!r} is for the other losses; the outputs of "
                f"loss={self.loss!r} are exponentials."
            )

    def _output_activation(self) -> str:
        return "exp" if self.loss in DEVIANCES else self.out_activation

    def _loss_parameter(self) -> float:
        units = self._target_units()
        delta = self.delta if units is None else self.delta / float(units.scale.mean())
        return float({"huber": delta, "quantile": self.quantile}.get(self.loss, 0.0))

    def _score_outputs(self, data: TrainingData, outputs: NDArray[Any]) -> float:
        from gramian.metrics import r2_score

        if not np.isfinite(outputs).all():
            return float("nan")
        return float(r2_score(data.targets, outputs, sample_weight=data.weight))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the prediction for each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the standard deviation over the nets, too; needs ``n_nets > 1``. It
            tells how far the nets disagree, not how far targets are from them.

        Returns
        -------
        predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            Only with `return_std`.
        """
        if return_std:
            mean, std = self._outputs_and_std(X)
            if (units := self._target_units()) is not None:
                mean, std = units.targets(mean), std * units.scale
            return (mean[:, 0], std[:, 0]) if mean.shape[1] == 1 else (mean, std)
        outputs = self._outputs(X)
        if (units := self._target_units()) is not None:
            outputs = units.targets(outputs)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs
