"""What calls of CatBoost's take without effect, and what they return in pandas."""

from typing import Any

__all__ = ["check_unused", "pandas_frame"]

_IDLE = ("thread_count", "verbose", "task_type", "log_cout", "log_cerr")


def check_unused(call: str, options: dict[str, Any]) -> None:
    """Refuse arguments but those that cannot change what a call returns.

    Parameters
    ----------
    call : str
        What was called.
    options : dict
        Its further arguments.
    """
    for name, value in options.items():
        if name not in _IDLE:
            raise TypeError(f"{call} got an unexpected argument {name!r}.")
        if name == "task_type" and value != "CPU":
            raise ValueError(f"task_type={value!r} is not supported by gramian; leave it out.")


def pandas_frame(columns: dict[str, Any]) -> Any:
    """Return columns as a data frame of pandas, as CatBoost does."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("This is returned as a data frame of pandas, which is missing.") from None
    return pd.DataFrame(columns)
