"""Damaged and hostile files raise ModelFileError and do nothing else."""

import io
import json
import pickle
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gramian
from gramian.base import BaseEstimator
from gramian.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from gramian.exceptions import ModelFileError
from gramian.linear_model import Ridge
from gramian.persistence import persistable
from gramian.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from gramian.tree import DecisionTreeRegressor


@persistable
class Stage(BaseEstimator):
    def __init__(self, alpha: Any = 1.0) -> None:
        self.alpha = alpha

    def predict(self, X: Any) -> Any:
        return X


@persistable
@dataclass(frozen=True)
class Tree:
    children: Any

    def _check_state(self) -> None:
        if self.children.max() >= self.children.size:
            raise ValueError("a child is out of range")


def saved(value: Any) -> bytes:
    file = io.BytesIO()
    gramian.save(value, file)
    return file.getvalue()


def rewritten(
    value: Any, edit: Callable[[dict[str, Any]], Any], member: bytes | None = None
) -> bytes:
    """Return the file of `value` with its manifest edited, and its first array exchanged."""
    with ZipFile(io.BytesIO(saved(value))) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(contents["manifest.json"])
    if member is not None:
        contents["arrays/0.bin"] = member
        manifest["members"][0] = {"size": len(member), "sha256": sha256(member).hexdigest()}
    edit(manifest)
    contents["manifest.json"] = json.dumps(manifest).encode()
    return zipped(contents.items())


def zipped(contents: Any, method: int = ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, content in contents:
            archive.writestr(ZipInfo(name), content, method)
    return file.getvalue()


def refuse(data: bytes, match: str) -> None:
    with pytest.raises(ModelFileError, match=match):
        gramian.load(io.BytesIO(data))


def set_first(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest["objects"][0].update(changes)


def set_manifest(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest.update(changes)


LARGE = np.arange(100.0)


# -- the archive --------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\3\4", b"\x80\x04K\x01.", b"x" * 1000])
def test_what_is_no_zip_is_refused(data: bytes) -> None:
    refuse(data, "<file object> cannot be loaded: ")


def test_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.gramian"
    path.write_bytes(saved(LARGE)[:-5])
    with pytest.raises(ModelFileError, match=r"broken\.gramian cannot be loaded: it is damaged"):
        gramian.load(path)
    with pytest.raises(FileNotFoundError):
        gramian.load(tmp_path / "missing")
    with pytest.raises(TypeError, match="binary"):
        gramian.load(io.StringIO("x"))


def test_every_flipped_byte_is_noticed_or_harmless() -> None:
    data = saved([LARGE[:40], {"a": (1.5, "x")}])
    before = gramian.fingerprint(gramian.load(io.BytesIO(data)))
    for i in range(len(data)):
        changed = bytearray(data)
        changed[i] ^= 0x55
        try:
            model = gramian.load(io.BytesIO(bytes(changed)))
        except ModelFileError:
            continue
        assert gramian.fingerprint(model) == before  # a date, a version or an attribute of the zip


def test_every_cut_is_noticed() -> None:
    data = saved([LARGE[:40], "x"])
    for n_bytes in range(len(data)):
        refuse(data[:n_bytes], "cannot be loaded")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archive_must_have_the_members_that_are_listed() -> None:
    with ZipFile(io.BytesIO(saved(LARGE))) as archive:
        contents = [(name, archive.read(name)) for name in archive.namelist()]
    refuse(zipped(contents[1:]), "no member 'manifest.json'")
    refuse(zipped(contents[:1]), "does not list the members")
    refuse(zipped([*contents, ("extra", b"")]), "does not list the members")
    refuse(zipped([*contents, contents[1]]), "two members named")
    refuse(zipped([contents[0], ("../x", contents[1][1])]), "does not describe the member 0")
    refuse(zipped([contents[0], (contents[1][0], b"x" * 800)]), "checksum of the member 0 is wrong")
    refuse(zipped([contents[0], (contents[1][0], b"x" * 8)]), "does not have the size")
    refuse(zipped(contents, ZIP_BZIP2), "not stored or deflated")
    assert gramian.load(io.BytesIO(zipped(contents, ZIP_STORED))).size == 100


def test_unused_and_reused_members_are_refused() -> None:
    refuse(rewritten(LARGE, set_manifest(objects=[], root=None)), "member 0 is not used")
    twice = rewritten(LARGE, lambda m: m["objects"].append(m["objects"][0]))
    refuse(twice, "object 1: the member 0 does not exist or is used twice")


def test_decompression_bombs_are_refused_before_they_are_read() -> None:
    bomb = zipped([("manifest.json", b" " * 2**21)])
    refuse(bomb, r"manifest has 2097152 bytes; 1048576 are allowed")
    head, crc = saved(LARGE), zlib.crc32(LARGE.tobytes()).to_bytes(4, "little")
    at = head.rfind(crc)  # in the central directory: crc, compressed size, size
    lied = head[: at + 8] + (2**31).to_bytes(4, "little") + head[at + 12 :]
    refuse(lied, "members declare .* at most")
    lied = head[: at + 4] + (2**31).to_bytes(4, "little") + head[at + 8 :]
    refuse(lied, "overlap")


# -- the manifest -------------------------------------------------------------------------------


def test_newer_versions_are_named() -> None:
    newer = rewritten(1, set_manifest(version=2, gramian="9.0"))
    refuse(newer, "format version 2, written by gramian '9.0'; this gramian reads up to version 1")
    refuse(rewritten(1, set_manifest(version="1")), "no format version")
    refuse(rewritten(1, set_manifest(format="zip")), "not a model file")
    refuse(rewritten(1, set_manifest(extra=1)), r"wrong keys: \['extra'\]")
    refuse(rewritten(1, lambda m: m.pop("root")), r"wrong keys: \['root'\]")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1, "a": 2}', "a key twice"),
        (b"1" * 5_000, "too long"),
        (b"NaN", "not an integer"),
        (b"1.5", "not an integer"),
        (b"\xff\xfe", "not JSON"),
        ('{"format": 1}'.encode("utf-16"), "not JSON"),
        (b"[]", "not a model file"),
        (pickle.dumps([]), "not JSON"),
    ],
)
def test_manifest_must_be_plain_json(text: bytes, match: str) -> None:
    refuse(zipped([("manifest.json", text)]), match)


@pytest.mark.parametrize(
    ("root", "match"),
    [
        ({"ref": 0}, "not to an earlier object"),
        ({"ref": -1}, "not to an earlier object"),
        ({"ref": True}, "not to an earlier object"),
        ([1], "is not a value"),
        ({}, "is not a value"),
        ({"pickle": "gASVAAAA"}, "is not a value"),
        ({"int": "10"}, "is not a value"),
        ({"float": 1}, "is not a value"),
        ({"float": "0x1p+9999"}, "damaged"),
        (2**63, "is not a value"),
    ],
)
def test_slots_are_checked(root: Any, match: str) -> None:
    refuse(rewritten(1, set_manifest(root=root)), match)


@pytest.mark.parametrize(
    ("node", "match"),
    [
        ({"type": "code"}, "type 'code' is unknown"),
        ({"type": ["list"]}, "is unknown"),
        ([], "is unknown"),
        ({"type": "list"}, "keys for type 'list' must be items, type"),
        ({"type": "list", "items": {}}, "not a list"),
        ({"type": "list", "items": [{"ref": 0}]}, "not to an earlier object"),
        ({"type": "dict", "items": [[1]]}, "not pairs"),
        ({"type": "dict", "items": [[1, 2], [1, 3]]}, "key twice"),
        ({"type": "set", "items": [1, True]}, "key twice"),
        ({"type": "range", "start": 0, "stop": 1, "step": 0}, "not a valid range"),
        ({"type": "range", "start": None, "stop": 1, "step": 1}, "not a valid range"),
        ({"type": "bytes", "data": "0"}, "neither bytes"),
        ({"type": "bytes", "data": "0 0"}, "neither bytes"),
        ({"type": "dtype", "name": "f8,f8"}, "not allowed"),
        ({"type": "dtype", "name": "<M8[0s]"}, "not allowed"),
        ({"type": "scalar", "dtype": "<f8", "data": "00"}, "1 bytes are no <f8"),
        ({"type": "scalar", "dtype": "|b1", "data": "02"}, "bytes other than 0 and 1"),
        ({"type": "scalar", "dtype": "<U1", "data": "ffffffff"}, "not a valid scalar"),
        ({"type": "builtin", "name": "eval"}, "unknown to this version"),
        ({"type": "function", "name": "os.system"}, "unknown to this version"),
        ({"type": "function", "name": "numpy.load"}, "unknown to this version"),
        ({"type": "function", "name": "builtins.eval"}, "unknown to this version"),
        ({"type": "random", "container": "Generator", "state": None}, "unknown"),
    ],
)
def test_objects_are_checked(node: Any, match: str) -> None:
    refuse(rewritten(1, set_manifest(objects=[node])), f"object 0: .*{match}")


def test_integers_with_one_hash_are_refused() -> None:
    modulus = 2**61 - 1
    items = [{"int": hex(i * modulus)} for i in range(8, 3000)]
    node = {"type": "set", "items": items}
    refuse(rewritten(1, set_manifest(objects=[node])), "same hash")


@pytest.mark.parametrize("kind", ["tuple", "frozenset", "list"])
def test_towers_of_shared_values_are_refused(kind: str) -> None:
    nodes: list[Any] = [{"type": "tuple", "items": [0, 1]}]
    for i in range(60):
        nodes.append({"type": kind, "items": [{"ref": i}, {"ref": 0}, {"ref": max(i - 1, 0)}]})
    if kind != "frozenset":
        refuse(rewritten(1, set_manifest(objects=nodes)), "repeated too often")
    nodes = [{"type": "list", "items": []}]
    nodes += [{"type": "list", "items": [{"ref": i}]} for i in range(200)]
    refuse(rewritten(1, set_manifest(objects=nodes)), "nested more than 100 deep")


# -- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"shape": [101]}, "800 bytes are no array"),
        ({"shape": [2**62, 2**62]}, "800 bytes are no array"),
        ({"shape": [-100, -1]}, "no length"),
        ({"shape": [100.0]}, "not an integer"),
        ({"shape": [True] * 2}, "no length"),
        ({"shape": [1] * 40}, "at most 32"),
        ({"shape": 100}, "at most 32"),
        ({"dtype": "<f4"}, "800 bytes are no array"),
        ({"dtype": "|O"}, "not allowed"),
        ({"dtype": "|V8"}, "not allowed"),
        ({"dtype": ">f8"}, "not allowed"),
        ({"dtype": "<U0", "shape": [2**40]}, "are no array"),
        ({"order": "K"}, "neither 'C' nor 'F'"),
        ({"data": -1}, "does not exist"),
        ({"data": 1}, "does not exist"),
        ({"data": None}, "neither bytes"),
        ({"data": ""}, "0 bytes are no array"),
    ],
)
def test_arrays_are_checked(changes: dict[str, Any], match: str) -> None:
    refuse(rewritten(LARGE, set_first(**changes)), match)


def test_empty_arrays_cannot_have_impossible_shapes() -> None:
    node = {"type": "array", "dtype": "<f8", "shape": [0, 2**62], "order": "C", "data": ""}
    refuse(rewritten(1, set_manifest(objects=[node])), "not a valid array")


def test_bytes_must_be_values_of_the_dtype() -> None:
    noise = bytes(range(256)) * 4
    mask, text = np.zeros(1024, bool), np.full(256, "a")
    refuse(rewritten(mask, lambda m: None, noise), "other than 0 and 1")
    refuse(rewritten(text, lambda m: None, noise), "outside of Unicode")


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
@pytest.mark.parametrize("value", [-1, 5, 100, 2**31 - 1])
def test_sparse_indices_are_checked(kind: str, value: int) -> None:
    matrix = getattr(sparse, kind)(np.eye(5))
    for index in (1, 2):
        for position in (0, -1):

            def edit(manifest: Any, index: int = index, position: int = position) -> None:
                node = manifest["objects"][index]
                array = np.frombuffer(bytes.fromhex(node["data"]), node["dtype"]).copy()
                if array[position] != value:
                    array[position] = value
                    node["data"] = array.tobytes().hex()
                else:
                    node["data"] = ""

            refuse(rewritten(matrix, edit), "sparse matrix|are no array")


@pytest.mark.parametrize(
    ("rng", "name", "value"),
    [
        (np.random.RandomState(0), "pos", 10**6),
        (np.random.RandomState(0), "pos", -1),
        (np.random.Generator(np.random.Philox(0)), "buffer_pos", -(2**31)),
        (np.random.Generator(np.random.PCG64(0)), "has_uint32", 7),
        (np.random.Generator(np.random.PCG64(0)), "bit_generator", "os.system"),
    ],
)
def test_states_of_random_generators_are_checked(rng: Any, name: str, value: Any) -> None:
    def edit(manifest: Any) -> None:
        for node in manifest["objects"]:
            for pair in node.get("items", []):
                if pair[0] == name:
                    pair[1] = value

    refuse(rewritten(rng, edit), "random generator")


# -- estimators ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["os.system", "subprocess.Popen", "builtins.dict", "BaseEstimator", "ModelFileError", 3]
)
def test_only_known_classes_are_restored(name: Any) -> None:
    refuse(rewritten(Stage(), set_first(**{"class": name})), "unknown to this version of gramian")


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"params": {}}, r"missing \['alpha'\], unknown \[\]"),
        ({"params": {"alpha": 1, "beta": 2}}, r"missing \[\], unknown \['beta'\]"),
        ({"params": []}, "not a JSON object"),
        ({"attributes": {"alpha": 1}}, "parameters of Stage are not those"),
        ({"attributes": {"__class__": 1}}, "cannot have an attribute '__class__'"),
        ({"attributes": {"__dict__": 1}}, "cannot have an attribute '__dict__'"),
        ({"attributes": {"predict": 1}}, "cannot have an attribute 'predict'"),
        ({"attributes": {"a b": 1}}, "cannot have an attribute 'a b'"),
        ({"attributes": {"": 1}}, "cannot have an attribute ''"),
    ],
)
def test_attributes_are_checked(changes: dict[str, Any], match: str) -> None:
    refuse(rewritten(Stage(), set_first(**changes)), match)


@pytest.mark.parametrize("children", [[1, 2, 3], None, "x"])
def test_classes_check_their_state(children: Any) -> None:
    tree = Tree(np.array([1, 2, 0]) if isinstance(children, list) else None)

    def edit(manifest: Any) -> None:
        if isinstance(children, list):
            manifest["objects"][0]["data"] = np.array(children).tobytes().hex()
        else:
            manifest["objects"][-1]["params"]["children"] = children

    refuse(rewritten(tree, edit), "state of a Tree is inconsistent")


# -- bytes and sizes that nothing vouches for ----------------------------------------------------


class _OneWay(io.RawIOBase):
    """A file that can only be written to, one piece after another."""

    def __init__(self) -> None:
        self.content = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.content += bytes(data)
        return len(data)


def test_bytes_that_belong_to_no_member() -> None:
    file = saved(Stage(np.arange(500.0)))
    directory = file.index(b"PK\x01\x02")
    second = file.index(b"PK\x03\x04", 1)
    for place in (0, second, directory, len(file)):
        for junk in (b"x", b"PK\x03\x04", file):
            refuse(file[:place] + junk + file[place:], "cannot be loaded")


def test_a_comment_is_refused() -> None:
    file = io.BytesIO(saved(Stage()))
    with ZipFile(file, "a") as archive:
        archive.comment = b"anything"
    refuse(file.getvalue(), "bytes belong to no member")


def test_a_file_that_was_written_as_a_stream() -> None:
    """Its members are followed by their sizes, which are part of the file."""
    stream = _OneWay()
    gramian.save(Stage(np.arange(500.0)), stream)
    loaded = gramian.load(io.BytesIO(stream.content))
    np.testing.assert_array_equal(loaded.alpha, np.arange(500.0))
    refuse(stream.content + b"x", "bytes belong to no member")


def _with_columns(model: Any, n_features: Any, name: str = "n_features_in_") -> bytes:
    def edit(manifest: dict[str, Any]) -> None:
        manifest["objects"][-1]["attributes"][name] = n_features

    return rewritten(model, edit)


ROWS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (Ridge(), ROWS),
        (Ridge(), pd.DataFrame(ROWS, columns=["a", "b"])),
        (StandardScaler(), ROWS),
        (OneHotEncoder(), ROWS),
        (RandomForestRegressor(n_estimators=2), ROWS),
        (DecisionTreeRegressor(), ROWS),
        (HistGradientBoostingRegressor(max_iter=2), ROWS),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_features", [1, 3, -1, 2**31, "2", None])
def test_the_number_of_columns_is_that_of_the_arrays(model, rows, n_features) -> None:
    fitted = model.fit(rows, ROWS[:, 0])
    assert gramian.load(io.BytesIO(saved(fitted))).n_features_in_ == 2
    refuse(_with_columns(fitted, n_features), "n_features_in_ of a")


def test_a_large_number_of_columns_needs_an_array() -> None:
    """`Normalizer` has no arrays; its names would be made from the number alone."""
    normalizer = Normalizer().fit(ROWS)
    refuse(_with_columns(normalizer, 2**30), "no array has as many entries")
    assert gramian.load(io.BytesIO(_with_columns(normalizer, 2**20))).n_features_in_ == 2**20
    wide = Normalizer().fit(sparse.csr_array((2, 2**21)))
    pair = [wide, np.zeros(2**21, dtype=np.int8)]
    assert gramian.load(io.BytesIO(saved(pair)))[0].n_features_in_ == 2**21
