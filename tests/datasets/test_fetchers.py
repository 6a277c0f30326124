"""Downloads: verified, whole, once; and the tables they give are scikit-learn's."""

import dataclasses
import gzip
import hashlib
import io
import os
import socket
import tarfile
from pathlib import Path
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.datasets import _california_housing, _covtype
from sklearn.datasets._base import RemoteFileMetadata

from gramian.datasets import (
    DownloadError,
    _download,
    _fetchers,
    clear_data_home,
    fetch_california_housing,
    fetch_covtype,
    get_data_home,
    load_boston,
)
from gramian.datasets._download import RemoteFile

QUICK = {"n_retries": 2, "delay": 0.001}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def csv_bytes(matrix):
    text = io.StringIO()
    np.savetxt(text, matrix, delimiter=",", fmt="%.6g")
    return text.getvalue().encode()


def california_archive():
    rng = np.random.default_rng(0)
    data = csv_bytes(rng.uniform(1, 5000, size=(30, 9)))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("CaliforniaHousing/cal_housing.data")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def covtype_file():
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 3000, size=(40, 54)), rng.integers(1, 8, size=(40, 1))
    return gzip.compress(csv_bytes(np.hstack(columns)))


def boston_file():
    rng = np.random.default_rng(0)
    return csv_bytes(rng.uniform(0, 100, size=(20, 14))).replace(b",", b" ")


FILES = {
    "california": (fetch_california_housing, "CALIFORNIA", california_archive),
    "covtype": (fetch_covtype, "COVTYPE", covtype_file),
    "boston": (load_boston, "BOSTON", boston_file),
}


@pytest.fixture(params=FILES)
def source(request, server, monkeypatch):
    return make_source(request.param, server, monkeypatch)


@pytest.fixture
def boston(server, monkeypatch):
    return make_source("boston", server, monkeypatch)


def make_source(name, server, monkeypatch):
    """Return the function, its file, and the file's name; the file lies on the test's server."""
    fetch, constant, make = FILES[name]
    content = make()
    theirs = getattr(_fetchers, constant)
    remote = RemoteFile(theirs.remote.filename, f"{server.url}/file", sha256(content))
    monkeypatch.setattr(_fetchers, constant, dataclasses.replace(theirs, remote=remote))
    return fetch, content, remote.filename


def test_downloads_once(source, server, tmp_path):
    fetch, content, filename = source
    server.serve("/file", content)
    X, y = fetch(data_home=tmp_path, return_X_y=True)
    again = fetch(data_home=tmp_path, download_if_missing=False)
    assert server.asked == ["/file"]
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ".npz"] == [filename]
    np.testing.assert_array_equal(again.data, X)
    np.testing.assert_array_equal(again.target, y)
    assert "Source:" in again.DESCR and X.shape == (len(y), len(again.feature_names))


def test_default_folder(boston, server, tmp_path):
    fetch, content, filename = boston
    server.serve("/file", content)
    fetch()
    assert (tmp_path / "cache" / "gramian" / filename).read_bytes() == content


@pytest.mark.parametrize(
    ("name", "archive"), [("california", _california_housing), ("covtype", _covtype)]
)
def test_table_is_scikit_learns(name, archive, server, monkeypatch, tmp_path):
    fetch, content, filename = make_source(name, server, monkeypatch)
    server.serve("/file", content)
    remote = RemoteFileMetadata(filename, f"{server.url}/file", sha256(content))
    monkeypatch.setattr(archive, "ARCHIVE", remote)
    other = getattr(sklearn.datasets, fetch.__name__)
    ours, theirs = fetch(data_home=tmp_path / "a"), other(data_home=tmp_path / "b")
    assert set(ours) == set(theirs)
    assert ours.data.dtype == theirs.data.dtype and ours.target.dtype == theirs.target.dtype
    np.testing.assert_array_equal(ours.data, theirs.data)
    np.testing.assert_array_equal(ours.target, theirs.target)
    assert ours.feature_names == theirs.feature_names and ours.target_names == theirs.target_names
    ours = fetch(data_home=tmp_path / "a", as_frame=True)
    theirs = other(data_home=tmp_path / "b", as_frame=True)
    pd.testing.assert_frame_equal(ours.frame, theirs.frame)
    pd.testing.assert_series_equal(ours.target, theirs.target)


def test_covtype_shuffles_as_scikit_learn(server, monkeypatch, tmp_path):
    fetch, content, filename = make_source("covtype", server, monkeypatch)
    (tmp_path / filename).write_bytes(content)
    plain, mixed = (
        fetch(data_home=tmp_path),
        fetch(data_home=tmp_path, shuffle=True, random_state=3),
    )
    order = np.arange(len(plain.target))
    np.random.RandomState(3).shuffle(order)
    np.testing.assert_array_equal(mixed.data, plain.data[order])
    np.testing.assert_array_equal(mixed.target, plain.target[order])


def test_covtype_is_read_once(server, monkeypatch, tmp_path):
    fetch, content, _ = make_source("covtype", server, monkeypatch)
    server.serve("/file", content)
    first = fetch(data_home=tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    for damage in (kept.read_bytes()[:-40], b"PK", b""):
        kept.write_bytes(damage)
        np.testing.assert_array_equal(fetch(data_home=tmp_path).data, first.data)
    monkeypatch.setattr(np, "loadtxt", None)
    again = fetch(data_home=tmp_path)
    np.testing.assert_array_equal(again.data, first.data)
    assert again.target.dtype == np.int32 and again.data.dtype == np.float64


def test_wrong_content_is_not_kept(source, server, tmp_path):
    fetch, content, filename = source
    server.serve("/file", content + b"!")
    with pytest.raises(OSError, match=f"{filename}.*SHA-256.*expected {sha256(content)}"):
        fetch(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_damaged_copy_is_replaced(boston, server, tmp_path):
    fetch, content, filename = boston
    server.serve("/file", content)
    (tmp_path / filename).write_bytes(content[:-5])
    with pytest.warns(UserWarning, match="damaged"):
        fetch(data_home=tmp_path)
    assert (tmp_path / filename).read_bytes() == content


@pytest.mark.parametrize(
    "failure", [(500, {}, b"later"), (429, {}, b"wait"), (-200, {}, b"x" * 5000)]
)
def test_tries_again(boston, server, tmp_path, failure):
    fetch, content, filename = boston
    status, headers, body = failure
    server.serve("/file", body, status, headers)
    server.serve("/file", body, status, headers)
    server.serve("/file", content)
    with pytest.warns(UserWarning, match="Retry downloading"):
        fetch(data_home=tmp_path, **QUICK)
    assert len(server.asked) == 3
    assert [path.name for path in tmp_path.iterdir()] == [filename]


def test_gives_up(boston, server, tmp_path):
    fetch, _, _ = boston
    server.serve("/file", b"later", status=503)
    with (
        pytest.warns(UserWarning, match="Retry"),
        pytest.raises(DownloadError, match=r"could not be downloaded.*GRAMIAN_DATA"),
    ):
        fetch(data_home=tmp_path, **QUICK)
    assert len(server.asked) == 3 and list(tmp_path.iterdir()) == []


def test_an_answer_that_unpacks_without_end(boston, server, tmp_path, monkeypatch):
    fetch, content, filename = boston
    monkeypatch.setattr(_download, "_UNPACKED_FLOOR", 2**20)
    headers = {"Content-Encoding": "gzip"}
    server.serve("/file", gzip.compress(bytes(2**22)), headers=headers)
    with pytest.raises(DownloadError, match=r"bytes that unpack to more than .*not kept"):
        fetch(data_home=tmp_path, **QUICK)
    assert server.asked == ["/file"] and list(tmp_path.iterdir()) == []
    server.answers.clear()
    server.serve("/file", gzip.compress(content), headers=headers)
    fetch(data_home=tmp_path, **QUICK)
    assert [path.name for path in tmp_path.iterdir()] == [filename]


def test_what_is_not_there_is_asked_for_once(boston, server, tmp_path):
    with pytest.raises(HTTPError, match="404"):
        boston[0](data_home=tmp_path, **QUICK)
    assert server.asked == ["/file"]


def test_offline(monkeypatch, tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/file"
    remote = RemoteFile("boston.data", url, "0")
    monkeypatch.setattr(_fetchers, "BOSTON", dataclasses.replace(_fetchers.BOSTON, remote=remote))
    with (
        pytest.warns(UserWarning, match="Retry"),
        pytest.raises(URLError, match=f"put the file into {tmp_path} as boston.data"),
    ):
        load_boston(data_home=tmp_path, n_retries=1, delay=0.001)


def test_may_not_download(source, server, tmp_path):
    with pytest.raises(OSError, match="Data not found and `download_if_missing` is False"):
        source[0](data_home=tmp_path, download_if_missing=False)
    assert server.asked == []


def test_own_folder_comes_first(source, server, monkeypatch, tmp_path):
    fetch, content, filename = source
    own = tmp_path / "own"
    own.mkdir()
    (own / filename).write_bytes(content)
    monkeypatch.setenv("GRAMIAN_DATA", str(own))
    expected = fetch(data_home=tmp_path / "cache")
    assert server.asked == []
    name = {"boston_housing.data": "boston_housing", "covtype.data.gz": "covertype"}.get(
        filename, "california_housing"
    )
    table = pd.DataFrame(np.column_stack([expected.data, expected.target]))
    table = table.rename(columns=str) * 2
    table.to_parquet(own / f"{name}.parquet")
    doubled = fetch(data_home=tmp_path / "cache")
    np.testing.assert_array_equal(doubled.data, 2 * expected.data)
    (own / f"{name}.parquet").unlink()
    table.to_csv(own / f"{name}.csv", index=False)
    np.testing.assert_allclose(fetch(data_home=tmp_path).target, 2 * expected.target, rtol=1e-14)


def test_own_folder_is_checked_too(boston, monkeypatch, tmp_path):
    fetch, content, filename = boston
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path))
    (tmp_path / filename).write_bytes(content + b" ")
    with pytest.raises(OSError, match="SHA-256"):
        fetch()
    pd.DataFrame({"x": [1.0]}).to_parquet(tmp_path / "boston_housing.parquet")
    with pytest.raises(ValueError, match="14 columns"):
        fetch()
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match="GRAMIAN_DATA"):
        fetch()


def test_stop_leaves_nothing_behind(boston, server, monkeypatch, tmp_path):
    server.serve("/file", boston[1])

    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.copyfileobj", interrupt)
    with pytest.raises(KeyboardInterrupt):
        boston[0](data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options", [{"n_retries": 0}, {"delay": 0}, {"data_home": 3}, {"download_if_missing": "yes"}]
)
def test_refusals(options):
    for fetch in (fetch_california_housing, fetch_covtype, load_boston):
        with pytest.raises(ValueError, match=next(iter(options))):
            fetch(**options)


def test_data_home(monkeypatch, tmp_path):
    home = get_data_home(tmp_path / "a" / "b")
    assert os.path.isdir(home)
    Path(home, "file").write_text("x")
    clear_data_home(home)
    assert not os.path.exists(home)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert get_data_home() == str(tmp_path / ".cache" / "gramian")
    assert get_data_home("~/x") == str(tmp_path / "x")
