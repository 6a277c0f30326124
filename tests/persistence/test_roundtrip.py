"""What is saved comes back, bit for bit, and fingerprints follow the bits."""

import io
import math
import os
import pickle
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from scipy import sparse

import gramian
from gramian.base import BaseEstimator
from gramian.certificate import Certificate
from gramian.linear_model import LinearRegression, Ridge
from gramian.metrics import r2_score
from gramian.persistence import _save, persistable


@persistable
class Stage(BaseEstimator):
    def __init__(self, alpha: Any = 1.0, steps: Any = None) -> None:
        self.alpha = alpha
        self.steps = steps

    @cached_property
    def doubled(self) -> float:
        return self.alpha * 2

    def predict(self, X: Any) -> Any:
        return X


@persistable
@dataclass(frozen=True, slots=True)
class Leaf:
    low: float
    names: tuple[str, ...]


@persistable
class Renamed(BaseEstimator):
    """Its parameter was called C in an older version."""

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    @classmethod
    def _upgrade_state(cls, params: dict[str, Any], attributes: dict[str, Any]) -> None:
        if "C" in params:
            params["penalty"] = params.pop("C")


@persistable
def declared_function(x: float) -> float:
    return x


def saved(value: Any) -> bytes:
    file = io.BytesIO()
    gramian.save(value, file)
    return file.getvalue()


def reloaded(value: Any) -> Any:
    return gramian.load(io.BytesIO(saved(value)))


def assert_same(a: Any, b: Any) -> None:
    """Compare types, bits and memory order."""
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.flags.f_contiguous) == (b.dtype, b.shape, b.flags.f_contiguous)
        if a.dtype == object:
            assert_same(a.ravel().tolist(), b.ravel().tolist())
        else:
            assert a.tobytes() == b.tobytes()
    elif isinstance(a, np.generic):
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, dict):
        assert_same(list(a.items()), list(b.items()))
    elif isinstance(a, Stage):
        assert_same(vars(a), vars(b))
    elif isinstance(a, float):
        assert a.hex() == b.hex()
    elif isinstance(a, complex):
        assert_same((a.real, a.imag), (b.real, b.imag))
    else:
        assert a == b


def object_array(items: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


array_dtypes = st.one_of(
    stn.boolean_dtypes(),
    stn.integer_dtypes(endianness="<"),
    stn.unsigned_integer_dtypes(endianness="<"),
    stn.floating_dtypes(endianness="<", sizes=(16, 32, 64)),
    stn.complex_number_dtypes(endianness="<", sizes=(64, 128)),
    stn.unicode_string_dtypes(endianness="<", max_len=5),
    stn.byte_string_dtypes(endianness="<", max_len=5),
    stn.datetime64_dtypes(endianness="<"),
    stn.timedelta64_dtypes(endianness="<"),
)
shapes = stn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
arrays = stn.arrays(array_dtypes, shapes)
numbers = st.none() | st.booleans() | st.integers()
keys = numbers | st.floats(allow_nan=False) | st.text() | st.binary()
atoms = st.one_of(
    keys,
    st.floats(),
    st.complex_numbers(),
    st.builds(range, st.integers(), st.integers()),
    st.builds(slice, numbers, numbers, numbers),
    st.frozensets(keys, max_size=4),
    st.sets(keys | st.tuples(keys, keys), max_size=4),
    arrays,
    arrays.map(np.asfortranarray),
    stn.arrays(array_dtypes, ()).map(lambda array: array[()]),
)
values = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.lists(inner, max_size=4).map(object_array),
        st.dictionaries(keys | st.tuples(keys), inner, max_size=4),
        st.builds(Stage, alpha=inner, steps=inner),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(values)
def test_values_come_back_bit_for_bit(value: Any) -> None:
    copy = reloaded(value)
    assert_same(value, copy)
    assert gramian.fingerprint(copy) == gramian.fingerprint(value)


@pytest.mark.parametrize(
    "value",
    [
        np.dtype("f4"),
        np.dtype(">i8"),
        np.dtype("O"),
        np.float64,
        np.bool_,
        float,
        np.log1p,
        r2_score,
        declared_function,
        Leaf(0.1, ("a", "b")),
        Certificate(1.0, 1e-12, True, "optimal", details={"rank": 3, "solver": "qr"}),
        np.str_(""),
        np.str_("a\0"),
        np.bytes_(b"ab\0"),
        np.datetime64("NaT"),
        np.timedelta64(3, "25s"),
        b"x" * 1000,
        "\ud800",
    ],
)
def test_other_values_come_back(value: Any) -> None:
    copy = reloaded(value)
    assert type(copy) is type(value)
    assert copy is value or copy == value or np.isnat(value)
    assert repr(copy) == repr(value)


@pytest.mark.parametrize(
    "kind", ["csr_array", "csr_matrix", "csc_array", "coo_array", "coo_matrix"]
)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_sparse_matrices_come_back(kind: str, index_dtype: Any) -> None:
    dense = np.where(np.arange(60).reshape(12, 5) % 3, 0.0, 1.5)
    matrix = getattr(sparse, kind)(dense)
    if matrix.format == "coo":
        matrix.coords = tuple(index.astype(index_dtype) for index in matrix.coords)
    else:
        matrix.indices = matrix.indices.astype(index_dtype)
        matrix.indptr = matrix.indptr.astype(index_dtype)
    copy = reloaded(matrix)
    assert type(copy) is type(matrix)
    np.testing.assert_array_equal(copy.toarray(), dense)
    assert gramian.fingerprint(copy) == gramian.fingerprint(matrix)


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
@pytest.mark.parametrize("container", [np.random.RandomState, np.random.Generator])
def test_random_generators_go_on_where_they_were(name: str, container: Any) -> None:
    rng = container(getattr(np.random, name)(7))
    rng.standard_normal(3)
    rng.bytes(3)
    copy = reloaded(rng)
    assert type(copy) is container
    np.testing.assert_array_equal(copy.standard_normal(9), rng.standard_normal(9))
    np.testing.assert_array_equal(copy.bytes(9), rng.bytes(9))


def test_big_endian_and_strided_arrays_keep_their_values() -> None:
    array = np.arange(24, dtype=">i4").reshape(4, 6)[::-2, 1::2]
    copy = reloaded(array)
    np.testing.assert_array_equal(copy, array)
    assert copy.dtype == np.dtype("<i4")
    assert gramian.fingerprint(copy) == gramian.fingerprint(array)


def test_arrays_come_back_writeable_and_own_their_memory() -> None:
    array = np.arange(1000.0)
    array.flags.writeable = False
    copy = reloaded(array)
    assert copy.flags.writeable
    assert copy.flags.owndata


def test_shared_objects_stay_shared() -> None:
    array, inner = np.arange(100.0), Stage()
    inner.coef_ = array
    model = Stage(steps=[("a", inner), ("b", inner), (array, array.copy())])
    copy = reloaded(model)
    assert copy.steps[0][1] is copy.steps[1][1]
    assert copy.steps[2][0] is copy.steps[0][1].coef_
    assert copy.steps[2][1] is not copy.steps[2][0]


def test_values_of_cached_properties_are_left_out() -> None:
    model = Stage(alpha=2.0)
    before = gramian.fingerprint(model)
    assert model.doubled == 4.0
    assert gramian.fingerprint(model) == before
    assert "doubled" not in vars(reloaded(model))


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=0.5)])
def test_fitted_estimators_predict_the_same(model: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(50, 4))
    model.fit(X, X @ [1.0, 2.0, 0.0, -1.0] + 3.0)
    gramian.save(model, tmp_path / "model.gramian")
    copy = gramian.load(str(tmp_path / "model.gramian"))
    assert type(copy) is type(model)
    assert copy.get_params() == model.get_params()
    assert gramian.fingerprint(copy) == gramian.fingerprint(model)
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))


def test_models_with_an_encoding_load_in_a_fresh_process(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"size": [1.0, 2.0, None, 4.0], "colour": ["red", "blue", "red", None]}
    )
    model = Ridge().fit(table, [1.0, 2.0, 3.0, 4.0])
    gramian.save(model, tmp_path / "model")
    code = "import sys, gramian; print(gramian.fingerprint(gramian.load(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.strip() == gramian.fingerprint(model)
    copy = gramian.load(tmp_path / "model")
    np.testing.assert_array_equal(copy.predict(table), model.predict(table))


# -- what cannot be saved -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda x: x, r"^Stage\.steps\[1\]\[1\]\.alpha is a Python function; a model file holds"),
        (len, "is a Python function"),
        (Stage().predict, "is a Python function"),
        (partial(math.pow, 2), "is an object of functools.partial, which a model file cannot"),
        (Path("x"), "is an object of pathlib"),
        (Stage, "is the class .*Stage, which a model file cannot hold"),
        (np.zeros(2, dtype=[("a", "f8")]), "has the dtype"),
        (np.longdouble(1), "has the dtype"),
        (np.rec.array([(1,)], dtype=[("a", int)]), "is an object of numpy"),
        (sparse.lil_array((2, 2)), "in the format 'lil'"),
    ],
)
def test_what_is_not_data_is_refused_with_its_place(value: Any, message: str) -> None:
    model = Stage(steps=[("a", 1), ("b", Stage(alpha=value))])
    with pytest.raises(TypeError, match=message):
        gramian.save(model, io.BytesIO())


def test_undeclared_classes_are_refused() -> None:
    class Foreign(Stage):
        pass

    with pytest.raises(TypeError, match="persistable"):
        gramian.save([Foreign()], io.BytesIO())


def test_attributes_that_hide_methods_are_refused() -> None:
    model = Stage()
    vars(model)["predict"] = 3
    with pytest.raises(TypeError, match=r"Stage\.predict hides a method"):
        gramian.save(model, io.BytesIO())


def test_cycles_and_deep_nesting_are_refused() -> None:
    cycle: list[Any] = []
    cycle.append([cycle])
    with pytest.raises(ValueError, match="contains itself"):
        gramian.save(cycle, io.BytesIO())
    deep: Any = None
    for _ in range(101):
        deep = [deep]
    with pytest.raises(ValueError, match="more than 100 deep"):
        gramian.save(deep, io.BytesIO())
    reloaded(deep[0])
    wide: Any = ()
    for _ in range(60):
        wide = (wide, wide)
    with pytest.raises(ValueError, match="repeated too often"):
        gramian.save(wide, io.BytesIO())


def test_persistable_refuses_what_vars_does_not_show() -> None:
    class Slots:
        __slots__ = ("a",)

    for item in (Slots, type("Dict", (dict,), {}), 3):
        with pytest.raises(TypeError):
            persistable(item)  # type: ignore[type-var]


# -- fingerprints -------------------------------------------------------------------------------


def test_fingerprint_follows_bits_not_layout() -> None:
    a = np.arange(12.0).reshape(3, 4)
    fingerprint = gramian.fingerprint(a)
    assert fingerprint == gramian.fingerprint(np.asfortranarray(a))
    assert fingerprint == gramian.fingerprint(np.repeat(a, 2, axis=1)[:, ::2])
    assert fingerprint != gramian.fingerprint(a.astype(np.float32))
    assert fingerprint != gramian.fingerprint(a.reshape(4, 3))
    assert gramian.fingerprint(np.array([0.0])) != gramian.fingerprint(np.array([-0.0]))
    assert gramian.fingerprint(1) != gramian.fingerprint(True)
    assert gramian.fingerprint([1, 2]) != gramian.fingerprint((1, 2))
    assert gramian.fingerprint({"a": 1, "b": 2}) == gramian.fingerprint({"b": 2, "a": 1})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_fingerprint_takes_all_nans_for_one(dtype: str) -> None:
    nan = np.array([np.nan, 1.0], dtype)
    other = nan.copy()
    other.view(np.uint8)[0] ^= 1  # another payload
    assert nan.tobytes() != other.tobytes()
    assert np.isnan(other[0])
    assert gramian.fingerprint(nan) == gramian.fingerprint(other)


def test_fingerprint_ignores_the_order_of_attributes() -> None:
    a, b = Stage(), Stage()
    a.x_, a.y_ = 1, 2
    b.y_, b.x_ = 2, 1
    assert gramian.fingerprint(a) == gramian.fingerprint(b)
    b.x_ = 3
    assert gramian.fingerprint(a) != gramian.fingerprint(b)


def test_fingerprint_and_file_are_the_same_in_every_process() -> None:
    code = (
        "import io, gramian; from hashlib import sha256; f = io.BytesIO();"
        "v = [{'a', 'b', 'c', ('d', 1)}, {'k': 1.5, 'l': None}]; gramian.save(v, f);"
        "print(gramian.fingerprint(v), sha256(f.getvalue()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


# -- files --------------------------------------------------------------------------------------


def test_file_is_small_and_deterministic() -> None:
    zeros, noise = np.zeros(100_000), np.random.default_rng(0).normal(size=10_000)
    data = saved([zeros, noise])
    assert data == saved([zeros, noise])
    assert len(data) < noise.nbytes + 5_000
    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["manifest.json", "arrays/0.bin", "arrays/1.bin"]
        assert archive.read("arrays/1.bin") == noise.tobytes()


def test_compressible_manifests_can_be_loaded() -> None:
    nothing = np.full(600_000, None)
    assert reloaded(nothing).shape == nothing.shape


def golden_value() -> list[Any]:
    """Return something of every type that the format has, apart from declared classes."""
    shared = np.array([[1.5, -0.0], [np.nan, 3.0]], order="F")
    return [
        {"none": None, "int": -(2**70), ("key", 1): 0.1, 2.5: 1j, b"bytes": "text"},
        [shared, (shared, {1, 2}, frozenset({"a"}))],
        [slice(1, None), range(3), np.dtype("<f4"), np.float32, float, np.log1p, r2_score],
        [np.float32(0.5), np.datetime64("2024-02-29"), np.str_("é"), np.arange(100) % 3 == 0],
        [np.array(["a", None], dtype=object), np.array(["x", "yz"]), np.arange(99, dtype="<i2")],
        [sparse.csr_array(np.eye(3)), sparse.coo_matrix(np.eye(2))],
        [np.random.RandomState(1), np.random.default_rng(2)],
    ]


def test_files_of_format_version_1_are_read() -> None:
    """The file was written by ``gramian.save(golden_value(), ...)`` of gramian 0.1.0."""
    value = gramian.load(Path(__file__).parent / "data" / "format-1.gramian")
    assert value[1][0] is value[1][1][0]
    expected = "f07d9639e4d3ae088367e14571541f9ea63e6849ff438f800f9551438dc5ba42"
    assert gramian.fingerprint(value) == expected
    assert gramian.fingerprint(golden_value()) == expected


def test_classes_upgrade_what_older_versions_wrote() -> None:
    older = io.BytesIO()
    with ZipFile(io.BytesIO(saved(Renamed(penalty=0.25)))) as archive, ZipFile(older, "w") as copy:
        manifest = archive.read("manifest.json")
        copy.writestr("manifest.json", manifest.replace(b'"penalty"', b'"C"'))
    assert gramian.load(older).penalty == 0.25


def test_save_replaces_the_file_a_link_points_to(tmp_path: Path) -> None:
    target, link = tmp_path / "model", tmp_path / "link"
    gramian.save(1, target)
    link.symlink_to(target)
    gramian.save(2, link)
    assert link.is_symlink()
    assert gramian.load(target) == 2


def test_save_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        gramian.save(1, tmp_path / "model")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o640


def test_save_refuses_places_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="regular file"):
        gramian.save(1, tmp_path)
    with pytest.raises(FileNotFoundError, match="directory of path"):
        gramian.save(1, tmp_path / "nowhere" / "model")
    with pytest.raises(TypeError, match="binary"):
        gramian.save(1, io.StringIO())


def test_failed_save_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*args: Any) -> None:
        raise OSError("no space left on device")

    path = tmp_path / "model"
    gramian.save(1, path)
    monkeypatch.setattr(_save.os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        gramian.save(2, path)
    assert gramian.load(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_killed_save_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    code = (
        "import sys, numpy, gramian\n"
        "models = [numpy.full(60_000, i) + numpy.random.rand(60_000) for i in range(4)]\n"
        "for i in range(10**9):\n"
        "    gramian.save(models[i % 4], sys.argv[1])\n"
        "    if i == 0: print('ready', flush=True)\n"
    )
    n_kills = 6
    for attempt in range(n_kills):
        child = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(0.013 * attempt)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert gramian.load(path).shape == (60_000,)
    strays = [p for p in tmp_path.iterdir() if p != path]
    assert len(strays) <= n_kills
    assert all(p.suffix == ".tmp" for p in strays)


def test_pickle_of_an_estimator_is_no_model_file(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(pickle.dumps(Ridge()))
    with pytest.raises(gramian.exceptions.ModelFileError, match="no zip file"):
        gramian.load(tmp_path / "model")
