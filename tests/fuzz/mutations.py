"""Damaged and hostile model files, made from good ones: their bytes, their manifests, their zip."""

import io
import json
import os
import pickle
import random
import struct
import tempfile
import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from zipfile import ZipFile

# -- files, taken apart and put together -------------------------------------------------------


@dataclass
class Parts:
    """A model file as a manifest and the content of its array members."""

    manifest: Any
    members: list[bytes]

    def build(self, rng: random.Random) -> bytes:
        """Return the file, with right checksums for whatever the members are; or nearly that."""
        mutation = rng.choice(TEXT_MUTATIONS) if rng.random() < 0.1 else None
        return self._zipped(rng, mutation)

    def sealed(self) -> bytes:
        """Return the file, with right checksums."""
        return self._zipped(random.Random(0), None)

    def _zipped(self, rng: random.Random, mutation: Any) -> bytes:
        if isinstance(self.manifest, dict) and isinstance(self.manifest.get("members"), list):
            for declared, content in zip(self.manifest["members"], self.members, strict=False):
                if isinstance(declared, dict):
                    declared |= {"size": len(content), "sha256": sha256(content).hexdigest()}
        text = json.dumps(self.manifest).encode()
        text = text if mutation is None else mutation(text, rng)
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


def take_apart(file: bytes) -> tuple[str, list[bytes]]:
    """Return the manifest's text and the array members of a model file."""
    with ZipFile(io.BytesIO(file)) as archive:
        text, *members = [archive.read(name) for name in archive.namelist()]
    return text.decode(), members


# -- mutations of bytes -------------------------------------------------------------------------


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def drop_start(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def insert_run(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
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
    *(
        "Stage",
        f"{__package__}.model_files.Stage",
        "SimpleImputer",
        "Certificate",
        "Ridge",
        "r2_score",
        "numpy.log",
    ),
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


def edit_count(parts: Parts, rng: random.Random) -> None:
    """Change a whole number among the attributes of an object: a size, or the number of a row."""
    nodes = [node for node in parts.manifest["objects"] if _is_object(node)]
    counts = [(node["attributes"], k) for node in nodes for k in node["attributes"]]
    counts = [(slots, k) for slots, k in counts if type(slots[k]) is int]
    if counts:
        slots, name = rng.choice(counts)
        slots[name] = rng.choice((*NUMBERS, slots[name] + 1, slots[name] - 1, 10**9, 2 * 10**7))


def _is_object(node: Any) -> bool:
    return isinstance(node, dict) and isinstance(node.get("attributes"), dict)


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


MEANING_MUTATIONS = (*[edit_manifest] * 5, *[edit_number] * 4, *[edit_count] * 3, edit_member)


class _Canary:
    def __reduce__(self) -> Any:
        return os.system, (f"touch {CANARY}",)


CANARY = os.path.join(tempfile.gettempdir(), "gramian-fuzz-canary")
PICKLE = pickle.dumps(_Canary())


def mutate(files: list[bytes], rng: random.Random) -> bytes:
    """Return one hostile file, made of one of these or two."""
    file = rng.choice(files)
    kind = rng.random()
    if kind < 0.4:
        data = file
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = rng.choice(BYTE_MUTATIONS)(data or b"PK", rng)
        return data
    if kind < 0.45:
        return cut(file, rng) + drop_start(rng.choice(files), rng)
    if kind < 0.47:
        return build_zip([(rng.choice(("x.zip", "manifest.json")), file)], rng)
    if kind < 0.49:
        return rng.choice((PICKLE, b"PK\3\4" + PICKLE, build_zip([("manifest.json", PICKLE)], rng)))
    text, members = take_apart(file)
    parts = Parts(json.loads(text), members)
    if kind < 0.51:
        tower(parts, rng)
    else:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            if isinstance(parts.manifest.get("objects"), (list, dict)):
                rng.choice(MEANING_MUTATIONS)(parts, rng)
    return parts.build(rng)
