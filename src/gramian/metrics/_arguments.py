"""What the arguments of classification metrics may be."""

import math
import numbers
from dataclasses import dataclass
from typing import Any

from gramian.params import Arrays, Boolean, Constraint, Nothing, OneOf, Real, Strings


class _DenseArrays(Arrays):
    """An array, or a sequence that can become one; no sparse matrix."""

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) and not hasattr(value, "tocsr")


@dataclass(frozen=True)
class ZeroDivision(Constraint):
    """What 0 / 0 shall be: "warn", 0, 1 or, where `allow_nan`, NaN."""

    allow_nan: bool = True

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str):
            return value == "warn"
        if not isinstance(value, numbers.Real):
            return False
        return value in (0, 1) or (self.allow_nan and math.isnan(value))

    def describe(self) -> str:
        return "'warn', 0.0, 1.0 or nan" if self.allow_nan else "'warn', 0.0 or 1.0"


DENSE = _DenseArrays()
OPTIONAL_ARRAY = Arrays() | Nothing()
LABEL = Real() | Strings() | Boolean() | Nothing()
AVERAGE = OneOf("micro", "macro", "samples", "weighted", "binary") | Nothing()
