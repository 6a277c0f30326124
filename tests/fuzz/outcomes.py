"""What a call may do with hostile input: answer, or raise one of these. All else is a finding."""

import re

from gramian.exceptions import NotFittedError

ACCEPTED = (ValueError, TypeError, NotFittedError, MemoryError, NotImplementedError)
"""`ValueError` and `TypeError` (with `InvalidParameterError` and `ModelFileError`) for what was
passed, `NotFittedError` before ``fit``, `MemoryError` that says what did not fit, and
`NotImplementedError` for what another library's class has and ours has not.
"""

ACCIDENTAL = re.compile(
    r"incompatible function arguments|std::|could not be broadcast|zero-size array to reduction"
    r"|object is not (subscriptable|iterable|callable)|has no len\(\)|unsupported operand"
    r"|not supported between instances|ufunc '.*' (not supported|did not contain)"
    r"|cannot reshape array|unexpected keyword argument"
    r"|missing \d+ required positional arguments?: '[^yY]"
    r"|not enough values to unpack|too many values to unpack|truth value of an array"
    r"|cannot be interpreted as an integer|unhashable type|matmul: Input operand"
    r"|object cannot be converted|is not in list|negative dimensions|Maximum allowed"
)
"""Words of errors that a check should have come before."""


MISSING_METHOD = re.compile(
    r"has none of the following attributes|does not provide|has no attribute '[a-z_]+'$"
)
"""`AttributeError`, of a composition whose parts lack a method, as in scikit-learn."""


class FoundError(Exception):
    """What must not happen; the text says what did."""


def refusal(error: BaseException) -> str:
    """Return how an error counts among the outcomes; raise `FoundError` if it is none of them."""
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, AttributeError) and MISSING_METHOD.search(str(error)):
        return "refused"
    if not isinstance(error, ACCEPTED):
        raise FoundError(said) from error
    if ACCIDENTAL.search(str(error)) or not str(error).strip():
        raise FoundError(said) from error
    return "refused"
