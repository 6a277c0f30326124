"""Free text as weights of words (tf-idf), sparse or reduced to few directions.

A word is known by a hash of 64 bits, so that the texts are read natively and a model keeps no
dictionary but the words that it names its columns by.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import matmul, qr, svd
from gramian._typing import AnyFloats, Floats
from gramian.config import core_context
from gramian.persistence import persistable
from gramian.table import CategoricalColumn

__all__ = ["ROW_LENGTH", "TextEncoding", "fit_text", "product"]

_MOST_WORDS = 20_000
ROW_LENGTH = 4.0
"""Of a row of text. Scaled numbers have length one each: at length one, penalties of usual size
shrink the words too much (SMS spam: accuracy 0.975; from length three on 0.984 and more)."""
_OVERSAMPLES, _STEPS = 16, 5  # of the randomised singular vectors (Halko et al., 2011)


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of some texts: those of text i stand in ``[first[i], first[i + 1])``."""

    text: bytes
    first: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    counts: NDArray[np.int32]
    places: NDArray[np.int64]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Words":
        parts = [text.lower().encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        joined = b"".join(parts)
        found = _core.count_words(np.frombuffer(joined, np.uint8), ends, ctx=core_context())
        return cls(joined, *found)

    def rows(self) -> NDArray[np.int64]:
        """Return the text of each word."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def spelling(self, place: int) -> str:
        """Return a word as it is written."""
        begin = int(self.places[place])
        word = self.text[begin : begin + int(self.lengths[place])]
        return word.decode("utf-8", "replace")


@persistable
@dataclass(frozen=True, eq=False)
class TextEncoding:
    """A column of free text: the weights of its words, or their leading directions.

    The weight of a word in a text is ``(1 + log n) (1 + log((1 + N) / (1 + d)))`` for n occurrences
    and d of N rows that hold it; rows are scaled to one length.

    Parameters
    ----------
    name : hashable
        Name of the column.
    hashes : ndarray of uint64
        Hashes of the words, increasing.
    words : tuple of str
        The words.
    idf : ndarray of shape (n_words,)
        The factor of each word.
    directions : ndarray of shape (n_words, n_outputs) or None
        Singular vectors that the rows are projected on; None: a column for each word.
    """

    name: Hashable
    hashes: NDArray[np.uint64]
    words: tuple[str, ...]
    idf: Floats
    directions: Floats | None

    kind: ClassVar[str] = "text"
    is_numbers: ClassVar[bool] = False

    @property
    def levels(self) -> tuple[str, ...]:
        """Examples of what the column holds."""
        return self.words

    @property
    def is_sparse(self) -> bool:
        """Whether there is a column for each word."""
        return self.directions is None

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        if self.directions is None:
            return tuple(f"{self.name}: {word}" for word in self.words)
        return tuple(f"{self.name} (text {k})" for k in range(self.directions.shape[1]))

    @property
    def description(self) -> str:
        """What is done with the column, in words."""
        what = f"free text: tf-idf of {len(self.words)} words"
        return what if self.directions is None else f"{what}, {len(self.outputs)} directions"

    def sparse_rows(self, column: CategoricalColumn) -> Any:
        """Return the weights of the words in each row; none where the value is missing."""
        weights, place = self.weights_of(column)
        return weights[place]

    def write(self, column: CategoricalColumn, out: AnyFloats) -> None:
        """Write the encoded column into `out`, of shape (n_rows, len(outputs))."""
        weights, place = self.weights_of(column)
        out[:] = self.projected(weights)[place]

    def projected(self, weights: Any) -> Floats:
        """Return the coordinates of texts along the directions."""
        return np.asarray(product(weights, self.directions))

    def weights_of(self, column: CategoricalColumn) -> tuple[Any, NDArray[np.intp]]:
        """Return the weights of the words in the distinct texts, and the text of each row."""
        weights, place, _ = self.read(column)
        return weights, place

    def read(self, column: CategoricalColumn) -> tuple[Any, NDArray[np.intp], tuple[str, ...]]:
        """Return what `weights_of` does, and the texts; a missing value is an empty one."""
        used, place = np.unique(column.codes, return_inverse=True)
        texts = tuple("" if code < 0 else column.categories[code] for code in used.tolist())
        return self._weights(_Words.of(texts)), place, texts

    def _weights(self, words: _Words) -> Any:
        from scipy.sparse import csr_array

        n_words = len(self.hashes)
        place = np.searchsorted(self.hashes, words.hashes).clip(max=max(n_words - 1, 0))
        is_known = self.hashes[place] == words.hashes if n_words else np.zeros(0, np.bool_)
        is_known = is_known if n_words else np.zeros(len(words.hashes), np.bool_)
        row, place = words.rows()[is_known], place[is_known]
        n_texts = len(words.first) - 1
        value = (1.0 + np.log(words.counts[is_known])) * self.idf[place]
        length = np.sqrt(np.bincount(row, value**2, n_texts))
        value *= ROW_LENGTH / length[row]
        first = np.cumsum([0, *np.bincount(row, minlength=n_texts)])
        return csr_array((value, place, first), shape=(n_texts, n_words))

    def _check_state(self) -> None:
        n_words, directions = len(self.words), self.directions
        is_valid = isinstance(self.words, tuple) and all(
            isinstance(a, np.ndarray) and a.shape == (n_words,) and a.dtype == kind
            for a, kind in ((self.hashes, np.uint64), (self.idf, np.float64))
        )
        if directions is not None:
            is_matrix = isinstance(directions, np.ndarray) and directions.ndim == 2
            is_valid = is_valid and is_matrix and len(directions) == n_words
        if not is_valid or (self.hashes[1:] <= self.hashes[:-1]).any():
            raise ValueError(f"The encoding of the text column {self.name!r} is damaged.")


def product(weights: Any, directions: Any) -> Any:
    """Return the product of sparse and dense numbers, so that Ctrl-C is heard of meanwhile."""
    return interruptible(weights.nnz * directions.shape[1], weights.__matmul__, directions)


def fit_text(
    column: CategoricalColumn,
    weight: Floats | None,
    n_directions: int | None,
) -> TextEncoding:
    """Return the encoding of a column of free text.

    Parameters
    ----------
    column : CategoricalColumn
        The column.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    n_directions : int or None
        Most directions of singular vectors; None: a column for each word.
    """
    is_present = column.codes >= 0
    n_rows = np.bincount(
        column.codes[is_present],
        None if weight is None else weight[is_present],
        len(column.categories),
    ).astype(np.float64)
    used = np.flatnonzero(n_rows)
    words, n_rows = _Words.of([column.categories[k] for k in used.tolist()]), n_rows[used]
    hashes, example, place = np.unique(words.hashes, return_index=True, return_inverse=True)
    in_rows = np.bincount(place, n_rows[words.rows()], len(hashes)).astype(np.float64)
    kept = _kept(in_rows)
    spelled = tuple(words.spelling(k) for k in example[kept].tolist())
    idf = np.log((1.0 + n_rows.sum()) / (1.0 + in_rows[kept])) + 1.0
    encoding = TextEncoding(column.name, hashes[kept], spelled, idf, None)
    if n_directions is None:
        return encoding
    rows = encoding._weights(words)
    directions = _singular_vectors(rows, n_rows, n_directions)
    return TextEncoding(column.name, hashes[kept], spelled, idf, directions)


def _kept(in_rows: Floats) -> NDArray[np.intp]:
    """Return the words of two rows or more, of many the most frequent ones, in their order."""
    kept = np.flatnonzero(in_rows >= 2.0)
    if not len(kept):
        kept = np.arange(len(in_rows))
    if len(kept) > _MOST_WORDS:
        order = np.argsort(-in_rows[kept], kind="stable")[:_MOST_WORDS]
        kept = np.sort(kept[order])
    return kept


def _singular_vectors(rows: Any, weight: Floats, n_directions: int) -> Floats:
    """Return the leading right singular vectors of weighted rows, at most as many as their rank."""
    n_words = rows.shape[1]
    n_kept = min(n_directions, n_words, rows.shape[0])
    width = min(n_kept + _OVERSAMPLES, n_words)
    weighted = rows.multiply(np.sqrt(weight)[:, None]).tocsr()
    turned = weighted.T.tocsr()
    Q = np.random.default_rng(0).standard_normal((n_words, width))
    for _ in range(_STEPS):
        Q = qr(product(turned, product(weighted, Q)))[0]
    _, lengths, Vt = svd(qr(product(weighted, Q))[1])
    # Rows of few texts span fewer directions: the others hold the rounding of these alone.
    n_kept = min(n_kept, max(1, int((lengths > 1e-10 * lengths[0]).sum())))
    V = matmul(Q, np.ascontiguousarray(Vt[:n_kept].T))
    largest = np.abs(V).argmax(axis=0)
    return np.ascontiguousarray(V * np.where(V[largest, np.arange(n_kept)] < 0.0, -1.0, 1.0))
