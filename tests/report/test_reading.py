"""Tables are read as people write them, and refused in one line."""

import gzip
from datetime import date

import polars as pl
import pytest

from gramian.report import TableError, read_table


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(write, separator):
    path = write("t.csv", "a,b,c\n1,2.5,x\n3,4,y\n".replace(",", separator))
    table = read_table(path)
    assert table.to_dict(as_series=False) == {"a": [1, 3], "b": [2.5, 4.0], "c": ["x", "y"]}


def test_tsv_may_have_commas_in_its_header(write):
    assert read_table(write("t.tsv", "a,b,c\td\n1\t2\n")).columns == ["a,b,c", "d"]


def test_blanks_after_separators(write):
    table = read_table(write("t.csv", "a, b, c\n1, 2, x\n3, 4.5, y\n"))
    assert table.columns == ["a", "b", "c"]
    assert table["b"].to_list() == [2.0, 4.5]
    assert table["c"].to_list() == ["x", "y"]


def test_decimal_commas(write):
    assert read_table(write("t.csv", "a;b\n1,5;x,y\n2;z\n"))["a"].to_list() == [1.5, 2.0]
    assert read_table(write("u.csv", "a;b\n1,5;x,y\n2;z\n"))["b"].to_list() == ["x,y", "z"]


def test_missing_values(write):
    table = read_table(write("t.csv", "a,b\n1,NA\n,x\n?,\nnan,None\n4,null\n"))
    assert table["a"].to_list() == [1, None, None, None, 4]
    assert table["b"].to_list() == [None, "x", None, None, None]


def test_byte_order_mark_quotes_and_line_ends(write):
    table = read_table(write("t.csv", b'\xef\xbb\xbf"a","b, c"\r\n1,"x\r\ny"\r\n'))
    assert table.columns == ["a", "b, c"]
    assert table["b, c"].to_list() == ["x\r\ny"]


def test_only_columns_that_begin_like_times_are_tried(write):
    rows = "2024-01-31 08:30:00,1-2-3 Oslo,08:30:00,31/01/2024,a\n" * 3
    table = read_table(write("a.csv", "at,street,hour,day,text\n" + rows))
    kinds = [dtype.base_type() for dtype in table.dtypes]
    assert kinds == [pl.Datetime, pl.String, pl.Time, pl.Date, pl.String]
    gaps = read_table(write("b.csv", "d,x\n,1\nNA,2\n2024-01-31,3\n"))
    assert gaps["d"].to_list() == [None, None, date(2024, 1, 31)]


def test_dates(write):
    table = read_table(write("t.csv", "d,v\n2024-01-31,1\n2024-02-01,2\n"))
    assert table["d"].to_list() == [date(2024, 1, 31), date(2024, 2, 1)]


def test_compressed(write):
    assert read_table(write("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0))).shape == (1, 2)


def test_parquet(tmp_path):
    frame = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").equals(frame)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"  \n \n", "is empty"),
        ("t.csv", b"a,b\n", "has a header but no rows"),
        ("t.csv", b"\x00\x01\x02\x03", "is not text"),
        ("t.csv", b"\xff\xfea\x00,", "is cut off"),
        ("t.csv", b"a,b\n1,2,3\n", "some line has more cells than the header"),
        ("t.pdf", b"%PDF-1.7", "must end in .csv"),
        ("t", b"a,b\n1,2\n", "must end in .csv"),
        ("t.gz", b"a,b\n1,2\n", "must end in .csv"),
        ("t.csv.gz", b"a,b\n1,2\n", "cannot be read"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 9, mtime=0)[:-9], "cannot be read"),
        ("t.parquet", b"a,b\n1,2\n", "is not a Parquet file"),
    ],
)
def test_refusals(write, name, content, message):
    with pytest.raises(TableError, match=message) as refusal:
        read_table(write(name, content))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_encodings(write, name, encoding):
    # The first letter beyond ASCII may come after what is read to guess from.
    for n_rows in (1, 40_000):
        content = ("größe,b\n" + "x,1\n" * (n_rows - 1) + "é,2\n").encode(encoding)
        table = read_table(write(name, gzip.compress(content) if name.endswith("gz") else content))
        assert table.columns == ["größe", "b"]
        assert table.height == n_rows and table.row(-1) == ("é", 2)


def test_late_letters_of_another_encoding(write):
    table = read_table(write("t.csv", b"a,b\n" + b"x,1\n" * 40_000 + b"caf\xe9,2\n"))
    assert table.row(-1) == ("café", 2)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("a,b,a", ["a", "b", "a_2"]),
        ("a,b,,", ["a", "b", "column_3", "column_4"]),
        ("a,a,a_2,a", ["a", "a_3", "a_2", "a_4"]),
        (",column_1,column_1", ["column_1_2", "column_1", "column_1_3"]),
    ],
)
def test_each_column_has_a_name_of_its_own(write, header, names):
    row = ",".join(str(i) for i in range(len(names)))
    table = read_table(write("t.csv", f"{header}\n{row}\n".encode()))
    assert table.columns == names
    assert table.row(0) == tuple(range(len(names)))


def test_places_that_are_no_file(tmp_path):
    with pytest.raises(TableError, match=r"does not exist, .*auto_mpg"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a directory"):
        read_table(tmp_path)


def test_builtin_tables_come_before_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_table("diabetes").shape == (442, 11)
