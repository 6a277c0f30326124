"""Distances and kernel values between rows."""

from gramian.metrics.pairwise._chunked import (
    pairwise_distances_argmin,
    pairwise_distances_argmin_min,
    pairwise_distances_chunked,
)
from gramian.metrics.pairwise._distances import (
    cosine_distances,
    euclidean_distances,
    haversine_distances,
    manhattan_distances,
    nan_euclidean_distances,
)
from gramian.metrics.pairwise._input import check_paired_arrays, check_pairwise_arrays
from gramian.metrics.pairwise._kernels import (
    additive_chi2_kernel,
    chi2_kernel,
    laplacian_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from gramian.metrics.pairwise._matrix import (
    KERNEL_PARAMS,
    PAIRWISE_BOOLEAN_FUNCTIONS,
    PAIRWISE_DISTANCE_FUNCTIONS,
    PAIRWISE_KERNEL_FUNCTIONS,
    distance_metrics,
    kernel_metrics,
    pairwise_distances,
    pairwise_kernels,
)
from gramian.metrics.pairwise._mercer import MercerCheck, is_mercer_kernel
from gramian.metrics.pairwise._paired import (
    PAIRED_DISTANCES,
    paired_cosine_distances,
    paired_distances,
    paired_euclidean_distances,
    paired_manhattan_distances,
)
from gramian.metrics.pairwise._products import cosine_similarity, linear_kernel

__all__ = [
    "KERNEL_PARAMS",
    "PAIRED_DISTANCES",
    "PAIRWISE_BOOLEAN_FUNCTIONS",
    "PAIRWISE_DISTANCE_FUNCTIONS",
    "PAIRWISE_KERNEL_FUNCTIONS",
    "MercerCheck",
    "additive_chi2_kernel",
    "check_paired_arrays",
    "check_pairwise_arrays",
    "chi2_kernel",
    "cosine_distances",
    "cosine_similarity",
    "distance_metrics",
    "euclidean_distances",
    "haversine_distances",
    "is_mercer_kernel",
    "kernel_metrics",
    "laplacian_kernel",
    "linear_kernel",
    "manhattan_distances",
    "nan_euclidean_distances",
    "paired_cosine_distances",
    "paired_distances",
    "paired_euclidean_distances",
    "paired_manhattan_distances",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_distances_chunked",
    "pairwise_kernels",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
]
