"""fetch_openml gives what scikit-learn's gives, from the same answers of a server."""

import gzip
import io
import json
import re
import warnings
from importlib.resources import files
from urllib.request import Request, urlopen

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.datasets
from sklearn.datasets import _openml as their_openml

from gramian.datasets import DownloadError, _download, fetch_openml
from gramian.datasets._arff import read_arff

ANSWERS = files("sklearn.datasets.tests.data.openml")
SHORT = {
    "-json-data-list": "-jdl",
    "-json-data-features": "-jdf",
    "-json-data-qualities": "-jdq",
    "-json-data": "-jd",
    "-data_name": "-dn",
    "-download": "-dl",
    "-limit": "-l",
    "-data_version": "-dv",
    "-status": "-s",
    "-deactivated": "-dact",
    "-active": "-act",
}
TABLES = [61, 2, 561, 40589, 1119, 40966, 40945, 1590, 40675, 42074, 42585, 1, 62, 292]


def find_answer(path):
    """Return scikit-learn's stored answer to a question, as the server would give it."""
    name = re.sub(r"\W", "-", path.lstrip("/"))
    for long, short in SHORT.items():
        name = name.replace(long, short)
    stem = name if name.startswith("api") else re.sub(r"^(data-v1-dl-\d+).*", r"\1", name)
    suffix = ".json.gz" if name.startswith("api") else ".arff.gz"
    for folder in ANSWERS.iterdir():
        if folder.name.startswith("id_") and (folder / (stem + suffix)).is_file():
            content = gzip.decompress((folder / (stem + suffix)).read_bytes())
            is_error = "-jdl-" in name and "error" in json.loads(content)
            return (412 if is_error else 200), {}, content
    return 412, {}, b'{"error": {}}'


@pytest.fixture
def openml(server, monkeypatch):
    """Send every question for openml.org to the test's server."""
    server.find = find_answer

    def redirected(request, **options):
        url = request.full_url.replace("https://www.openml.org", server.url)
        url = re.sub(r"^https?://(api|old|test)\.openml\.org", server.url, url)
        return urlopen(Request(url, headers=dict(request.headers)), **options)

    monkeypatch.setattr(their_openml, "urlopen", redirected)
    monkeypatch.setattr(_download, "urlopen", redirected)
    return server


def assert_same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(theirs, pd.DataFrame):
        pd.testing.assert_frame_equal(ours, theirs)
    elif isinstance(theirs, pd.Series):
        pd.testing.assert_series_equal(ours, theirs)
    elif scipy.sparse.issparse(theirs):
        assert ours.format == theirs.format
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        assert pd.DataFrame(ours).equals(pd.DataFrame(theirs))
    else:
        assert ours == theirs


def outcome(fetch, **options):
    """Return what a function returns or raises, and the warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = fetch(**options)
        except Exception as error:
            result = error
    return result, sorted(str(one.message) for one in warned)


@pytest.fixture
def levels_as_text(monkeypatch):
    """Let pandas read levels as texts, as it did before version 3.1; scikit-learn relies on it."""
    read_csv = pd.read_csv

    def read(file, *, dtype, **options):
        levels = [column for column, kind in dtype.items() if kind == "category"]
        frame = read_csv(file, dtype={**dtype, **dict.fromkeys(levels, str)}, **options)
        return frame.astype(dict.fromkeys(levels, "category"))

    monkeypatch.setattr(pd, "read_csv", read)


@pytest.mark.parametrize("parser", ["auto", "pandas", "liac-arff"])
@pytest.mark.parametrize("as_frame", ["auto", True, False])
@pytest.mark.parametrize("data_id", TABLES)
def test_same_as_scikit_learn(openml, levels_as_text, data_id, as_frame, parser):
    if (data_id, as_frame, parser) == (1590, False, "liac-arff"):
        pytest.skip("scikit-learn refuses the stored answer, which has fewer rows than announced")
    options = {"data_id": data_id, "as_frame": as_frame, "parser": parser, "cache": False}
    theirs, their_warnings = outcome(sklearn.datasets.fetch_openml, **options)
    ours, our_warnings = outcome(fetch_openml, **options)
    assert our_warnings == their_warnings
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        return
    assert set(ours) == set(theirs)
    for key in theirs:
        assert_same(ours[key], theirs[key])


@pytest.mark.parametrize(
    "options",
    [
        {"name": "anneal"},
        {"name": "Anneal", "version": 1},
        {"name": "iris", "version": 1},
        {"name": "iris"},
        {"name": "glass2"},
        {"name": "glass2", "version": 1},
        {"name": "australian", "version": 1},
        {"name": "no-such-table"},
        {"name": "no-such-table", "version": 3},
        {"data_id": 77},
        {"name": "iris", "data_id": 61},
        {"data_id": 61, "version": 1},
        {},
        {"data_id": 61, "target_column": "petalwidth"},
        {"data_id": 61, "target_column": None},
        {"data_id": 61, "target_column": ["sepalwidth", "petalwidth"]},
        {"data_id": 61, "target_column": ["sepalwidth", "class"]},
        {"data_id": 61, "target_column": "undefined"},
        {"data_id": 40966, "target_column": "Genotype"},
        {"data_id": 40966, "target_column": "MouseID"},
        {"data_id": 2, "target_column": "family"},
        {"data_id": 61, "return_X_y": True, "read_csv_kwargs": {"nrows": 5}},
        {"data_id": 61, "target_column": None, "as_frame": False, "parser": "liac-arff"},
    ],
    ids=str,
)
def test_choices_as_scikit_learn(openml, levels_as_text, options):
    theirs, their_warnings = outcome(sklearn.datasets.fetch_openml, cache=False, **options)
    ours, our_warnings = outcome(fetch_openml, cache=False, **options)
    assert our_warnings == their_warnings
    if isinstance(theirs, Exception):
        assert isinstance(ours, KeyError if isinstance(theirs, KeyError) else ValueError)
        return
    pairs = (
        zip(ours, theirs, strict=True)
        if isinstance(theirs, tuple)
        else [(ours[key], theirs[key]) for key in theirs]
    )
    for mine, other in pairs:
        assert_same(mine, other)


def test_levels_are_texts(openml):
    """Also with versions of pandas that would make numbers or truth values of them."""
    with pytest.warns(UserWarning, match="inactive"):
        target = fetch_openml(data_id=40675, cache=False).target
    assert target.cat.categories.tolist() == ["0", "1"]


def test_name_becomes_part_of_an_address(openml):
    with pytest.raises(ValueError, match="No active dataset a b/c\\? found"):
        fetch_openml("A b/c?", cache=False)
    assert openml.asked == ["/api/v1/json/data/list/data_name/a%20b%2Fc%3F/limit/2/status/active/"]


def test_downloads_once_in_scikit_learns_layout(openml, tmp_path):
    first = fetch_openml(data_id=61, data_home=tmp_path / "a")
    asked = len(openml.asked)
    again = fetch_openml(data_id=61, data_home=tmp_path / "a")
    assert len(openml.asked) == asked
    pd.testing.assert_frame_equal(again.frame, first.frame)
    sklearn.datasets.fetch_openml(data_id=61, data_home=tmp_path / "b")
    ours, theirs = (
        {path.relative_to(tmp_path / side) for path in (tmp_path / side).rglob("*.gz")}
        for side in "ab"
    )
    assert ours <= theirs and len(ours) == 3


def test_own_folder_comes_first(openml, monkeypatch, tmp_path):
    first = fetch_openml("iris", version=1, data_home=tmp_path / "own")
    openml.asked.clear()
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path / "own"))
    again = fetch_openml("iris", version=1, data_home=tmp_path / "other")
    pd.testing.assert_frame_equal(again.frame, first.frame)
    assert openml.asked == []


@pytest.mark.parametrize("damage", [b"not gzip", gzip.compress(b"other text", mtime=0)])
def test_damaged_copies_are_replaced(openml, tmp_path, damage):
    first = fetch_openml(data_id=61, data_home=tmp_path)
    kept = sorted(tmp_path.rglob("*.gz"))
    for path in kept:
        path.write_bytes(damage)
    with pytest.warns(RuntimeWarning, match="Invalid cache, redownloading"):
        again = fetch_openml(data_id=61, data_home=tmp_path)
    pd.testing.assert_frame_equal(again.frame, first.frame)
    assert all(path.read_bytes() != damage for path in kept)


def test_wrong_checksum(openml, tmp_path):
    path = "/data/v1/download/61/iris.arff"
    openml.serve(path, find_answer(path)[2] + b"%")
    with pytest.raises(ValueError, match="md5 checksum"):
        fetch_openml(data_id=61, data_home=tmp_path)
    assert list(tmp_path.rglob("*.arff*")) == []


def test_answers_packed_for_the_way(openml):
    path = "/data/v1/download/61/iris.arff"
    packed = gzip.compress(find_answer(path)[2])
    openml.serve(path, packed, headers={"Content-Encoding": "gzip"})
    assert fetch_openml(data_id=61, cache=False).data.shape == (150, 4)


def test_server_errors(openml):
    openml.serve("/api/v1/json/data/61", b"busy", status=500)
    with pytest.warns(UserWarning, match="Retry"), pytest.raises(DownloadError, match="openml"):
        fetch_openml(data_id=61, cache=False, n_retries=1, delay=0.001)


@pytest.mark.parametrize("url", ["file:///etc/hosts", "https://www.openml.org/../../x"])
def test_addresses_that_are_none(openml, tmp_path, url):
    answer = json.loads(find_answer("/api/v1/json/data/61")[2])
    answer["data_set_description"]["url"] = url
    openml.serve("/api/v1/json/data/61", json.dumps(answer).encode())
    with pytest.raises(ValueError, match="no plain web address"):
        fetch_openml(data_id=61, data_home=tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"version": "latest"},
        {"data_id": 0},
        {"cache": "yes"},
        {"as_frame": "polars"},
        {"parser": "csv"},
        {"read_csv_kwargs": [1]},
        {"target_column": 3},
    ],
    ids=str,
)
def test_refusals(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        fetch_openml("iris" if "data_id" not in options else None, **options)


def test_options_of_the_other_parser_are_refused(openml):
    with pytest.raises(ValueError, match="read_csv_kwargs"):
        fetch_openml(data_id=61, cache=False, parser="liac-arff", read_csv_kwargs={"nrows": 5})


def test_arff():
    text = """% a comment
@RELATION 'a name'
@attribute 'with space' REAL
@attribute n integer
@attribute s string
@attribute k {a, 'b, c', "d\\'e"}
@DATA
1e3, 7 , 'it\\'s', a
?,?,?,?

2, 3, plain, 'b, c'
"""
    arff = read_arff(io.StringIO(text))
    assert arff.names == ["with space", "n", "s", "k"]
    assert arff.levels[3] == ["a", "b, c", "d'e"]
    assert arff.columns() == [
        [1000.0, None, 2.0],
        [7, None, 3],
        ["it's", None, "plain"],
        ["a", None, "b, c"],
    ]


def test_sparse_arff():
    rows = ["@attribute x real", "@attribute k {a, 'b c'}", "@data", "{0 1.5, 1 'b c'}", "{}"]
    entries = read_arff([*rows, "{1 ?}"]).entries()
    assert entries.columns == [0, 1, 1] and entries.counts == [2, 0, 1]
    np.testing.assert_array_equal(entries.values, [1.5, 1.0, np.nan])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["@attribute x real"], "no line @data"),
        (["something", "@data"], "no line of an ARFF header"),
        (["@attribute x real", "@data", "1,2"], "2 values for 1 attributes"),
        (["@attribute x string", "@data", "it's"], "quotes"),
    ],
)
def test_bad_arff(rows, words):
    with pytest.raises(ValueError, match=words):
        read_arff(rows).columns()


# -- the digits in a folder of the user's ---------------------------------------------------------


def digits(n=12):
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (n, 784), dtype=np.uint8), np.arange(n) % 10


def write_digits(path, X, y):
    frame = pd.DataFrame(X, columns=[f"p{k}" for k in range(784)])
    if path.suffix == ".npz":
        np.savez(path, X=X, y=y.astype(np.uint8))
    elif path.suffix == ".parquet":
        frame.insert(0, "label", y)
        frame.to_parquet(path)
    elif path.suffix == ".csv":
        frame.assign(**{"class": y}).to_csv(path, index=False)
    else:
        lines = ["% digits", "@RELATION digits"]
        lines += [f"@ATTRIBUTE pixel{k + 1} real" for k in range(784)]
        lines += ["@ATTRIBUTE class {0,1,2,3,4,5,6,7,8,9}", "@DATA"]
        lines += [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
        path.write_text("\n".join(lines))


@pytest.mark.parametrize("stem", ["mnist_784", "mnist"])
@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv", ".arff"])
def test_digits_of_a_file_come_as_those_of_the_server(stem, suffix, tmp_path, monkeypatch):
    X, y = digits()
    write_digits(tmp_path / (stem + suffix), X, y)
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path))
    found = fetch_openml("mnist_784", version=1, as_frame=False)
    np.testing.assert_array_equal(found.data, X)
    assert found.data.dtype == np.int64
    assert found.target.dtype == object
    assert found.target.tolist() == [str(label) for label in y]
    assert found.feature_names[:2] == ["pixel1", "pixel2"]
    assert found.target_names == ["class"]
    frame, target = fetch_openml(data_id=554, return_X_y=True)
    assert frame.shape == (12, 784)
    assert list(frame.columns) == found.feature_names
    assert isinstance(target.dtype, pd.CategoricalDtype)
    assert target.name == "class"
    exact = fetch_openml("mnist_784", as_frame=False, parser="liac-arff", target_column=None)
    assert exact.target is None
    whole = fetch_openml("MNIST_784", target_column=None)
    assert whole.data.shape == (12, 785)


def test_digits_in_arrays_of_other_names(tmp_path, monkeypatch):
    X, y = digits()
    images = X.reshape(-1, 28, 28)
    parts = {"x_train": images[:8], "y_train": y[:8], "x_test": images[8:], "y_test": y[8:]}
    np.savez(tmp_path / "mnist.npz", **parts)
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path))
    data, target = fetch_openml("mnist_784", as_frame=False, return_X_y=True)
    np.testing.assert_array_equal(data, X)
    assert target.tolist() == [str(label) for label in y]


def test_digits_that_are_none_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path))
    path = tmp_path / "mnist.npz"
    path.write_bytes(b"no zip file")
    with pytest.raises(ValueError, match=r"cannot be read from .*mnist\.npz"):
        fetch_openml("mnist_784")
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ValueError, match="arrays X and y, or data and target, but has a"):
        fetch_openml("mnist_784")
    np.savez(path, X=np.zeros((3, 64)), y=np.zeros(3))
    with pytest.raises(ValueError, match=r"784 pixels .* shape \(3, 64\)"):
        fetch_openml("mnist_784")
    with pytest.raises(ValueError, match="read_csv_kwargs"):
        fetch_openml("mnist_784", read_csv_kwargs={"nrows": 3})
