"""Labels as numbers, and as columns of zeros and ones."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._labels import type_of_target, unique_labels
from gramian.base import BaseEstimator
from gramian.params import Boolean, Integer, param
from gramian.preprocessing._checks import is_sparse
from gramian.preprocessing._factors import factorise
from gramian.validation import (
    check_array,
    check_is_fitted,
    check_sparse,
    column_or_1d,
    n_samples_of,
)


class LabelTransformer(BaseEstimator):
    """What transforms targets: it is fitted to `y` alone."""

    _transforms: ClassVar[bool] = True

    def fit(self, y: Any) -> Self:
        """Find the labels."""
        raise NotImplementedError

    def transform(self, y: Any) -> Any:
        """Encode labels."""
        raise NotImplementedError

    def fit_transform(self, y: Any) -> Any:
        """Find the labels, and encode them.

        Parameters
        ----------
        y : array-like
            The labels, as for ``fit``.
        """
        return self.fit(y).transform(y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


class LabelEncoder(LabelTransformer):
    """Number labels from 0 to n_classes - 1, in their sorted order.

    For targets; `OrdinalEncoder` does this to features.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.

    Examples
    --------
    >>> from gramian.preprocessing import LabelEncoder
    >>> encoder = LabelEncoder().fit(["spam", "ham", "spam"])
    >>> encoder.transform(["ham", "spam"]), encoder.inverse_transform([1])
    (array([0, 1]), array(['spam'], dtype='<U4'))
    """

    def fit(self, y: ArrayLike) -> Self:
        """Find the labels.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels.
        """
        self.classes_ = factorise(column_or_1d(y, warn=True), is_coded=False).values
        return self

    def fit_transform(self, y: ArrayLike) -> NDArray[np.int64]:
        """Find the labels, and return their numbers.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels.
        """
        factor = factorise(column_or_1d(y, warn=True))
        self.classes_ = factor.values
        return factor.codes.astype(np.int64)

    def transform(self, y: ArrayLike) -> NDArray[np.int64]:
        """Return the numbers of labels.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels that were seen at fit.
        """
        check_is_fitted(self)
        labels = column_or_1d(y, warn=True)
        if self.classes_.dtype.kind == "U" and labels.dtype.kind not in "OUS":
            labels = labels.astype(str)  # as NumPy did when text and numbers were mixed at fit
        factor = factorise(labels)
        positions = factor.positions(self.classes_)
        if (positions < 0).any():
            unseen = factor.values[positions < 0].tolist()
            raise ValueError(f"y contains previously unseen labels: {unseen}")
        result: NDArray[np.int64] = positions[factor.codes].astype(np.int64)
        return result

    def inverse_transform(self, y: ArrayLike) -> NDArray[Any]:
        """Return the labels of numbers.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Numbers from 0 to n_classes - 1.
        """
        check_is_fitted(self)
        codes = column_or_1d(y, warn=True)
        if not len(codes):
            return np.array([])
        unknown = np.setdiff1d(codes, np.arange(len(self.classes_)))
        if len(unknown):
            raise ValueError(f"y contains previously unseen labels: {unknown}")
        return self.classes_.take(codes.astype(np.int64))


class LabelBinarizer(LabelTransformer):
    """Turn labels into one column for each class, or a single one for two classes.

    Parameters
    ----------
    neg_label : int, default=0
        The number that says no.
    pos_label : int, default=1
        The number that says yes.
    sparse_output : bool, default=False
        Whether to return a sparse matrix (CSR); needs ``neg_label=0``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    y_type_ : str
        The kind of target, as `gramian.multiclass.type_of_target` calls it.
    sparse_input_ : bool
        Whether the target was a sparse matrix.

    Examples
    --------
    >>> from gramian.preprocessing import LabelBinarizer
    >>> LabelBinarizer().fit_transform(["a", "c", "b"])
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 1, 0]])
    """

    neg_label: int = param(0, Integer())
    pos_label: int = param(1, Integer())
    sparse_output: bool = param(False, Boolean())

    def fit(self, y: Any) -> Self:
        """Find the labels.

        Parameters
        ----------
        y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_classes)
            Labels, or a matrix of zeros and ones.
        """
        _check_signs(self.neg_label, self.pos_label, self.sparse_output)
        kind = type_of_target(y, input_name="y")
        if "multioutput" in kind:
            raise ValueError("Multioutput target data is not supported with label binarization")
        if n_samples_of(y) == 0:
            raise ValueError(f"y has 0 samples: {y!r}")
        self.classes_ = unique_labels(y)
        self.y_type_ = kind
        self.sparse_input_ = is_sparse(y)
        return self

    def transform(self, y: Any) -> Any:
        """Return the columns of labels; a label not seen at fit gives `neg_label` in all.

        Parameters
        ----------
        y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_classes)
            Labels, or a matrix of zeros and ones.
        """
        check_is_fitted(self)
        is_multilabel = type_of_target(y).startswith("multilabel")
        if is_multilabel and not self.y_type_.startswith("multilabel"):
            raise ValueError("The object was not fitted with multilabel input.")
        return label_binarize(
            y,
            classes=self.classes_,
            neg_label=self.neg_label,
            pos_label=self.pos_label,
            sparse_output=self.sparse_output,
        )

    def inverse_transform(self, Y: Any, threshold: float | None = None) -> Any:
        """Return labels: of the largest column, or by the threshold for two classes.

        Parameters
        ----------
        Y : array-like or sparse matrix of shape (n_samples, n_classes)
            Columns of this object, or scores of a classifier.
        threshold : float, optional
            From where on a number says yes, for two classes and for several labels at once; by
            default half way between `neg_label` and `pos_label`.
        """
        check_is_fitted(self)
        if threshold is None:
            threshold = (self.neg_label + self.pos_label) / 2.0
        if self.y_type_ == "multiclass":
            scores = check_sparse(Y, "Y").toarray() if is_sparse(Y) else np.asarray(Y)
            best = np.clip(scores.argmax(axis=1), 0, len(self.classes_) - 1)
            found: Any = self.classes_[best]
        else:
            found = _by_threshold(Y, self.y_type_, self.classes_, threshold)
        if self.sparse_input_ and not is_sparse(found):
            from scipy import sparse

            return sparse.csr_matrix(found)
        return found.toarray() if is_sparse(found) and not self.sparse_input_ else found


def _check_signs(neg_label: int, pos_label: int, sparse_output: bool) -> None:
    if neg_label >= pos_label:
        raise ValueError(f"neg_label={neg_label} must be strictly less than pos_label={pos_label}.")
    if sparse_output and (pos_label == 0 or neg_label != 0):
        raise ValueError(
            "Sparse binarization is only supported with non zero pos_label and zero neg_label, got "
            f"pos_label={pos_label} and neg_label={neg_label}"
        )


def _by_threshold(Y: Any, kind: str, classes: NDArray[Any], threshold: float) -> NDArray[Any]:
    scores = check_sparse(Y, "Y").toarray() if is_sparse(Y) else np.asarray(Y)
    if kind == "binary" and scores.ndim == 2 and scores.shape[1] > 2:
        raise ValueError(f"output_type='binary', but y.shape = {scores.shape}")
    if kind != "binary" and scores.shape[1] != len(classes):
        raise ValueError("The number of class is not equal to the number of dimension of y.")
    says_yes = (scores > threshold).astype(np.int64)
    if kind == "multilabel-indicator":
        return says_yes
    if len(classes) == 1:
        return np.repeat(classes, len(says_yes))
    last = says_yes[:, -1] if says_yes.ndim == 2 else says_yes
    return classes[last]


def label_binarize(
    y: Any,
    *,
    classes: Any,
    neg_label: int = 0,
    pos_label: int = 1,
    sparse_output: bool = False,
) -> Any:
    """Turn labels into one column for each of given classes, or a single one for two.

    Parameters
    ----------
    y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_classes)
        Labels, or a matrix of zeros and ones.
    classes : array-like of shape (n_classes,)
        The labels, in the order of the columns.
    neg_label : int, default=0
        The number that says no.
    pos_label : int, default=1
        The number that says yes.
    sparse_output : bool, default=False
        Whether to return a sparse matrix (CSR); needs ``neg_label=0``.

    Returns
    -------
    ndarray or CSR matrix of shape (n_samples, n_classes), or (n_samples, 1) for two classes

    Examples
    --------
    >>> from gramian.preprocessing import label_binarize
    >>> label_binarize([1, 6], classes=[1, 2, 4, 6])
    array([[1, 0, 0, 0],
           [0, 0, 0, 1]])
    """
    if not isinstance(y, (list, tuple)):
        y = check_array(y, "csr", ensure_2d=False, dtype=None, input_name="y")
    elif not len(y):
        raise ValueError(f"y has 0 samples: {y!r}")
    _check_signs(neg_label, pos_label, sparse_output)
    kind = type_of_target(y)
    if "multioutput" in kind:
        raise ValueError("Multioutput target data is not supported with label binarization")
    if kind == "unknown":
        raise ValueError("The type of target data is not known")
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} target data is not supported with label binarization")
    labels = np.asarray(classes)
    is_set = _indicator(y, kind, labels)
    if kind == "binary" and len(labels) <= 2:
        is_set = is_set[:, -1:] if len(labels) == 2 else np.zeros_like(is_set)
    if sparse_output:
        from scipy import sparse

        return sparse.csr_matrix(np.where(is_set, pos_label, 0))
    return np.where(is_set, pos_label, neg_label)


def _indicator(y: Any, kind: str, classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each row and class whether the row has the class."""
    if kind == "multilabel-indicator":
        matrix = check_sparse(y, "y").toarray() if is_sparse(y) else np.asarray(y)
        if matrix.shape[1] != len(classes):
            raise ValueError(
                f"classes {classes} mismatch with the labels {unique_labels(y)} found in the data"
            )
        order = np.argsort(np.argsort(classes, kind="stable"), kind="stable")
        is_one: NDArray[np.bool_] = matrix[:, order] != 0
        return is_one
    factor = factorise(column_or_1d(y))
    order = np.argsort(classes, kind="stable")
    places = factor.positions(classes[order])
    columns = np.append(order, -1)[places][factor.codes]
    is_set = np.zeros((len(columns), len(classes)), dtype=bool)
    rows = np.flatnonzero(columns >= 0)
    is_set[rows, columns[rows]] = True
    return is_set
