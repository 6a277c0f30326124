"""Load damaged and hostile model files, and count what happens.

    python tests/persistence/fuzz.py --count 100000 --seed 0

Every file must load or raise ModelFileError, within limits of time and memory, and without running
code: an audit hook watches for imports, ``exec``, processes and opened files, and payloads would
leave a canary file behind. What loads is then used: hashed, drawn from, listed, saved and loaded
again. The work is done in a child process, so that a crash or a hang is seen, with the number of
the file that caused it.
"""

import argparse
import io
import json
import mmap
import os
import pickle
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from scipy import sparse

import gramian
from gramian.base import BaseEstimator
from gramian.exceptions import ModelFileError
from gramian.persistence import persistable

CPU_LIMIT = 2.0
HANG_LIMIT = 20.0
MEMORY_LIMIT = 256 * 2**20  # above what the process has before the first load


@persistable
class Stage(BaseEstimator):
    """An estimator with everything in its state that a file can hold."""

    def __init__(self, alpha: Any = 1.0, steps: Any = None, random_state: Any = None) -> None:
        self.alpha = alpha
        self.steps = steps
        self.random_state = random_state


@persistable
@dataclass(frozen=True)
class Split:
    """Indices into an array, checked when they are read."""

    children: np.ndarray[Any, Any]
    label: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def _check_state(self) -> None:
        if self.children.size and self.children.max() >= self.children.size:
            raise ValueError("a child is out of range")


def seed_models() -> list[Any]:
    """Return models whose files are mutated."""
    rng = np.random.default_rng(0)
    inner = Stage(alpha=np.float32(0.5), random_state=np.random.RandomState(3))
    inner.coef_ = rng.normal(size=(5, 9))
    inner.names_ = np.array(["a", "bc", None, 3.5], dtype=object)
    inner.split_ = Split(np.array([1, 2, 0], dtype=np.int32), "x", {"k": 1})
    outer = Stage(steps=[("one", inner), ("two", inner)], random_state=np.random.default_rng(5))
    outer.sparse_ = sparse.random_array((20, 9), density=0.3, rng=rng, format="csr")
    outer.coo_ = sparse.coo_matrix(np.eye(3))
    outer.text_ = np.array(["red", "green"] * 60)
    outer.mask_ = np.arange(400) % 3 == 0
    outer.dates_ = np.array(["2024-01-01", "NaT"], dtype="datetime64[D]")
    values = [None, True, -(2**80), float("nan"), -0.0, 2 + 3j, b"ab", range(5), slice(1, None, 2)]
    more = {"t": (1, 2), ("k", 1): {3, 4}, "d": np.dtype("f4"), "n": np.float64, "u": np.log1p}
    philox = np.random.Generator(np.random.Philox(1))
    return [inner, outer, [values, more, philox, frozenset({"a"})], *library_models()]


def library_models() -> list[Any]:
    from gramian.linear_model import LinearRegression, Ridge
    from gramian.model_selection import GridSearchCV, KFold

    X = np.arange(12.0).reshape(6, 2) ** 2
    grid = [{"alpha": [1.0, 2.0]}, {"solver": ["svd", "auto"]}]
    search = GridSearchCV(Ridge(), grid, cv=KFold(2))
    return [LinearRegression().fit(X, X[:, 0]), Ridge(alpha=0.5).fit(X, X), search.fit(X, X[:, 0])]


# -- files, taken apart and put together -------------------------------------------------------


@dataclass
class Parts:
    """A model file as a manifest and the content of its array members."""

    manifest: Any
    members: list[bytes]

    def build(self, rng: random.Random) -> bytes:
        """Return the file, with right checksums for whatever the members are."""
        if isinstance(self.manifest, dict) and isinstance(self.manifest.get("members"), list):
            for declared, content in zip(self.manifest["members"], self.members, strict=False):
                if isinstance(declared, dict):
                    declared |= {"size": len(content), "sha256": sha256(content).hexdigest()}
        text = json.dumps(self.manifest).encode()
        text = rng.choice(TEXT_MUTATIONS)(text, rng) if rng.random() < 0.1 else text
        names = ["manifest.json", *(f"arrays/{i}.bin" for i in range(len(self.members)))]
        return build_zip(list(zip(names, [text, *self.members], strict=True)), rng)


def build_zip(members: list[tuple[str, bytes]], rng: random.Random) -> bytes:
    """Return a zip file; quicker than zipfile."""
    body, directory = bytearray(), bytearray()
    for name, content in members:
        deflate = rng.random() < 0.3
        compressor = zlib.compressobj(1, zlib.DEFLATED, -15)
        packed = compressor.compress(content) + compressor.flush() if deflate else content
        sizes = (zlib.crc32(content), len(packed), len(content), len(name), 0)
        head = struct.pack("<HHHHH", 20, 0, 8 if deflate else 0, 0, 33)
        offset = len(body)
        body += b"PK\3\4" + head + struct.pack("<IIIHH", *sizes) + name.encode() + packed
        directory += b"PK\1\2\24\0" + head + struct.pack("<IIIHH", *sizes)
        directory += struct.pack("<HHHII", 0, 0, 0, 0, offset) + name.encode()
    n = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, n, n, len(directory), len(body), 0)
    return bytes(body + directory + b"PK\5\6" + end)


# -- mutations of bytes -------------------------------------------------------------------------


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def drop_start(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data)) :]


def insert_run(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    run = rng.choice((b"\0", b"\xff", b"PK\3\4", rng.randbytes(1))) * rng.choice((1, 7, 500))
    return data[:at] + run + data[at:]


def delete_run(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 4, 50)) :]


def lie_in_headers(data: bytes, rng: random.Random) -> bytes:
    """Write large numbers into the fields of the zip's records."""
    signature, n_bytes = rng.choice(((b"PK\1\2", 46), (b"PK\3\4", 30), (b"PK\5\6", 22)))
    at = data.find(signature, rng.randrange(len(data)))
    at = data.find(signature) if at < 0 else at
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        width = rng.choice((2, 4))
        number = rng.choice((0, 1, 0x7FFF, 2**31 - 1, 2**31, 2**32 - 1, 2**27))
        start = at + 4 + rng.randrange((n_bytes - 4) // width) * width
        out[start : start + width] = (number % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(out)


BYTE_MUTATIONS = (flip_bits, cut, drop_start, insert_run, delete_run, lie_in_headers)

TEXT_MUTATIONS = (
    flip_bits,
    cut,
    lambda text, rng: b"[" * 50_000 + b"]" * 50_000,
    lambda text, rng: text.replace(b'"root"', b'"root": 1, "root"'),
    lambda text, rng: text.replace(b": 1", b": " + b"9" * 5_000, 1),
    lambda text, rng: text.replace(b": 1", rng.choice((b": NaN", b": 1e999", b": -Infinity")), 1),
    lambda text, rng: text.decode().encode(rng.choice(("utf-16", "utf-32", "utf-8-sig"))),
    lambda text, rng: text + b" " * 2**20,
    lambda text, rng: rng.randbytes(100),
)


# -- mutations of meaning -----------------------------------------------------------------------

NAMES = (
    *("os.system", "builtins.eval", "subprocess.Popen", "gramian.load", "numpy.load", "numpy.f2py"),
    *("Stage", "__main__.Stage", "__main__.Split", "Certificate", "Ridge", "r2_score", "numpy.log"),
    *("__class__", "__dict__", "__reduce__", "predict", "fit", "get_params", "_check_state", "ref"),
    *("<f8", "<i8", "|b1", "<U3", "|S0", "<U0", "<M8[0s]", "<m8[ns]", "|O", ">f8", "|V8", "<f16"),
    *("list", "tuple", "set", "dict", "array", "object_array", "object", "sparse", "random"),
    *("csc", "coo", "matrix", "C", "F", "MT19937", "Philox", "SFC64", "Generator", "RandomState"),
    *("0x1p+0", "nan", "0x" + "f" * 9000, "00", "", "\ud800", "/etc/passwd", "../x", "a" * 3000),
)
NUMBERS = (*range(-1, 9), 623, 624, 625, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, -(2**63), 10**19)


def junk(rng: random.Random, depth: int = 3) -> Any:
    kind = rng.randrange(10 if depth else 6)
    if kind < 2:
        return rng.choice(NAMES)
    if kind < 4:
        return rng.choice(NUMBERS)
    if kind < 6:
        return rng.choice((None, True, False, {}, [], {"ref": rng.randrange(20)}))
    if kind < 8:
        return [junk(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = ("ref", "float", "int", "complex", "type", "items", rng.choice(NAMES))
    return {rng.choice(keys): junk(rng, depth - 1) for _ in range(rng.choice((1, 1, 2)))}


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Return (container, key) of everything in a JSON value."""
    found, todo = [], [tree]
    while todo:
        part = todo.pop()
        keys = part.keys() if isinstance(part, dict) else range(len(part))
        found += [(part, key) for key in keys]
        todo += [part[key] for key in keys if isinstance(part[key], (dict, list))]
    return found


def edit_manifest(parts: Parts, rng: random.Random) -> None:
    """Change one place of the manifest, leaving valid JSON."""
    container, key = rng.choice(places(parts.manifest))
    action = rng.randrange(8)
    if action == 0:
        del container[key]
    elif action == 1:
        other, other_key = rng.choice(places(parts.manifest))
        container[key] = json.loads(json.dumps(other[other_key]))
    elif action == 2 and isinstance(container, dict):
        container[rng.choice(NAMES)] = container.pop(key)
    elif action == 3 and isinstance(container, list):
        container.insert(key, junk(rng))
    elif action == 4 and isinstance(container[key], int):
        container[key] += rng.choice((-1, 1, 2**31, 2**62))
    else:
        container[key] = junk(rng)


def edit_number(parts: Parts, rng: random.Random) -> None:
    """Change a number, a reference or a string of the manifest into another one."""
    kinds = (int, str)
    atoms = [(c, k) for c, k in places(parts.manifest["objects"]) if isinstance(c[k], kinds)]
    if atoms:
        container, key = rng.choice(atoms)
        container[key] = rng.choice(NUMBERS if isinstance(container[key], int) else NAMES)


def edit_member(parts: Parts, rng: random.Random) -> None:
    """Change the content of an array member; its checksum will be right."""
    if parts.members:
        index = rng.randrange(len(parts.members))
        content = parts.members[index]
        change = rng.choice((flip_bits, flip_bits, cut, insert_run, lambda *_: PICKLE))
        parts.members[index] = change(content, rng)


def tower(parts: Parts, rng: random.Random) -> None:
    """Put shared values into each other: few objects, an enormous value."""
    kind = rng.choice(("list", "tuple", "frozenset"))
    nodes = [{"type": "tuple", "items": [1, 2]}]
    for i in range(rng.choice((10, 30, 99, 150, 2000))):
        nodes.append({"type": kind, "items": [{"ref": i}] * rng.choice((1, 2))})
    nodes.append({"type": "dict", "items": [[{"ref": len(nodes) - 1}, None]]})
    parts.manifest |= {"objects": nodes, "root": {"ref": len(nodes) - 1}, "members": []}
    parts.members = []


MEANING_MUTATIONS = (*[edit_manifest] * 5, *[edit_number] * 4, edit_member)


class _Canary:
    def __reduce__(self) -> Any:
        return os.system, (f"touch {CANARY}",)


CANARY = os.path.join(tempfile.gettempdir(), "gramian-fuzz-canary")
PICKLE = pickle.dumps(_Canary())


def mutate(files: list[bytes], texts: list[str], members: list[list[bytes]], rng: Any) -> bytes:
    """Return one hostile file."""
    chosen = rng.randrange(len(files))
    kind = rng.random()
    if kind < 0.4:
        data = files[chosen]
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = rng.choice(BYTE_MUTATIONS)(data or b"PK", rng)
        return data
    if kind < 0.45:
        return cut(files[chosen], rng) + drop_start(rng.choice(files), rng)
    if kind < 0.47:
        return build_zip([(rng.choice(("x.zip", "manifest.json")), files[chosen])], rng)
    if kind < 0.49:
        return rng.choice((PICKLE, b"PK\3\4" + PICKLE, build_zip([("manifest.json", PICKLE)], rng)))
    parts = Parts(json.loads(texts[chosen]), list(members[chosen]))
    if kind < 0.51:
        tower(parts, rng)
    else:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            if isinstance(parts.manifest.get("objects"), (list, dict)):
                rng.choice(MEANING_MUTATIONS)(parts, rng)
    return parts.build(rng)


# -- loading under watch ------------------------------------------------------------------------

FORBIDDEN = {"compile", "exec", "import", "marshal.loads", "open", "pickle.find_class"}
FORBIDDEN_PREFIXES = ("os.", "subprocess.", "ctypes.", "socket.", "shutil.", "code.", "glob.")


class Watch:
    """An audit hook that notes forbidden events while a file is loaded."""

    def __init__(self) -> None:
        self.active = False
        self.events: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.active and (event in FORBIDDEN or event.startswith(FORBIDDEN_PREFIXES)):
            self.events.append(f"{event} {args!r:.100}")


def exercise(model: Any) -> None:
    """Use a loaded value as a program would."""
    gramian.fingerprint(model)
    todo = [model]
    for _ in range(2_000):
        if not todo:
            break
        value = todo.pop()
        if isinstance(value, (list, tuple, set, frozenset)):
            todo += value
        elif isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, np.random.RandomState):
            value.randint(0, 9, size=700)
        elif isinstance(value, np.random.Generator):
            value.integers(0, 9, size=700)
        elif sparse.issparse(value):
            if max(value.shape) < 1_000:
                value.toarray()
        elif isinstance(value, np.ndarray):
            str(value.tolist()).encode("utf-8", "surrogatepass")
        elif hasattr(value, "__dict__") and not callable(value):
            todo += vars(value).values()
    copy = io.BytesIO()
    gramian.save(model, copy)
    if gramian.fingerprint(gramian.load(copy)) != gramian.fingerprint(model):
        raise AssertionError("a loaded model differs from its copy")


@dataclass
class Counts:
    """What happened to the files."""

    outcomes: Counter[str] = field(default_factory=Counter)
    worst_s: float = 0.0
    load_s: float = 0.0
    breaches: list[str] = field(default_factory=list)


def check(data: bytes, watch: Watch, counts: Counts) -> None:
    """Load one file and note the outcome."""
    model = None
    start = time.process_time()
    watch.active = True
    try:
        model = gramian.load(io.BytesIO(data))
        outcome = "loaded"
    except ModelFileError:
        outcome = "refused"
    except BaseException as error:
        outcome = "breach"
        counts.breaches.append(f"raised {error!r:.200}")
    watch.active = False
    seconds = time.process_time() - start
    counts.load_s += seconds
    counts.worst_s = max(counts.worst_s, seconds)
    if seconds > CPU_LIMIT:
        counts.breaches.append(f"took {seconds:.1f} s")
    counts.breaches += [f"audit event {event}" for event in watch.events]
    watch.events.clear()
    if outcome == "loaded":
        try:
            exercise(model)
        except Exception as error:
            counts.breaches.append(f"loaded, then raised {error!r:.200}")
    counts.outcomes[outcome] += 1


def take_apart(file: bytes) -> tuple[str, list[bytes]]:
    from zipfile import ZipFile

    with ZipFile(io.BytesIO(file)) as archive:
        text, *members = [archive.read(name) for name in archive.namelist()]
    return text.decode(), members


def import_library() -> None:
    """Look up a class that does not exist, for which all families are imported."""
    unknown = {"type": "object", "class": "Unknown", "params": {}, "attributes": {}}
    manifest = {"format": "gramian-model", "version": 1, "gramian": "", "members": [], "root": None}
    parts = Parts(manifest | {"objects": [unknown]}, [])
    try:
        gramian.load(io.BytesIO(parts.build(random.Random(0))))
    except ModelFileError as error:
        assert "Unknown" in str(error)


def limit_memory() -> int:
    """Allow `MEMORY_LIMIT` more address space than is used now; return the peak so far in bytes."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_LIMIT, used + MEMORY_LIMIT))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work(first: int, stop: int, seed: int, progress: Any) -> int:
    """Check the files `first` to `stop`, print the counts, and return the exit code."""
    files = []
    for model in seed_models():
        file = io.BytesIO()
        gramian.save(model, file)
        exercise(gramian.load(file))
        files.append(file.getvalue())
    texts, members = zip(*map(take_apart, files), strict=True)
    watch, counts = Watch(), Counts()
    import_library()
    baseline = limit_memory()
    for index in range(first, stop):
        progress[:8] = struct.pack("<q", index)
        data = mutate(files, texts, members, random.Random(f"{seed}/{index}"))
        signal.setitimer(signal.ITIMER_REAL, HANG_LIMIT)  # kills this process
        n_before = len(counts.breaches)
        check(data, watch, counts)
        for breach in counts.breaches[n_before:]:
            print(f"BREACH by file {index} (of {len(data)} bytes): {breach}", flush=True)
    signal.setitimer(signal.ITIMER_REAL, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - baseline
    n_files = max(stop - first, 1)
    print(
        f"files {n_files}, loaded {counts.outcomes['loaded']}, refused "
        f"{counts.outcomes['refused']}, breaches {len(counts.breaches)}; load: mean "
        f"{counts.load_s / n_files * 1e3:.2f} ms, worst {counts.worst_s * 1e3:.1f} ms; "
        f"memory: peak {peak / 2**20:.1f} MiB above the start"
    )
    if os.path.exists(CANARY):
        print(f"BREACH: a payload ran and created {CANARY}")
        return 1
    return 1 if counts.breaches else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Load mutated model files.")
    parser.add_argument("--count", type=int, default=10_000, help="number of files")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations")
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.progress:
        with open(options.progress, "r+b") as file:
            stop = options.first + options.count
            return work(options.first, stop, options.seed, mmap.mmap(file.fileno(), 8))
    if os.path.exists(CANARY):
        os.unlink(CANARY)
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(bytes(8))
        progress.flush()
        command = [sys.executable, *sys.argv, "--progress", progress.name]
        child = subprocess.run(command, check=False)
        if child.returncode < 0:
            progress.seek(0)
            (index,) = struct.unpack("<q", progress.read(8))
            name = signal.Signals(-child.returncode).name
            print(f"BREACH by file {index}: the process ended with {name}")
            return 1
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
