"""Text that is not UTF-8: UTF-16 with its mark, Windows-1252, and what is neither."""

from __future__ import annotations

import gzip

import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table.exchange.encoding import begins_in, encoding_of
from quorate.table.files import opened

TEXT = 'item,juge né,score\n"é, ‘x’",Zoë €,4\nß,Zoë €,\n'
ROWS = (("item", "juge né", "score"), [("é, ‘x’", "Zoë €", "4"), ("ß", "Zoë €", None)])
SAID = {"cp1252": "Windows-1252", "utf-16": "UTF-16"}


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16-be"])
def test_the_same_rows_in_every_encoding(tmp_path, encoding, name):
    path, mark = tmp_path / name, "\ufeff" * encoding.startswith("utf-16")
    content = (mark + TEXT).encode(encoding)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with opened(path) as file:
        assert (file.columns, file.relation.fetchall()) == ROWS
        said = [str(note) for note in file.notes]
    expected = next((words for start, words in SAID.items() if encoding.startswith(start)), None)
    assert [expected in note for note in said] == ([] if expected is None else [True])


@pytest.mark.slow
def test_letters_far_from_the_beginning(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"item,score\n" + b"q,1\n" * 300_000 + b"\xfc,2\n")
    assert encoding_of(path) == "cp1252"
    table = q.read(path, announce=False)
    assert table.facet("item").levels == ("q", "ü")
    assert any("Windows-1252" in str(note) for note in table.notes)


def test_what_is_neither_is_refused_where_it_is_not_utf8(tmp_path):
    for content in (b"item,score\n\xfc\x81,1\n", b"item,score\n\xfc\x02,1\n"):
        (tmp_path / "a.csv").write_bytes(content)
        with pytest.raises(InvalidData, match="line 2 is not UTF-8 text; save the file as UTF-8"):
            q.read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_bytes("\ufeffitem,score\nq,1,2\n".encode("utf-16-be"))
    with pytest.raises(InvalidData, match="line 2: the header has 2 columns, this line 3"):
        q.read(tmp_path / "a.csv")
    assert begins_in("é".encode()[:1]) == "utf-8-sig"


def test_exports_of_people_too(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_bytes("HITId,WorkerId,Answer.note,Input.topic\nh,Zoë,3,né\n".encode("cp1252"))
    table = q.read(path, announce=False)
    assert table.facet("judge").levels == ("Zoë",)
    assert any("Windows-1252" in str(note) for note in table.notes)
