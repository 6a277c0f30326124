"""Classification by a multilayer perceptron."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import row_weights
from gramian._composition import available_if
from gramian._labels import encode_labels, type_of_target
from gramian._network.classes import codes_of_known, mean_log_loss, require_indicators
from gramian._network.rows import TrainingData
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import ClassifierMixin
from gramian.neural_network._base import MLPBase
from gramian.neural_network._net_fit import Callbacks
from gramian.neural_network._parameters import BELOW_ONE
from gramian.params import Mappings, Nothing, OneOf, param
from gramian.validation import column_or_1d


class MLPClassifier(ClassifierMixin, MLPBase):
    """Classification by a multilayer perceptron.

    Layers of neurons, each an activation of a weighted sum of the layer before; the outputs are
    probabilities. Minimises the mean log loss plus ``alpha / (2 n) |weights|^2`` by
    back-propagation.

    For the same integer `random_state` the first weights, the validation rows and the order of the
    rows are those of scikit-learn's class, so that the fits agree to rounding.

    Parameters
    ----------
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
        Whether to set rows apart, to end when the accuracy on them stops rising, and to return the
        weights that had the best. Two classes keep their shares in both parts.
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
        of such a net, which the guide lists. Rows set apart choose the best epoch, by log loss.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its rows, also in scores of rows that are
        set apart; "balanced" gives all classes the same total.
    label_smoothing : float, default=0.0
        Share of a row's weight that is spread evenly over all classes, in [0, 1): keeps a net from
        being too sure.

    Attributes
    ----------
    coefs_ : list of ndarrays of shape (n_in, n_out)
        Weights of each layer; ``predict`` reads them, so that they may be changed in place.
    intercepts_ : list of ndarrays of shape (n_out,)
        Biases of each layer.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; for several labels at once the numbers of the columns.
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
        Accuracy on the validation rows after each epoch, with `early_stopping` or a
        `validation_set`; with a `preset` minus the log loss.
    best_validation_score_ : float or None
        The best of them.
    n_iter_ : int
        Epochs, or iterations of "lbfgs".
    t_ : int
        Rows seen by all steps.
    n_layers_ : int
        Number of layers, inputs and outputs included.
    n_outputs_ : int
        Number of outputs: 1 for two classes.
    out_activation_ : str
        "softmax" for more than two classes, else "logistic".
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    A weight is the factor of a row's loss in its batch, whose sum is divided by the weights. Rows
    of weight zero are left out. Several labels for each row are a matrix of zeros and ones.

    Examples
    --------
    The exclusive "or" is beyond a single neuron; four hidden ones suffice:

    >>> from gramian.neural_network import MLPClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = MLPClassifier(4, "tanh", solver="lbfgs", random_state=0).fit(X, y)
    >>> model.predict(X)
    array(['no', 'yes', 'yes', 'no'], dtype='<U3')
    """

    class_weight: Any = param(None, Mappings() | OneOf("balanced") | Nothing())

    label_smoothing: float = param(0.0, BELOW_ONE)

    loss = "log_loss"
    _own_tags = tagged(multi_output=False, multi_label=True)
    _estimator_type: ClassVar[str | None] = "classifier"

    classes_: NDArray[Any]
    _is_multilabel: bool

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
        y : array of shape (n_samples,) or (n_samples, n_labels)
            The class of each row; or zeros and ones, for labels of which a row may have several.
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
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """Run one epoch over further rows, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_labels)
            The class of each row; not all classes need be there.
        sample_weight : float or array of shape (n_samples,), optional
            Weights of the rows.
        classes : array of shape (n_classes,), optional
            All classes; needed in the first call.

        Returns
        -------
        self
        """
        from gramian._incremental import known_classes

        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once; for partial_fit it is a dict."
            )
        is_new = not hasattr(self, "classes_")
        known = known_classes(self, classes)
        if is_new:
            self.classes_ = known
            self._is_multilabel = type_of_target(y).startswith("multilabel")
        return self._fit(X, y, sample_weight, is_partial=True)

    def _encode_target(self, y: NDArray[Any], *, is_partial: bool) -> NDArray[Any]:
        is_multilabel = y.ndim == 2 and y.shape[1] > 1
        is_known = hasattr(self, "classes_") and (is_partial or self.warm_start)
        if is_known and is_multilabel != self._is_multilabel:
            raise ValueError("`y` must have as many labels for each row as in the first fit.")
        if is_multilabel:
            return self._labels(y, is_known=is_known)
        classes, codes = encode_labels(column_or_1d(y, warn=True))
        if is_known:
            codes = codes_of_known(self.classes_, classes, codes, is_partial=is_partial)
        else:
            self.classes_, self._is_multilabel = classes, False
        self.n_outputs_ = len(self.classes_) if len(self.classes_) > 2 else 1
        if self.n_outputs_ > 1:
            return codes
        is_second: NDArray[Any] = (codes == 1).astype(np.float64).reshape(-1, 1)
        return is_second

    def _labels(self, y: NDArray[Any], *, is_known: bool) -> NDArray[Any]:
        require_indicators(y, len(self.classes_) if is_known else None)
        if not is_known:
            self.classes_, self._is_multilabel = np.arange(y.shape[1]), True
        self.n_outputs_ = y.shape[1]
        has_label: NDArray[Any] = (y != 0).astype(np.float64)
        return has_label

    def _row_weights(self, target: NDArray[Any], weight: Floats | None) -> Floats | None:
        if self.class_weight is None:
            return weight
        if self._is_multilabel:
            raise ValueError("class_weight is for one class of each row, not for several labels.")
        codes = target if target.ndim == 1 else target[:, 0].astype(np.intp)
        return row_weights(self.class_weight, self.classes_, codes, weight)

    def _output_activation(self) -> str:
        is_one_of_many = not self._is_multilabel and self.n_outputs_ > 1
        return "softmax" if is_one_of_many else "logistic"

    def _loss_parameter(self) -> float:
        return float(self._settings().label_smoothing)

    def _stratify(self, data: TrainingData) -> NDArray[Any] | None:
        # as words, in which scikit-learn names a class with too few rows
        return (data.targets[:, 0] > 0).astype(str) if self.n_outputs_ == 1 else None

    def _score_outputs(self, data: TrainingData, outputs: NDArray[Any]) -> float:
        if self.preset is not None:
            return -mean_log_loss(data, outputs)
        if data.values is None:
            is_right = outputs.argmax(axis=1) == data.codes
        else:
            is_right = ((outputs > 0.5) == (data.values > 0.5)).all(axis=1)
        return float(np.average(is_right, weights=data.weight))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, or the labels above one half.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        outputs = self._outputs(X)
        says_yes: NDArray[Any] = (outputs > 0.5).astype(np.int64)
        if self._is_multilabel:
            return says_yes
        codes: Any = says_yes[:, 0].clip(max=len(self.classes_) - 1)
        if outputs.shape[1] > 1:
            codes = outputs.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any, return_std: bool = False) -> Any:
        """Return the probability of each class, or of each label by itself.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the standard deviation over the nets, too; needs ``n_nets > 1``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes) or (n_samples, n_labels)
        std : ndarray of the same shape
            Only with `return_std`.
        """
        if return_std:
            mean, std = self._outputs_and_std(X)
            return self._of_classes(mean), std if std.shape[1] > 1 else np.hstack([std, std])
        return self._of_classes(self._outputs(X))

    @staticmethod
    def _of_classes(outputs: NDArray[Any]) -> NDArray[Any]:
        if outputs.shape[1] == 1:
            return np.hstack([1 - outputs, outputs])
        return outputs

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of `predict_proba`, minus infinity where that is 0.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples, n_labels)
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[Any] = np.log(self.predict_proba(X))
        return logarithms
