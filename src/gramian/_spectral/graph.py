"""Eigenvectors of the Laplacian of a graph: what spectral embeddings and clusters rest on."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, single_threaded_blas
from gramian._memory import available_bytes
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.exceptions import ConvergenceWarning, shared
from gramian.validation import check_array, check_sparse, is_sparse

__all__ = [
    "GraphEmbedding",
    "embed_graph",
    "extend",
    "neighbours_within",
    "require_memory",
    "symmetric_affinity",
]

_MOST_DENSE = 600  # nodes up to which all eigenvectors cost little
_PROVEN = 1e-6
_MOST_ITER = 10_000
_LEAST_VECTORS = 40  # of a Krylov space
_NEAR_ZERO = -1e-5  # the shift of inverses: below all eigenvalues of a Laplacian
_MOST_NAMED = 6  # sizes of components
_BYTES_PER_PAIR = 17  # the affinities, their normalised copy, and a mask
_BYTES_PER_EDGE = 64  # a graph, its transpose, their sum and its normalised copy
_ROWS_PER_BLOCK = 256


@dataclass(frozen=True)
class GraphEmbedding:
    """Coordinates of the nodes, and how far they are from eigenvectors."""

    points: Floats
    eigenvalues: Floats
    residual: float
    component_sizes: tuple[int, ...]


def symmetric_affinity(affinity: Any) -> Any:
    """Return a checked affinity matrix, dense or CSR; what is not symmetric is averaged."""
    if is_sparse(affinity):
        checked = check_sparse(affinity).tocsr()
        difference = abs(checked - checked.T)
        is_symmetric = difference.nnz == 0 or difference.max() <= 1e-10 * abs(checked).max()
    else:
        checked = check_array(affinity, input_name="affinity")
        if checked.shape[0] == checked.shape[1]:
            is_symmetric = all(
                np.allclose(checked[rows], checked[:, rows].T, rtol=1e-10, atol=1e-10)
                for rows in _blocks(len(checked))
            )
    if checked.shape[0] != checked.shape[1]:
        raise ValueError(f"The affinity must be a square matrix. Got the shape {checked.shape}.")
    if is_symmetric:
        return checked
    warnings.warn(
        "Array is not symmetric, and will be converted to symmetric by average with its transpose.",
        stacklevel=5,
    )
    averaged = 0.5 * (checked + checked.T)
    return averaged.tocsr() if is_sparse(averaged) else averaged


def require_memory(n: int, affinity: Any, n_neighbors: int | None = None) -> None:
    """Raise MemoryError for a graph that cannot be held: of all pairs, or of neighbours."""
    needed = _BYTES_PER_PAIR * n**2 if n_neighbors is None else _BYTES_PER_EDGE * n * n_neighbors
    available = available_bytes()
    if available is None or needed <= available:
        return
    name = repr(affinity) if isinstance(affinity, str) else "a function"
    remedy = (
        "Take affinity='nearest_neighbors'."
        if n_neighbors is None
        else f"Take fewer neighbours than n_neighbors={n_neighbors}."
    )
    raise MemoryError(
        f"The graph of {n} rows with affinity={name} takes about {needed / 2**30:.1f} GiB, of "
        f"which {available / 2**30:.1f} are available. {remedy}"
    )


def neighbours_within(n_neighbors: int, n: int) -> int:
    """Return the number of neighbours, or that of the rows where they are fewer, and warn."""
    if n_neighbors > n:
        warnings.warn(
            f"n_neighbors={n_neighbors} is more than the {n} rows: each row is joined to all.",
            stacklevel=4,
        )
    return min(n_neighbors, n)


def embed_graph(
    affinity: Any,
    n_components: int,
    *,
    eigen_solver: str | None,
    source: np.random.RandomState,
    eigen_tol: Any,
    norm_laplacian: bool = True,
    drop_first: bool,
) -> GraphEmbedding:
    """Return the eigenvectors of the least eigenvalues of the Laplacian, divided by sqrt(degree).

    With S = D^(-1/2) A D^(-1/2) the normalised Laplacian is I - S, and what is least of it is
    largest of S. Eigenvectors of the eigenvalue 0 are known, one for each component of the graph;
    the others are found orthogonal to them.
    """
    _refuse_amg(eigen_solver)
    graph = symmetric_affinity(affinity)
    n = graph.shape[0]
    wanted = n_components + drop_first
    if wanted > n:
        less = " less one" if drop_first else ""
        raise ValueError(
            f"n_components={n_components} must be at most the number of samples{less}, but the "
            f"graph has {n} nodes."
        )
    sizes, labels = _components(graph)
    off, root = _without_loops(graph, norm_laplacian)
    null = _null_vectors(root if norm_laplacian else np.ones(n), sizes, labels)
    matrix = off if norm_laplacian else _unnormalised(off)
    values, vectors = _leading(matrix, null, wanted, eigen_solver, source, eigen_tol)
    residual = _residual(matrix, values, vectors)
    if residual > max(_PROVEN, 0.0 if eigen_tol == "auto" else float(eigen_tol)):
        warnings.warn(
            f"The eigenvectors of the Laplacian have a residual of {residual:.1e}; raise "
            "eigen_tol's accuracy or take eigen_solver='arpack'.",
            shared(ConvergenceWarning),
            stacklevel=4,
        )
    points = svd_flip(vectors / root[:, None] if norm_laplacian else vectors)
    least = 1.0 - values if norm_laplacian else -values
    return GraphEmbedding(points[:, int(drop_first) :], least, residual, tuple(sizes.tolist()))


def extend(affinity: Any, points: Floats, eigenvalues: Floats) -> Floats:
    """Return points for new nodes from their affinities to the others (Nyström's extension).

    An eigenvector satisfies ``(1 - λ) y = D^(-1) A y``: a node's coordinate is the mean of those of
    its neighbours, over ``1 - λ``. A new node is placed by the same rule.
    """
    degree = np.asarray(affinity.sum(axis=1)).ravel()
    means = np.asarray(affinity @ points) / np.where(degree > 0.0, degree, 1.0)[:, None]
    kept = 1.0 - eigenvalues
    placed: Floats = means / np.where(np.abs(kept) > _PROVEN, kept, 1.0)
    return placed


def _refuse_amg(eigen_solver: str | None) -> None:
    if eigen_solver == "amg":
        raise ValueError(
            "The eigen_solver was set to 'amg', but pyamg is not available. Take "
            "eigen_solver='arpack'."
        )


def _components(graph: Any) -> tuple[Any, Any]:
    """Return the sizes of the connected components and the component of each node, or warn."""
    from scipy.sparse.csgraph import connected_components

    n = graph.shape[0]
    if not is_sparse(graph) and graph.all(axis=1).any():  # a node joined to all others
        return np.array([n]), np.zeros(n, dtype=np.int32)
    pattern = graph if is_sparse(graph) else sparse.csr_array(graph != 0)
    n_components, labels = interruptible(
        20 * (n + pattern.nnz), connected_components, pattern, directed=False
    )
    sizes = np.bincount(labels, minlength=n_components)
    if n_components > 1:
        named = ", ".join(str(size) for size in sorted(sizes.tolist(), reverse=True)[:_MOST_NAMED])
        more = ", ..." if n_components > _MOST_NAMED else ""
        warnings.warn(
            "Graph is not fully connected, spectral embedding may not work as expected: it has "
            f"{n_components} components, of {named}{more} nodes. More neighbours connect it.",
            stacklevel=5,
        )
    return sizes, labels


def _without_loops(graph: Any, norm_laplacian: bool) -> tuple[Any, Floats]:
    """Return A without its diagonal in double precision, normalised if asked, and sqrt(degree)."""
    if is_sparse(graph):
        A = graph.astype(np.float64).tocsr(copy=True)
        A.setdiag(0.0)
        degree = np.asarray(A.sum(axis=0)).ravel()
    else:
        A = np.array(graph, dtype=np.float64)
        np.fill_diagonal(A, 0.0)
        degree = A.sum(axis=0)
    if norm_laplacian and (degree < 0.0).any():
        node = int(degree.argmin())
        raise ValueError(
            f"The affinities of node {node} add up to {degree[node]:.3g}: they must not be "
            "negative. Take another affinity, or set norm_laplacian=False."
        )
    root = np.sqrt(np.where(degree > 0.0, degree, 1.0)) if norm_laplacian else np.ones(len(degree))
    if norm_laplacian:
        inverse = 1.0 / root
        if is_sparse(A):
            scale = sparse.diags_array(inverse)
            A = sparse.csr_array(scale @ A @ scale)
        else:
            A *= inverse[:, None]
            A *= inverse
    return A, root


def _unnormalised(A: Any) -> Any:
    """Return A - D: the Laplacian with a minus, so that the largest eigenvalues are wanted."""
    degree = np.asarray(A.sum(axis=0)).ravel()
    if is_sparse(A):
        return sparse.csr_array(A - sparse.diags_array(degree))
    negative = A.copy()
    negative[np.diag_indices(len(A))] -= degree
    return negative


def _null_vectors(weights: Floats, sizes: Any, labels: Any) -> Floats:
    """Return orthonormal eigenvectors of components of two nodes and more, largest first."""
    chosen = [c for c in np.argsort(-sizes, kind="stable") if sizes[c] > 1]
    vectors = np.zeros((len(labels), len(chosen)))
    for column, component in enumerate(chosen):
        own = labels == component
        vectors[own, column] = weights[own] / np.sqrt((weights[own] ** 2).sum())
    return vectors


def _leading(
    S: Any, null: Floats, wanted: int, solver: str | None, source: Any, tol: Any
) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues, descending, and their vectors."""
    n = S.shape[0]
    start = source.uniform(-1.0, 1.0, n)
    bound = 0.0 if not is_normalised(S) else 1.0
    known = min(null.shape[1], wanted)
    if known == wanted and n > _MOST_DENSE:
        return np.full(wanted, bound), null[:, :wanted]
    if n <= max(_MOST_DENSE, 4 * wanted) and solver != "lobpcg":
        dense = S.toarray() if is_sparse(S) else S
        values, vectors = interruptible(n**3, eigh, dense)
        return values[::-1][:wanted].copy(), vectors[:, ::-1][:, :wanted].copy()
    if solver == "lobpcg" and n >= 5 * wanted + 1:
        return _by_lobpcg(S, wanted, source, tol)
    if n <= max(_MOST_DENSE, 4 * wanted):
        values, vectors = eigh(S.toarray() if is_sparse(S) else S)
        return values[::-1][:wanted].copy(), vectors[:, ::-1][:, :wanted].copy()
    values, vectors = _by_lanczos(S, null[:, :known], wanted - known, start, tol)
    values = np.concatenate([np.full(known, bound), values])
    vectors = np.concatenate([null[:, :known], vectors], axis=1)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def is_normalised(S: Any) -> bool:
    """Tell whether the diagonal is that of a normalised graph, without loops."""
    return not np.asarray(S.diagonal()).any()


def _by_lanczos(
    S: Any, known: Floats, wanted: int, start: Floats, tol: Any
) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of S in the complement of what is known."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    n, shift = S.shape[0], 4.0 * (1.0 + _size(S))

    def times(x: Floats) -> Floats:
        product = S @ x if is_sparse(S) else matmul(S, x.reshape(-1, 1)).ravel()
        # known directions are moved to the other end of the spectrum
        return product - shift * (known @ (known.T @ x.ravel()))

    operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
    start = start - known @ (known.T @ start)
    n_vectors = min(n - 1, max(_LEAST_VECTORS, 3 * wanted))
    how: dict[str, Any] = {"k": wanted, "v0": start}
    with single_threaded_blas():
        try:
            values, vectors = interruptible(
                math.inf,
                eigsh,
                operator,
                which="LA",
                ncv=n_vectors,
                maxiter=max(_MOST_ITER // n_vectors, 100),
                tol=1e-9 if tol == "auto" else float(tol),
                **how,
            )
        except ArpackNoConvergence:  # eigenvalues too near each other: by inverses instead
            sigma = (1.0 if is_normalised(S) else 0.0) - _NEAR_ZERO
            how["k"] = wanted + known.shape[1]
            values, vectors = interruptible(math.inf, eigsh, S, sigma=sigma, which="LM", **how)
            vectors = vectors[:, np.argsort(-values)[known.shape[1] :]]
            values = np.sort(values)[::-1][known.shape[1] :]
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _by_lobpcg(S: Any, wanted: int, source: Any, tol: Any) -> tuple[Floats, Floats]:
    from scipy.sparse.linalg import lobpcg

    start = source.standard_normal(size=(S.shape[0], wanted + 1))
    with single_threaded_blas(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # residuals are looked at by the caller
        values, vectors = interruptible(
            math.inf,
            lobpcg,
            S,
            start,
            tol=1e-8 if tol == "auto" else min(float(tol), 1e-7),
            largest=True,
            maxiter=2000,
        )
    order = np.argsort(-values, kind="stable")[:wanted]
    return values[order], vectors[:, order]


def _residual(S: Any, values: Floats, vectors: Floats) -> float:
    """Return the largest ``|S v - λ v|``, relative to the size of S."""
    image = S @ vectors if is_sparse(S) else matmul(S, np.ascontiguousarray(vectors))
    size = max(_size(S), 1e-300)
    return float(np.sqrt(((image - vectors * values) ** 2).sum(axis=0)).max() / size)


def _size(S: Any) -> float:
    """Return the largest sum of absolute values in a row of a symmetric matrix."""
    if is_sparse(S):
        return float(abs(S).sum(axis=0).max())
    return max(float(np.abs(S[rows]).sum(axis=1).max()) for rows in _blocks(len(S)))


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + _ROWS_PER_BLOCK) for start in range(0, n, _ROWS_PER_BLOCK)]
