"""How an estimator is shown: as text (only what differs from the defaults) and as HTML."""

import html
import math
from typing import Any

from gramian._constructor import default_values
from gramian.config import get_config

_LINE_WIDTH = 80
_N_SHOWN = 30  # entries of a list or tuple


def estimator_text(estimator: Any, *, n_char_max: int = 700) -> str:
    """Return ``Name(param=value, ...)``, wrapped; long texts lose their middle."""
    text = _text(estimator, indent=0)
    if len("".join(text.split())) > n_char_max:
        half = n_char_max // 2
        text = f"{text[:half]}...{text[-half:]}"
    return text


def _text(value: Any, indent: int) -> str:
    """Text of a parameter's value; estimators and the containers that hold them are opened."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _fill(f"{type(value).__name__}(", _shown_params(value), ")", indent)
    if type(value) in (list, tuple):
        is_long = len(value) > _N_SHOWN
        if is_long or any(_holds_estimator(item) for item in value):
            left, right = ("[", "]") if isinstance(value, list) else ("(", ")")
            entries = [("", item) for item in value[:_N_SHOWN]]
            return _fill(left, entries, f", ...{right}" if is_long else right, indent)
    return repr(value)


def _holds_estimator(item: Any) -> bool:
    if type(item) in (list, tuple):
        return any(_holds_estimator(part) for part in item)
    return hasattr(item, "get_params") and not isinstance(item, type)


def _fill(left: str, entries: list[tuple[str, Any]], right: str, indent: int) -> str:
    """Put entries on lines of at most 80 characters, aligned behind the opening bracket."""
    start = indent + len(left)
    lines, column = [left], start
    for position, (name, value) in enumerate(entries):
        label = f"{name}=" if name else ""
        text = label + _text(value, start + len(label))
        separator = "," if position < len(entries) - 1 else right
        width = len(text.splitlines()[0]) + 1  # with a comma or bracket; dots may stick out
        if position > 0 and column + 1 + width > _LINE_WIDTH:
            lines.append(" " * start)
            column = start
        elif position > 0:
            lines[-1] += " "
            column += 1
        lines[-1] += text + separator
        column = start + len(text.splitlines()[-1]) if "\n" in text else column + width
    if not entries:
        lines[-1] += right
    return "\n".join(lines)


def _shown_params(estimator: Any) -> list[tuple[str, Any]]:
    params = sorted(estimator.get_params(deep=False).items())
    if not get_config()["print_changed_only"]:
        return params
    defaults = default_values(type(estimator))
    return [(name, value) for name, value in params if _differs(value, defaults.get(name))]


def _differs(value: Any, default: Any) -> bool:
    both = isinstance(value, float) and isinstance(default, float)
    if both and math.isnan(value) and math.isnan(default):
        return False
    return repr(value) != repr(default)


_STYLE = (
    "display:inline-block;font:13px/1.45 ui-monospace,monospace;border:1px solid #8888;"
    "border-radius:6px;padding:.35em .7em"
)


def estimator_html(estimator: Any) -> str:
    """Return a small box: the name, opening to the table of all parameters."""
    changed = {name for name, _ in _shown_params(estimator)}
    fitted = any(name.endswith("_") and not name.startswith("_") for name in vars(estimator))
    rows = "".join(
        f"<tr><td>{'<b>' if name in changed else ''}{html.escape(name)}"
        f"{'</b>' if name in changed else ''}</td>"
        f"<td style='text-align:left'>{_value_html(value)}</td></tr>"
        for name, value in sorted(estimator.get_params(deep=False).items())
    )
    state = "fitted" if fitted else "not fitted"
    return (
        f"<details style='{_STYLE}'><summary><b>{html.escape(type(estimator).__name__)}</b> "
        f"<small>({state})</small></summary><table>{rows}</table></details>"
    )


def _value_html(value: Any) -> str:
    if hasattr(value, "_repr_html_") and hasattr(value, "get_params"):
        return str(value._repr_html_())
    return f"<code>{html.escape(_text(value, indent=0))}</code>"
