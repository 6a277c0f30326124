"""Load damaged model files of other libraries, in text, JSON and UBJSON, and use what loads.

Every file must load or raise ModelFileError, without a warning; what loads must predict.
"""

import json
import random
import re
import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.compat.files import NAMES, content, load

from gramian.base import is_classifier
from gramian.compat._ubjson import is_ubjson, parsed_ubjson
from gramian.exceptions import ModelFileError

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
STRANGE = [b"-1", b"0", b"1", b"7", b"-0.5", b"1e308", b"-1e400", b"1e-320", b"NaN", b"Infinity"]
STRANGE += [b"2147483648", b"-2147483649", b"9223372036854775808", b"9" * 5000, b"16777216"]
STRANGE += [b"null", b"true", b'"x"', b"[]", b"{}", b"[" * 2000, b"inf", b"nan", b"", b"1000000"]
VALUES: list[Any] = [None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, float("nan"), float("inf")]
VALUES += ["", "x", "-1", "99999999", [], {}, [[]], [1, "x"], {"name": 1}, [0] * 50, 65536]


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Return the data with a few bytes changed."""
    raw = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        raw[rng.randrange(len(raw))] = rng.choice([rng.randrange(256), 0, 255, 48, 45])
    return bytes(raw)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Return the data with a part taken out, moved or doubled, or its end cut off."""
    begin = rng.randrange(len(data))
    end = min(len(data), begin + rng.choice([1, 10, 100, 3000]))
    other = rng.randrange(len(data))
    kept = data[:begin] + data[end:]
    return rng.choice(
        [
            data[:begin],
            kept,
            kept[:other] + data[begin:end] + kept[other:],
            data[:end] + data[begin:],
        ]
    )


def renumbered(data: bytes, rng: random.Random) -> bytes:
    """Return the data with some of its numbers replaced."""
    found = list(NUMBER.finditer(data))
    for match in sorted(rng.sample(found, min(len(found), rng.choice([1, 1, 3]))), reverse=True,
                        key=lambda m: m.start()):  # fmt: skip
        new = rng.choice([*STRANGE, rng.choice(found).group()])
        data = data[: match.start()] + new + data[match.end() :]
    return data


def restructured(data: bytes, rng: random.Random) -> Any:
    """Return a document with parts of it taken out or replaced; or lines of a text."""
    if is_ubjson(data):
        document = parsed_ubjson(data)
        for _ in range(rng.choice([1, 1, 2])):
            _change(document, rng)
        return ubjson(document)
    if data[:1] != b"{" or data[1:2] not in b'"\n ':
        lines = data.split(b"\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[at : at + rng.choice([0, 1, 1, 5])] = rng.choice([[], [lines[other]]])
        return b"\n".join(lines)
    document = json.loads(data)
    for _ in range(rng.choice([1, 1, 2])):
        _change(document, rng)
    return document


def _change(document: Any, rng: random.Random) -> None:
    """Change one member somewhere in a document."""
    node = document
    while node:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = rng.choice(list(keys))
        if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.9:
            node = node[key]
            continue
        if isinstance(node[key], np.ndarray) and rng.random() < 0.9:
            node[key] = _changed_array(node[key], rng)
            return
        if rng.random() < 0.4:
            del node[key]
        else:
            node[key] = rng.choice([*VALUES, node[rng.choice(list(keys))]])
        return


def _changed_array(array: Any, rng: random.Random) -> Any:
    """Return an array with another value, length or type."""
    if array.size and rng.random() < 0.6:
        limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.finfo(array.dtype)
        array = array.copy()
        array[rng.randrange(array.size)] = rng.choice([0, 1, 7, limits.min, limits.max, np.inf])
        return array
    others: list[Any] = [array[:-1], array.repeat(2), array.tolist(), array.astype("float32")]
    return rng.choice([*others, array.astype("int8"), array[:0]])


def ubjson(value: Any) -> bytes:
    """Return the UBJSON document of any value."""
    if isinstance(value, dict):
        members = [_text(str(name)) + ubjson(member) for name, member in value.items()]
        return b"{" + b"".join(members) + b"}"
    if isinstance(value, list):
        return b"[" + b"".join(map(ubjson, value)) + b"]"
    if isinstance(value, np.ndarray):
        mark = {"i1": b"i", "u1": b"U", "i2": b"I", "i4": b"l", "i8": b"L", "f4": b"d", "f8": b"D"}
        big_endian = value.astype(value.dtype.newbyteorder(">")).tobytes()
        return (
            b"[$" + mark[value.dtype.str[1:]] + b"#L" + struct.pack(">q", len(value)) + big_endian
        )
    if isinstance(value, str):
        return b"S" + _text(value)
    if value is None or isinstance(value, bool):
        return {None: b"Z", True: b"T", False: b"F"}[value]
    if isinstance(value, float) or abs(value) >= 2**63:
        return b"D" + struct.pack(">d", value)
    return b"L" + struct.pack(">q", value)


def _text(text: str) -> bytes:
    data = text.encode()
    return b"L" + struct.pack(">q", len(data)) + data


MUTATIONS = [flipped, cut, renumbered, restructured]


def mutant(number: int, seed: int) -> tuple[str, Any]:
    """Return the damaged file of a number, and the name of the whole one."""
    rng = random.Random(f"{seed} {number}")
    name = NAMES[number % len(NAMES)]
    data = rng.choice(MUTATIONS)(content(name), rng)
    if isinstance(data, bytes) and data and rng.random() < 0.2:
        data = rng.choice([flipped, cut])(data, rng)
    return name, data


def outcome(number: int, seed: int) -> str:
    """Load one damaged file and use what it gives; return what happened."""
    name, data = mutant(number, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model = load(name, data)
        except ModelFileError:
            return "refused"
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        if model.n_features_in_ > 1000:
            return "loaded with many columns"
        rows = np.random.default_rng(0).normal(size=(20, model.n_features_in_))
        rows[::5] = np.nan
        scores = (model.decision_function if is_classifier(model) else model.predict_raw)(rows)
        assert scores.shape[0] == 20
        assert model.predict(rows).shape[0] == 20
    return "loaded"


@dataclass(frozen=True)
class LibraryFileCase:
    """A damaged file, by its number and the seed."""

    number: int
    seed: int = 0

    def run(self) -> str:
        """Load the file and use what it holds."""
        return outcome(self.number, self.seed)

    def smaller(self) -> Iterator["LibraryFileCase"]:
        """Yield nothing: a file is told by its number."""
        return iter(())

    def snippet(self) -> str:
        """Return code that runs the case."""
        return f"from tests.fuzz.library_files import LibraryFileCase\n{self!r}.run()"


def library_file_cases(seed: int, only: str = "") -> Iterator[LibraryFileCase]:
    """Yield cases without end."""
    number = 0
    while True:
        yield LibraryFileCase(number, seed)
        number += 1
