"""The shape of a network, its first weights, and the native object that computes with them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._network.waves import Waves

__all__ = ["Shape", "draw_parameters", "native_network", "require_memory"]

_COPIES = 6  # of the parameters while a fit runs: gradient, two moments, transposes, results


@dataclass(frozen=True)
class Shape:
    """Sizes of the layers, from the inputs to the outputs, and what the neurons compute.

    With ``blocks`` the first layer is one of embeddings: for each input the first of its neurons,
    and the one after the last. With ``waves`` the second adds periodic functions of some of its
    numbers.
    """

    sizes: tuple[int, ...]
    activation: str
    out_activation: str
    loss: str
    loss_parameter: float = 0.0
    blocks: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    waves: Waves = field(default_factory=Waves)
    is_parametric: bool = False

    @property
    def n_parameters(self) -> int:
        """Number of weights and biases, more or less."""
        return sum((n_in + 1) * n_out for n_in, n_out in pairwise(self.sizes))

    @property
    def n_front(self) -> int:
        """Number of layers before the first hidden one."""
        return 2 if self.waves.n_frequencies else int(bool(self.blocks[0]))

    @property
    def n_inputs(self) -> list[int]:
        """Rows of the weights of each layer."""
        rows = list(self.sizes[:-1])
        if self.waves.n_frequencies:
            rows[1] = self.waves.n_rows
        return rows

    def with_shares(self) -> list[int]:
        """Return the sizes of the layers whose neurons learn a share of their activation."""
        return list(self.sizes[self.n_front + 1 : -1]) if self.is_parametric else []


def require_memory(shape: Shape, dtype: Any) -> None:
    """Raise MemoryError for a network that this machine cannot hold, before anything is made."""
    needed = _COPIES * shape.n_parameters * np.dtype(dtype).itemsize
    try:
        held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return
    if needed > held:
        raise MemoryError(
            f"Layers of {shape.sizes} neurons have {shape.n_parameters:,} parameters, for which a "
            f"fit needs about {needed / 2**30:,.0f} GiB; this machine has {held / 2**30:,.0f} GiB. "
            "Use fewer neurons in hidden_layer_sizes."
        )


def draw_parameters(
    shape: Shape, dtype: Any, rng: np.random.RandomState
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Draw first weights and biases: uniform, with the variance that Glorot and Bengio advise."""
    factor = 2.0 if shape.activation == "logistic" else 6.0
    coefs, intercepts = [], []
    for n_in, n_out in pairwise(shape.sizes):
        bound = np.sqrt(factor / (n_in + n_out))
        coefs.append(rng.uniform(-bound, bound, (n_in, n_out)).astype(dtype, copy=False))
        intercepts.append(rng.uniform(-bound, bound, n_out).astype(dtype, copy=False))
    return coefs, intercepts


def native_network(
    shape: Shape,
    coefs: Sequence[Any],
    intercepts: Sequence[Any],
    dtype: Any,
    shares: Sequence[Any] = (),
    *,
    lends: bool = False,
) -> _core.Network:
    """Return the native network with these numbers; raises ValueError if they do not fit.

    With ``lends`` it is for predictions alone, which read large weights where they lie.
    """
    is_double = np.dtype(dtype) == np.float64
    network = _core.Network(
        list(shape.sizes),
        is_double=is_double,
        hidden=shape.activation,
        output=shape.out_activation,
        loss=shape.loss,
        loss_parameter=shape.loss_parameter,
        block_begins=shape.blocks[0],
        block_ends=shape.blocks[1],
        n_frequencies=shape.waves.n_frequencies,
        wave_sources=shape.waves.sources,
        is_parametric=bool(shape.is_parametric),
    )
    take = network.lend_parameters if lends else network.set_parameters
    take(
        [_writable(coef, dtype) for coef in coefs],
        [np.ascontiguousarray(_writable(each, dtype)) for each in intercepts],
        [np.ascontiguousarray(_writable(each, dtype)) for each in shares],
    )
    return network


def _writable(array: Any, dtype: Any) -> NDArray[Any]:
    values = np.asarray(array, dtype=dtype)
    return values if values.flags.writeable and values.flags.aligned else values.copy()
