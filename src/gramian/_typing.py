"""Types of arrays that most modules speak of."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
AnyFloats: TypeAlias = NDArray[np.floating[Any]]
Singles: TypeAlias = NDArray[np.float32]
