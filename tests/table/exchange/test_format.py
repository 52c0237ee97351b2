"""Formats of files: one more is a value with a way to open it, listed once."""

from __future__ import annotations

import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table import files
from quorate.table.exchange.format import Format, Opened, head, literal, pattern


def test_no_two_formats_share_a_name_or_a_suffix():
    names = [form.name for form in files.FORMATS]
    suffixes = [suffix for form in files.FORMATS for suffix in form.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)


def test_one_more_format_is_one_value(tmp_path, monkeypatch):
    """A format that claims its files by their first bytes is read by everything that reads files."""

    def open_pipes(connection, path):
        rows = [line.split("|") for line in head(path).splitlines()[1:]]
        values = ", ".join(f"({literal(item)}, {literal(score)})" for item, score in rows)
        return Opened(connection.sql(f"SELECT * FROM (VALUES {values}) AS t(item, score)"), ("item", "score"), False)

    pipes = Format("pipes", open_pipes, claims=lambda glance: glance.block.startswith(b"PIPES"))
    monkeypatch.setattr(files, "FORMATS", (pipes, *files.FORMATS))
    path = tmp_path / "scores.log"
    path.write_text("PIPES\na|1\nb|3\n", encoding="utf-8")
    assert files.located(path).form is pipes
    assert q.read(path, announce=False).mean.tolist() == [1, 3]


def test_a_pattern_names_one_file_whatever_its_name_holds(tmp_path):
    assert pattern(tmp_path / "a*[b]'.csv").endswith("a[*][[]b]''.csv'")


@pytest.mark.parametrize("text", [b"a\0b", b"\xff\xe9a"])
def test_what_is_not_text_has_no_head(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    with pytest.raises(InvalidData, match="not UTF-8 text"):
        head(path)
