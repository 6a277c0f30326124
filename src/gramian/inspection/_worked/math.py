r"""Formulas: a small subset of LaTeX, read once and written as Unicode text or as MathML.

The subset is what worked calculations need: letters, numbers, operators, ``^`` and ``_``, groups,
Greek letters, ``\frac``, ``\sqrt``, accents and font commands. MathML is shown by browsers without
any script, so a notebook page needs no network.
"""

# ruff: noqa: RUF001 (Greek letters and signs of mathematics are meant as such)

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|\s+|.", re.DOTALL)

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω", "infty": "∞", "ell": "ℓ",
    "top": "⊤", "nabla": "∇", "partial": "∂", "ldots": "…", "cdots": "⋯", "vdots": "⋮",
}  # fmt: skip
_OPERATORS = {
    "sum": "∑", "prod": "∏", "cdot": "·", "times": "×", "pm": "±", "le": "≤", "ge": "≥", "ne": "≠",
    "approx": "≈", "sim": "∼", "in": "∈", "to": "→", "leftarrow": "←", "Rightarrow": "⇒",
    "mid": "|", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "{": "{", "}": "}",
}  # fmt: skip
_FUNCTIONS = frozenset({"arg", "det", "exp", "ln", "log", "max", "min"})
_SPACES = {"quad": "  ", "qquad": "    ", ",": " ", ";": " ", " ": " "}
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
_FONTS = frozenset({"mathbf", "mathrm", "operatorname", "text"})
_SUPERSCRIPTS = dict(zip("0123456789+-()n⊤i", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵀⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-()ijkmn", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ᵢⱼₖₘₙ", strict=True))
_RELATIONS = frozenset("=≤≥≈∼≠∈→←⇒<>")
_SIGNS = frozenset("+-±")
_MARKS = {"hat": "^", "bar": "¯", "tilde": "~"}


@dataclass(frozen=True)
class Node:
    """A piece of a formula: `kind` says how to write `text` and `parts`."""

    kind: str
    text: str = ""
    parts: tuple[Node, ...] = ()


def math_text(latex: str) -> str:
    r"""Return a formula as Unicode text.

    Examples
    --------
    >>> math_text(r"\theta = (X^\top X)^{-1} X^\top y")
    'θ = (XᵀX)⁻¹Xᵀy'
    >>> math_text(r"J(\theta) = \frac{1}{2m} \lVert X\theta - y \rVert^2")
    'J(θ) = 1/(2m) ‖Xθ - y‖²'
    """
    text = re.sub(" +", " ", _text(parse(latex))).replace(" ,", ",").replace(" )", ")").strip()
    return unicodedata.normalize("NFC", text)


def display_width(text: str) -> int:
    """Return the number of columns a text takes in a terminal: accents take none."""
    return sum(not unicodedata.combining(letter) for letter in text)


def math_ml(latex: str, *, block: bool = False) -> str:
    """Return a formula as a MathML element, on a line of its own if `block`."""
    display = ' display="block"' if block else ""
    return f"<math{display}>{_ml(parse(latex))}</math>"


def parse(latex: str) -> Node:
    """Return the tree of a formula; raise ValueError for what the subset lacks."""
    tokens = [token for token in _TOKEN.findall(latex) if not token.isspace()]
    node, rest = _row(tokens, closing=None)
    if rest:
        raise ValueError(f"formula {latex!r} has an unmatched '}}'.")
    return node


def _row(tokens: list[str], closing: str | None) -> tuple[Node, list[str]]:
    parts: list[Node] = []
    while tokens and tokens[0] != "}":
        if tokens[0] in ("^", "_"):
            kind = "sup" if tokens[0] == "^" else "sub"
            script, tokens = _atom(tokens[1:])
            base = parts.pop() if parts else Node("symbol")
            parts.append(Node(kind, parts=(base, script)))
        else:
            part, tokens = _atom(tokens)
            parts.append(part)
    if closing is not None:
        if not tokens:
            raise ValueError("a formula has an unmatched '{'.")
        tokens = tokens[1:]
    return Node("row", parts=tuple(parts)), tokens


def _atom(tokens: list[str]) -> tuple[Node, list[str]]:
    if not tokens:
        raise ValueError("a formula ends where something must follow.")
    token, rest = tokens[0], tokens[1:]
    if token == "{":
        return _row(rest, closing="}")
    if token[0] == "\\":
        return _command(token[1:], rest)
    if token[0].isdigit():
        return Node("number", token), rest
    return Node("symbol" if token.isalpha() else "operator", token), rest


def _command(name: str, rest: list[str]) -> tuple[Node, list[str]]:
    if name in _SYMBOLS:
        return Node("symbol", _SYMBOLS[name]), rest
    if name in _OPERATORS:
        return Node("operator", _OPERATORS[name]), rest
    if name in _FUNCTIONS:
        return Node("function", name), rest
    if name in _SPACES:
        return Node("space", _SPACES[name]), rest
    if name in _ACCENTS or name in _FONTS or name == "sqrt":
        body, rest = _atom(rest)
        return Node(name, parts=(body,)), rest
    if name == "Big":  # the size of the sign behind it
        return _atom(rest)
    if name == "frac":
        above, rest = _atom(rest)
        below, rest = _atom(rest)
        return Node("frac", parts=(above, below)), rest
    raise ValueError(f"formulas do not know the command \\{name}.")


def _text(node: Node) -> str:
    if node.kind == "row":
        return "".join(_joined(node.parts))
    if node.kind in _ACCENTS:
        return _text(node.parts[0]) + _ACCENTS[node.kind]
    if node.kind in _FONTS:
        return _text(node.parts[0])
    if node.kind == "sqrt":
        return f"√{_grouped(node.parts[0])}"
    if node.kind == "frac":
        return f"{_grouped(node.parts[0])}/{_grouped(node.parts[1])} "
    if node.kind in ("sup", "sub"):
        table, mark = (_SUPERSCRIPTS, "^") if node.kind == "sup" else (_SUBSCRIPTS, "_")
        script = _text(node.parts[1]).replace(" ", "")
        small = all(letter in table for letter in script)
        written = (
            "".join(table[letter] for letter in script)
            if small
            else mark + (script if len(script) == 1 else f"({script})")
        )
        return _text(node.parts[0]).rstrip() + written
    return node.text


def _joined(parts: tuple[Node, ...]) -> list[str]:
    """Write the parts of a row, with spaces around relations, binary signs and function names."""
    written: list[str] = []
    for part, before, after in zip(parts, (None, *parts), (*parts[1:], None), strict=False):
        text = _text(part)
        if part.kind == "operator":
            unary = before is None or (before.kind == "operator" and before.text in "(=+-·×/,[")
            if part.text in _RELATIONS or part.text in "·×" or (part.text in _SIGNS and not unary):
                text = f" {text} "
            elif part.text == ",":
                text = ", "
        elif _is_function(part) and after is not None and after.text != "(":
            text = f"{text} "
        written.append(text)
    return written


def _is_function(node: Node) -> bool:
    return node.kind == "function" or (node.kind in ("sup", "sub") and _is_function(node.parts[0]))


def _grouped(node: Node) -> str:
    text = _text(node).strip()
    word = re.fullmatch(r"\w(_\w)?²?|[A-Z]+|[0-9.]+|[‖|][^‖|]*[‖|]²?", text)
    return text if word else f"({text})"


def _ml(node: Node) -> str:
    text = html.escape(node.text)
    if node.kind == "row":
        return "<mrow>" + "".join(_ml(part) for part in node.parts) + "</mrow>"
    if node.kind in ("sup", "sub"):
        base, script = (_ml(part) for part in node.parts)
        return f"<m{node.kind}>{base}{script}</m{node.kind}>"
    if node.kind == "frac":
        above, below = (_ml(part) for part in node.parts)
        return f"<mfrac>{above}{below}</mfrac>"
    if node.kind == "sqrt":
        return f"<msqrt>{_ml(node.parts[0])}</msqrt>"
    if node.kind in _ACCENTS:
        return f"<mover accent='true'>{_ml(node.parts[0])}<mo>{_MARKS[node.kind]}</mo></mover>"
    if node.kind in _FONTS:
        weight = " style='font-weight:bold'" if node.kind == "mathbf" else ""
        return f"<mrow{weight}><mtext>{html.escape(_text(node.parts[0]))}</mtext></mrow>"
    if node.kind == "space":
        return f"<mspace width='{len(node.text) / 2}em'/>"
    if node.kind == "operator":
        return f"<mo>{text}</mo>"
    if node.kind == "number":
        return f"<mn>{text}</mn>"
    return (
        f"<mi mathvariant='normal'>{text}</mi>" if node.kind == "function" else f"<mi>{text}</mi>"
    )
