from __future__ import annotations

import math
import os

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.reproduction import reproduce
from quorate.reproduction import study as studied
from quorate.reproduction.study import Needed, Reanalysis, Results, columns, contents

SMALL = Needed("tables/small.csv", "somewhere", lambda path: columns(path, text=("name",), numbers=("value",)))
OTHER = Needed("tables/part-*.csv", "somewhere else", lambda path: path.name)
GOOD = "name,value,more\na,1.5,x\nb,NA,y\nc,TRUE,z\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "small.csv").write_text(GOOD, encoding="utf-8")
    return tmp_path


def test_what_is_there_is_read_and_the_rest_is_missing(folder):
    held = contents([SMALL, OTHER], folder)
    table = held.of(SMALL)
    assert table["name"].tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(table["value"], [1.5, math.nan, 1.0])
    assert held.missing([SMALL, OTHER]) == (OTHER,)
    assert contents([SMALL], None).missing([SMALL]) == (SMALL,)


def test_a_source_may_be_a_folder_in_the_folder_and_a_name_a_pattern(folder):
    (folder / "tables" / "part-00000-of-1.csv").write_text(GOOD, encoding="utf-8")
    inner = folder.rename(folder.with_name("inner"))
    folder.mkdir()
    inner.rename(folder / "archive")
    held = contents([SMALL, OTHER], folder)
    assert held.of(OTHER) == "part-00000-of-1.csv"
    assert len(held.of(SMALL)["value"]) == 3


def test_a_study_without_its_files_says_what_it_needs_and_with_them_is_computed(folder, monkeypatch):
    study = Reanalysis(
        "tee.pilot", "A pilot", (SMALL,), lambda files, _: Results({"mean": float(files.of(SMALL)["value"][0])})
    )
    monkeypatch.setattr(reproduce, "chosen", lambda _: (study,))
    found = q.reproduce()
    assert {one.verdict for one in found.figures} == {"cannot be recomputed"}
    assert found.figures[0].why == 'needs tables/small.csv of somewhere; give data="..."'
    assert found.runs[0].missing == found.figures[0].why


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"name,value\n", "has no rows"),
        (b"name,other\na,1\n", 'has no column "value"'),
        (b"name,value\na,about 3\n", 'column "value" holds something else than numbers'),
        (b"name,value\na,1,2\n", "the header has 2 columns, this line 3"),
        (b'name,value\na,"1\n', "quote"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "small.csv"),
    ],
)
def test_a_file_that_is_another_is_one_line(folder, content, says):
    (folder / "tables" / "small.csv").write_bytes(content)
    with pytest.raises(InvalidInput, match=says) as caught:
        contents([SMALL], folder)
    assert "small.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(folder, monkeypatch):
    os.truncate(folder / "tables" / "small.csv", studied.LARGEST + 1)  # sparse: it takes no place
    with pytest.raises(InvalidInput, match="has 2,000,000,001 bytes"):
        contents([SMALL], folder)
    (folder / "tables" / "small.csv").write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(studied, "MOST_ROWS", 2)
    with pytest.raises(InvalidData, match="has more than 2 rows"):
        contents([SMALL], folder)


def test_what_is_no_file_is_not_there(folder):
    (folder / "tables" / "small.csv").unlink()
    os.mkfifo(folder / "tables" / "small.csv")
    assert contents([SMALL], folder).missing([SMALL]) == (SMALL,)
    with pytest.raises(InvalidInput, match="data: no such folder"):
        contents([SMALL], folder / "nowhere")
    with pytest.raises(InvalidInput, match="data: no such folder"):
        q.reproduce(["tee.pilot"], data=folder / "tables" / "small.csv")
