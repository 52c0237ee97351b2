from __future__ import annotations

import os
from pathlib import Path

import pytest

from quorate import writing
from quorate.errors import InvalidInput
from quorate.writing import check_folder, check_place, keeping, write_file

MARK = b"made by us"


def test_long_names_are_written(tmp_path):
    path = tmp_path / f"{'x' * 240}.json"
    assert write_file(path, b"{}") == path
    assert path.read_bytes() == b"{}"


def test_what_cannot_be_finished_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidInput, match=r"charts: .* cannot be written .No space left on device"):
        write_file(tmp_path / "a.svg", b"x", "charts")
    assert not list(tmp_path.iterdir())


def test_a_full_or_closed_disk_is_refused(tmp_path, monkeypatch):
    def closed(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(writing, "TemporaryDirectory", closed)
    for check in (check_place, check_folder, lambda place, argument: write_file(place, b"", argument)):
        with pytest.raises(InvalidInput, match="Read-only file system"):
            check(tmp_path / "a.md", "path")


def test_from_python_a_file_of_the_name_is_replaced(tmp_path):
    place = tmp_path / "a.csv"
    place.write_bytes(b"old")
    write_file(place, b"new")
    assert place.read_bytes() == b"new"


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_an_input_is_never_written_over_by_whatever_name(tmp_path, link, force):
    source, place = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b"data")
    if link is None:
        place = tmp_path / "x" / ".." / "in.csv"
        (tmp_path / "x").mkdir()
    else:
        link(source, place)
    with keeping([source, tmp_path / "none"], force=force):
        for write in (lambda: check_place(place, "--out"), lambda: write_file(place, b"data", "--out", mark=b"data")):
            with pytest.raises(InvalidInput, match=r"--out: .* is what is read; choose another name"):
                write()
    assert source.read_bytes() == b"data"


@pytest.mark.parametrize(
    ("there", "mark", "replaced"),
    [
        (b"another's", b"", False),
        (b"another's", MARK, False),
        (b"new", b"", True),
        (b"older, " + MARK, MARK, True),
        (b"older, " + MARK, b"", False),
        (b"", b"", True),
        (None, b"", True),
    ],
)
def test_what_is_not_our_own_stays(tmp_path, there, mark, replaced):
    place = tmp_path / "a"
    if there is not None:
        place.write_bytes(there)
    with keeping([], force=False):
        if replaced:
            write_file(place, b"new", mark=mark)
        else:
            with pytest.raises(InvalidInput, match=r"is there already and would be lost; .* replace it with --force"):
                write_file(place, b"new", mark=mark)
    assert place.read_bytes() == (b"new" if replaced else there)
    assert list(tmp_path.iterdir()) == [place]
    with keeping([], force=True):
        write_file(place, b"forced", mark=mark)
    assert place.read_bytes() == b"forced"


@pytest.mark.parametrize("read", [".", "*.log", "logs", "logs/*"])
def test_a_file_of_a_folder_or_pattern_that_is_read_stays_even_by_force(tmp_path, monkeypatch, read):
    monkeypatch.chdir(tmp_path)
    folder = Path("logs" if "logs" in read else ".")
    folder.mkdir(exist_ok=True)
    place, page = folder / "a.log", folder / "page.log"
    place.write_bytes(b"data")
    page.write_bytes(MARK)
    with keeping([Path(read)], force=True):
        with pytest.raises(InvalidInput, match=r"a\.log is there already and would be lost; choose another name$"):
            write_file(place, b"new", mark=MARK)
        write_file(page, b"new", mark=MARK)
        write_file(folder / "b.log", b"new")
    assert (place.read_bytes(), page.read_bytes()) == (b"data", b"new")


def test_a_link_that_leads_nowhere_is_not_our_own(tmp_path):
    place = tmp_path / "a"
    place.symlink_to(tmp_path / "none")
    with keeping([], force=False), pytest.raises(InvalidInput, match=r"a cannot be written|would be lost"):
        write_file(place, b"new")
    assert place.is_symlink()
