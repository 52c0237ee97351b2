from __future__ import annotations

import pytest

from quorate.errors import InvalidInput
from quorate.reporting.print.files import directory, writable

ENDINGS = (".html", ".htm", ".md", ".json")


def test_a_place_that_can_be_written_is_left_as_it_was(tmp_path):
    old = tmp_path / "report.html"
    old.write_text("old")
    writable(old, ENDINGS)
    directory(tmp_path, "charts")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("report.html", "old")]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("report.pdf", r'--report: must end in \.html, \.md or \.json, got "report\.pdf"'),
        ("nowhere/report.html", "--report: .*nowhere/report.html cannot be written"),
        ("folder.html", "folder.html is a folder; name a file in it"),
        ("file/report.html", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path, name, says):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=says) as caught:
        writable(tmp_path / name, ENDINGS, "--report")
    assert "\n" not in str(caught.value)


def test_a_folder_is_made_where_its_parent_exists(tmp_path):
    directory(tmp_path / "new", "--charts")
    assert (tmp_path / "new").is_dir()
    with pytest.raises(InvalidInput, match=r"--charts: .*none.new cannot be written \(No such file"):
        directory(tmp_path / "none" / "new", "--charts")
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=r"--charts: .*file cannot be written \(File exists"):
        directory(tmp_path / "file", "--charts")
