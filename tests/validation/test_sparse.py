import numpy as np
import pytest
from scipy import sparse
from tests.fuzz.corrupt_sparse import FORMATS, with_index_outside

from gramian.linear_model import Ridge
from gramian.multiclass import type_of_target
from gramian.validation import check_array, check_sparse, is_sparse

X = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 4.0], [5.0, 6.0, 0.0, 0]])
KINDS = [f"{kind}_{container}" for kind in FORMATS for container in ("array", "matrix")]


def _csr(**parts):
    S = sparse.csr_array(X)
    for name, value in parts.items():
        setattr(S, name, value)
    return S


def _set(S, name, place, value):
    getattr(S, name)[place] = value
    return S


def _same_arrays(S, before):
    return all(np.array_equal(getattr(S, name), values) for name, values in before.items())


# -- what is well ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_sparse_matrix_passes_as_it_is(kind):
    S = getattr(sparse, kind)(X)
    assert is_sparse(S)
    assert check_sparse(S) is S
    np.testing.assert_array_equal(check_array(S, "csr").toarray(), X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (5, 3)])
def test_matrices_without_entries_pass(kind, shape):
    S = getattr(sparse, kind)(shape)
    assert check_sparse(S) is S


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_array, sparse.dok_array])
def test_vectors_are_checked_too(make):
    S = make(np.array([0.0, 1.0, 2.0]))
    assert check_sparse(S) is S
    with pytest.raises(ValueError, match="Expected 2D input"):
        check_array(S, "csr")


def test_a_canonical_matrix_is_not_copied():
    for kind in ("csr", "csc"):
        S = getattr(sparse, f"{kind}_matrix")(X)
        assert check_array(S, kind) is S


@pytest.mark.parametrize("claim", [None, True, False])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_order_and_repeats_are_seen_whatever_the_matrix_claims(kind, claim):
    indices, data = np.array([2, 0, 2, 1, 1, 0]), np.arange(1.0, 7.0)
    S = getattr(sparse, f"{kind}_array")((data, indices, np.array([0, 3, 3, 5, 6])), shape=(4, 4))
    expected = sparse.coo_array(S).toarray()
    if claim is not None:
        S.has_canonical_format = S.has_sorted_indices = claim
    before = {name: getattr(S, name).copy() for name in ("data", "indices", "indptr")}
    result = check_array(S, kind)
    np.testing.assert_array_equal(result.toarray(), expected)
    assert result.nnz == 4 and result.has_canonical_format
    assert all((np.diff(row) > 0).all() for row in np.split(result.indices, result.indptr[1:-1]))
    assert _same_arrays(S, before)
    checked = check_sparse(S)
    assert not checked.has_canonical_format and np.shares_memory(checked.data, S.data)
    assert _same_arrays(S, before)


def test_a_false_claim_does_not_change_a_fit():
    rng = np.random.default_rng(0)
    S = sparse.random(50, 6, 0.5, format="csr", rng=rng)
    y = rng.standard_normal(50)
    expected = Ridge().fit(S, y).coef_
    twisted = S.copy()
    begin, end = next(pair for pair in zip(S.indptr, S.indptr[1:], strict=False) if pair[1] > 2)
    for part in (twisted.indices, twisted.data):
        part[begin:end] = part[begin:end][::-1].copy()
    twisted.has_canonical_format = True
    np.testing.assert_array_equal(Ridge().fit(twisted, y).coef_, expected)


def test_spare_room_behind_the_entries_is_left_alone():
    S = sparse.csr_array(X)
    n = S.nnz
    S.indices = np.append(S.indices, [-7, 99]).astype(np.int32)
    S.data = np.append(S.data, [np.nan])
    result = check_array(S, "csr")
    np.testing.assert_array_equal(result.toarray(), X)
    assert len(result.data) == len(result.indices) == n
    assert len(S.indices) == n + 2 and len(S.data) == n + 1


@pytest.mark.parametrize("narrow", ["indices", "indptr"])
def test_index_arrays_of_two_widths(narrow):
    S = sparse.csr_array(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    setattr(S, narrow, getattr(S, narrow).astype(np.int32))
    result = check_array(S, "csr")
    assert result.indices.dtype == result.indptr.dtype == np.int32
    np.testing.assert_array_equal(result.toarray(), X)


def test_arrays_with_gaps_in_memory():
    S = sparse.csr_array(X)
    for name in ("data", "indices", "indptr"):
        setattr(S, name, np.repeat(getattr(S, name), 2)[::2])
    assert check_sparse(S) is S
    result = check_array(S, "csr")
    assert result.data.flags.c_contiguous and result.indices.flags.c_contiguous
    np.testing.assert_array_equal(result.toarray(), X)
    y = np.arange(4.0)
    np.testing.assert_array_equal(Ridge().fit(S, y).coef_, Ridge().fit(result, y).coef_)


# -- what is corrupt -------------------------------------------------------------------------------

CORRUPT = {
    "row 3 has the column index 4, but X has 4 columns": _set(_csr(), "indices", -1, 4),
    "row 2 has the column index -1, but X has 4 columns": _set(_csr(), "indices", 2, -1),
    "row 0 starts at entry 1, not at 0 (indptr[0])": _set(_csr(), "indptr", 0, 1),
    "row 2 starts at entry 2 and ends at -9 (indptr[3])": _set(_csr(), "indptr", 3, -9),
    "row 3 ends at entry 60 (indptr[4]), but there are 6 indices and 6 values": _set(
        _csr(), "indptr", 4, 60
    ),
    "row 3 ends at entry 6 (indptr[4]), but there are 6 indices and 5 values": _csr(
        data=np.ones(5)
    ),
    "indptr has 2 entries, but 4 rows need 5": _csr(indptr=np.array([0, 6])),
    "indices has dtype float64, but must be int32 or int64": _csr(indices=np.zeros(6)),
    "indices has dtype uint32, but": _csr(indices=np.zeros(6, np.uint32)),
    "indptr has dtype bool, but": _csr(indptr=np.zeros(5, bool)),
    "indices has dtype >i4, but": _csr(indices=np.zeros(6, ">i4")),
    "indices must be a vector, but is an array of shape (6, 1)": _csr(
        indices=np.zeros((6, 1), int)
    ),
    "indices must be a vector, but is <class 'list'>": _csr(indices=[0] * 6),
    "data must be an array of 1 axes, but has shape (2, 3)": _csr(data=np.ones((2, 3))),
    "data has dtype <U1, but must hold numbers": _csr(data=np.full(6, "a")),
    "column 0 has the row index 9, but X has 4 rows": _set(sparse.csc_array(X), "indices", 1, 9),
    "block row 1 has the block column index 7, but X has 2 block columns": _set(
        sparse.bsr_array(X, blocksize=(2, 2)), "indices", -1, 7
    ),
}
"""What the message says -> a matrix that deserves it."""


@pytest.mark.parametrize("message", CORRUPT)
def test_the_message_names_row_and_index(message):
    for check in (check_sparse, lambda S: check_array(S, True, input_name="X")):
        with pytest.raises(ValueError) as caught:
            check(CORRUPT[message])
        assert str(caught.value).startswith(f"X is a corrupt sparse matrix: {message}")


@pytest.mark.parametrize("container", ["array", "matrix"])
@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_checked(kind, container):
    S = with_index_outside(kind, X, container=container)
    with pytest.raises(
        ValueError, match=r"^Z is a corrupt sparse matrix: .*(1073741824|2147483647)"
    ):
        check_sparse(S, "Z")


def test_coordinates():
    S = sparse.coo_array(X)
    S.coords = (S.coords[0], S.coords[1][:-1])
    with pytest.raises(ValueError, match="there are 5 column indices and 6 values"):
        check_sparse(S)
    S = sparse.coo_array(X)
    S.coords[1][2] = 4
    with pytest.raises(ValueError, match="entry 2 has the column index 4, but X has 4 columns"):
        check_sparse(S)
    S = sparse.coo_array(np.array([0.0, 1.0]))
    S.coords[0][0] = 2
    with pytest.raises(ValueError, match=r"entry 0 has the axis 0 index 2, but X has the shape"):
        check_sparse(S)


def test_lists():
    S = sparse.lil_array(X)
    S.rows[2][1] = 4
    with pytest.raises(ValueError, match="row 2 has the column index 4, but X has 4 columns"):
        check_sparse(S)
    S = sparse.lil_array(X)
    S.data[2].append(1.0)
    with pytest.raises(ValueError, match="row 2 has 2 indices and 3 values"):
        check_sparse(S)
    for index in (0.5, 2**70, "a"):
        S = sparse.lil_array(X)
        S.rows[0][0] = index
        with pytest.raises(ValueError, match="an index is not a 64-bit integer"):
            check_sparse(S)
    S = sparse.lil_array(X)
    S.rows[1] = None
    with pytest.raises(ValueError, match="rows must be an array of 4 lists"):
        check_sparse(S)


def test_keys():
    S = sparse.dok_array(X)
    S._dict[(0, -1)] = 1.0
    with pytest.raises(ValueError, match="has the column index -1, but X has 4 columns"):
        check_sparse(S)
    S = sparse.dok_array(X)
    S._dict[(0, 1, 2)] = 1.0
    with pytest.raises(ValueError, match="the keys of its entries do not fit its shape"):
        check_sparse(S)


def test_diagonals():
    S = sparse.dia_array(X)
    S.offsets[0] = 2**31 - 1
    with pytest.raises(ValueError, match="diagonal 0 has the offset 2147483647, but the shape is"):
        check_sparse(S)
    beside = sparse.dia_array(([[1.0, 2.0], [3.0, 4.0]], [0, 7]), shape=(2, 2))
    assert check_sparse(beside) is beside
    S = sparse.dia_array(X)
    S.offsets[0] = S.offsets[1]
    with pytest.raises(ValueError, match="two of its diagonals have the same offset"):
        check_sparse(S)
    S = sparse.dia_array(X)
    S.offsets = S.offsets[1:]
    with pytest.raises(ValueError, match=r"offsets and \d diagonals"):
        check_sparse(S)


def test_shapes_that_do_not_fit():
    S = sparse.bsr_array(X, blocksize=(2, 2))
    S._shape = (4, 5)
    with pytest.raises(ValueError, match=r"its shape \(4, 5\) is not made of blocks"):
        check_sparse(S)


def test_unknown_kinds_are_refused():
    class Other(sparse.csr_array):
        format = "other"

    with pytest.raises(ValueError, match="of an unknown kind"):
        check_sparse(Other(X))


def test_a_sparse_vector_is_no_target():
    with pytest.raises(ValueError, match=r"y is a sparse array of shape \(3,\)"):
        type_of_target(sparse.csr_array(np.array([0, 1, 1])))
