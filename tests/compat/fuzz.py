"""Load damaged model files of other libraries, and count what happens.

    python -m tests.compat.fuzz --count 20000 --seed 0

Every file must load or raise ModelFileError, within limits of time and memory and without a
warning; what loads must predict. A crash ends the process, after the number of the file was
printed.
"""

import argparse
import faulthandler
import json
import random
import re
import resource
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from tests.compat.files import NAMES, content, load

from gramian.base import is_classifier
from gramian.exceptions import ModelFileError

MEMORY_LIMIT = 512 * 2**20  # above what the process has before the first load
TIME_LIMIT = 2.0
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
    """Return a JSON document with parts of it taken out or replaced; or lines of a text."""
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
        if rng.random() < 0.4:
            del node[key]
        else:
            node[key] = rng.choice([*VALUES, node[rng.choice(list(keys))]])
        return


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


def main() -> None:
    """Run the files of the command line's numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faulthandler.enable()
    for name in NAMES:
        content(name)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_LIMIT, resource.RLIM_INFINITY))
    seen: Counter[str] = Counter()
    slowest = 0.0
    for number in range(options.first, options.first + options.count):
        if number % 500 == 0:
            print(number, dict(seen), f"slowest {slowest:.2f} s", flush=True)
        began = time.process_time()
        try:
            found = outcome(number, options.seed)
        except (Exception, MemoryError) as error:
            found = f"FAILED {type(error).__name__}: {error}"[:150]
            print(number, mutant(number, options.seed)[0], found, flush=True)
        seen[found] += 1
        slowest = max(slowest, time.process_time() - began)
        if time.process_time() - began > TIME_LIMIT:
            print(f"{number} took {time.process_time() - began:.1f} s", flush=True)
    print(dict(seen), f"slowest {slowest:.2f} s")


if __name__ == "__main__":
    main()
