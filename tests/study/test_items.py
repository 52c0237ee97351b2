import json
from csv import field_size_limit

import polars as pl
import pytest

from quorate.errors import InvalidInput
from quorate.study.file import Items
from quorate.study.judges import ItemTable, read_items


def read(folder, text, name="items.jsonl", **columns):
    (folder / name).write_text(text, encoding="utf-8")
    return read_items(Items(file=name, **columns), folder)


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_json_lines_stay_as_they_are(tmp_path):
    found = read(tmp_path, "\n" + lines({"id": 1, "response": "2024-01-01"}, {"id": "b", "response": "007"}))
    assert found.fields == {("1", ""): {"response": "2024-01-01"}, ("b", ""): {"response": "007"}}
    assert (found.names, found.systems, found.categories) == (("1", "b"), (), {})


def test_csv_and_parquet_say_the_same(tmp_path):
    csv = read(tmp_path, 'id,response,note\na,"one\n\ntwo, ""three""",\nb,007,x\n', "items.csv")
    assert csv.fields["a", ""] == {"response": 'one\n\ntwo, "three"'}
    assert csv.fields["b", ""] == {"response": "007", "note": "x"}
    pl.DataFrame({"id": ["a", "b"], "response": ['one\n\ntwo, "three"', "007"], "note": [None, "x"]}).write_parquet(
        tmp_path / "items.parquet"
    )
    parquet = read_items(Items(file="items.parquet"), tmp_path)
    assert parquet.fields == csv.fields
    assert parquet.digest(("a", "")) == csv.digest(("a", ""))


def test_systems_and_categories_are_not_shown_to_judges(tmp_path):
    rows = [{"n": i, "kind": "k", "by": s, "response": f"{i}{s}"} for i in "ab" for s in "xy"]
    found = read(tmp_path, lines(*rows), id="n", category="kind", system="by")
    assert found.systems == ("x", "y")
    assert found.categories == {"a": "k", "b": "k"}
    assert found.fields["a", "y"] == {"response": "ay"}
    assert found.digest(("a", "x")) != found.digest(("a", "y"))


A = {"id": "a", "by": "x", "kind": "k", "response": "r"}
BAD = {
    "twice": (lines(A, A), 'row 2: "a" stands twice', {}),
    "no column": (lines({"name": "a"}), 'row 1: items.id: no column "id"', {}),
    "no name": (lines({"id": ""}), 'row 1: "id" must be a name, got ""', {}),
    "list": (lines({"id": [1]}), 'row 1: "id" must be a name', {}),
    "none": ("", "there are no items", {}),
    "no json": ("{\n", "line 1 is not JSON", {}),
    "nan": ('{"id": "a", "x": NaN}\n', "line 1 is not JSON .NaN", {}),
    "no object": ("[1]\n", "line 1 is not a JSON object", {}),
    "system": (
        lines(A, A | {"by": "y"}, A | {"id": "b"}),
        '"b" has no row for the system "y"',
        {"system": "by"},
    ),
    "nothing to read": (
        lines({"id": "a", "prompt": " ", "response": ""}),
        'row 1: "a": prompt and response without text give a judge nothing to read; drop the row',
        {},
    ),
    "category": (lines(A, A | {"by": "y", "kind": "l"}), "another category", {"system": "by", "category": "kind"}),
}


@pytest.mark.parametrize(("text", "said", "columns"), BAD.values(), ids=BAD)
def test_items_that_cannot_be_used(tmp_path, text, said, columns):
    with pytest.raises(InvalidInput, match=said) as error:
        read(tmp_path, text, **columns)
    assert str(error.value).isprintable()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match="relative to the study"):
        read_items(Items(file="none.jsonl"), tmp_path)
    with pytest.raises(InvalidInput, match="more or fewer cells"):
        read(tmp_path, "id,response\na\n", "items.csv")
    with pytest.raises(InvalidInput, match="quote"):
        read(tmp_path, 'id,response\na,"b" c\n', "items.csv")
    (tmp_path / "items.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_items(Items(file="items.jsonl"), tmp_path)


def test_the_process_keeps_its_own_limit_of_a_cell(tmp_path):
    before = field_size_limit()
    read(tmp_path, "id,response\na,x\n", "items.csv")
    with pytest.raises(InvalidInput):
        read(tmp_path, "id,response\na,x,y\n", "items.csv")
    assert field_size_limit() == before


class Counted(dict):
    """A mapping that counts how many of its names were looked through."""

    seen = 0

    def __iter__(self):
        for name in super().__iter__():
            self.seen += 1
            yield name


def test_whether_items_are_pairs_is_known_without_looking_through_them():
    """It is asked for every cell and every request."""
    for name, pairs in ((("", "x", "y"), True), (("", "x"), False)):
        fields = Counted({(f"q{number}", *name[1:]): {} for number in range(1000)})
        assert ItemTable(fields, {}, ()).pairs is pairs
        assert fields.seen == 1
