"""Tables in several files, folders, packed ones and spreadsheets: one table, in Python and in commands alike."""

from __future__ import annotations

import re
from zipfile import ZipFile

import pytest

import quorate as q
from quorate.cli.entry import main
from quorate.errors import InvalidInput

NEW, OLD = ("id,score\n" + "".join(f"q{i},{1 + (i * i + shift) % 5}\n" for i in range(24)) for shift in (0, 1))


@pytest.fixture
def folder(tmp_path):
    """Two results files, one for each of two systems."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "new.csv").write_text(NEW)
    (tmp_path / "runs" / "old.csv").write_text(OLD)
    return tmp_path / "runs"


def facets(table):
    return {facet.name: facet.column for facet in table.facets}


def sheet(name, rows):
    """A worksheet of Excel with text alone."""
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>" for row in rows
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return name, f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>'


def workbook(path, *sheets):
    """A file of Excel with these worksheets."""
    office = "http://schemas.openxmlformats.org"
    related = f"{office}/officeDocument/2006/relationships"
    names = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, (name, _) in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="r{k}" Type="{related}/worksheet" Target="worksheets/s{k}.xml"/>'
        for k in range(1, len(sheets) + 1)
    )
    with ZipFile(path, "w") as packed:
        packed.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" '
            f'Type="{related}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        packed.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{office}/spreadsheetml/2006/main" xmlns:r="{related}">'
            f"<sheets>{names}</sheets></workbook>",
        )
        packed.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{office}/package/2006/relationships">{links}</Relationships>',
        )
        for k, (_, text) in enumerate(sheets, 1):
            packed.writestr(f"xl/worksheets/s{k}.xml", text)
    return path


def rows_of(text):
    return [line.split(",") for line in text.splitlines()]


def test_two_files_are_two_systems_by_every_route(folder, capsys):
    new, old = folder / "new.csv", folder / "old.csv"
    with ZipFile(folder.parent / "both.zip", "w") as packed:
        packed.write(new, "results/new.csv")
        packed.write(old, "results/old.csv")
    said = q.compare(new, old).sentence
    assert said.startswith("Undecided whether") or " than " in said
    for source in ([new, old], folder, folder / "*.csv", folder.parent / "both.zip"):
        table = q.read(source, announce=False)
        assert facets(table) == {"item": "id", "system": "system"}
        assert table.facet("system").levels == ("new", "old")
    assert q.compare(table).sentence == said
    for words in ((folder,), (new, old, "new", "old")):
        assert main(["compare", *map(str, words)]) in (0, 2)
        assert "2 files, each a system by its name" in capsys.readouterr().out


def test_files_without_ids_are_paired_by_row_and_that_is_said(folder):
    for name, text in (("new", NEW), ("old", OLD)):
        (folder / f"{name}.csv").write_text(re.sub(r"(?m)^[^,]*,", "", text))
    table = q.read(folder, announce=False)
    assert table.n_levels("item") == 24
    assert "rows of one number are taken for the same item" in table.notes
    (folder / "old.csv").write_text("score\n1\n2\n")
    assert q.read(folder, announce=False).n_levels("item") == 26


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("names", "role"), [(("rater1", "rater2"), "judge"), (("run1", "run2"), "file"), (("gpt-4o", "claude-3"), "system")]
)
def test_names_of_files_say_what_they_are(tmp_path, names, role):
    for name, text in zip(names, (NEW, OLD), strict=True):
        (tmp_path / f"{name}.csv").write_text(text)
    assert role in q.read(tmp_path, announce=False).names


def test_files_that_are_no_one_table_are_refused(folder):
    (folder / "other.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(InvalidInput, match="files are not one table"):
        q.read(folder)
    (folder / "other.csv").rename(folder / "other.jsonl")
    with pytest.raises(InvalidInput, match="files of several formats"):
        q.read(folder)


def test_spreadsheets(tmp_path):
    one = workbook(tmp_path / "one.xlsx", sheet("Results", [["Ratings of May"], [], *rows_of(NEW)]))
    assert q.read(one, announce=False).n_levels("item") == 24
    raters = workbook(tmp_path / "raters.xlsx", sheet("rater1", rows_of(NEW)), sheet("rater2", rows_of(OLD)))
    assert facets(q.read(raters, announce=False)) == {"item": "id", "judge": "judge"}
    remarks = sheet("Guidelines", [["Please read"], ["1 is worst"], ["5 is best"]])
    noted = q.read(workbook(tmp_path / "noted.xlsx", sheet("scores", rows_of(NEW)), remarks), announce=False)
    assert noted.n_cells == q.read(one, announce=False).n_cells
    assert "Guidelines left out, which has other columns and fewer rows" in noted.notes
    about = [["a", "b"], *([f"c{n}", "d"] for n in range(20))]
    other = workbook(tmp_path / "other.xlsx", sheet("scores", rows_of(NEW)), sheet("About", about))
    with pytest.raises(InvalidInput, match=r'name those that are, such as part="scores"'):
        q.read(other)
    assert q.read(other, part="scores", announce=False).n_levels("item") == 24
    short = workbook(tmp_path / "short.xlsx", sheet("About", about[:3]), sheet("scores", rows_of(NEW)))
    assert q.read(short, announce=False).n_levels("item") == 24
    with pytest.raises(InvalidInput, match='no sheet "absent"'):
        q.read(other, part="absent")


def test_a_table_of_opendocument(tmp_path):
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>' for cell in row
        )
        + "</table:table-row>"
        for row in rows_of(NEW)
    )
    space = "urn:oasis:names:tc:opendocument:xmlns"
    with ZipFile(tmp_path / "a.ods", "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
        packed.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{space}:office:1.0" xmlns:table="{space}:table:1.0" '
            f'xmlns:text="{space}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{cells}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    assert q.read(tmp_path / "a.ods", announce=False).n_levels("item") == 24


def test_what_is_no_spreadsheet_is_said_in_a_line(tmp_path):
    (tmp_path / "a.xlsx").write_text("no")
    with pytest.raises(q.InvalidData, match="is no spreadsheet that can be read"):
        q.read(tmp_path / "a.xlsx")
    (tmp_path / "a.zip").write_text("no")
    with pytest.raises(q.InvalidData, match="cannot be unpacked"):
        q.read(tmp_path / "a.zip")


def test_a_first_line_of_values_is_no_header(tmp_path):
    lines = [f"q{i // 2},{'ab'[i % 2]}x,{1 + i * i % 5}" for i in range(24)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    with pytest.raises(InvalidInput, match="the first line holds values, not names: columns are numbered"):
        q.read(tmp_path / "a.csv")
    read = q.read(tmp_path / "a.csv", score="column3", facets={"item": "column1", "judge": "column2"}, announce=False)
    assert (int(read.n.sum()), read.n_levels("item")) == (24, 12)
