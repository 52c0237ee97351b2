import polars as pl
from tests.estimate.test_nominal import found, frame

import quorate as q
from quorate.reporting.report import page_of


def test_sections_and_findings():
    page = page_of(found())
    assert [section.name for section in page.sections] == ["labels", "agreement", "confusion", "people"]
    assert [figure.name for figure in page.figures] == ["shares", "coefficients", "pairs", "confusion", "people"]
    shares, _, pairs, confusion, people = page.figures
    assert [row["label"] for row in shares.rows] == [one.label for one in found().shares]
    assert len(pairs.rows) == 6
    assert confusion.rows[0]["label"] != confusion.rows[0]["other"]
    assert len(people.rows) == 5
    assert page.sentence == found().sentence
    assert page.provenance["input"] == "polars frame"


def test_a_table_of_labels_has_the_page_of_its_labels(tmp_path):
    table = q.read(frame(), score="verdict", labels=True, announce=False)
    text = q.report(table, tmp_path / "l.md").read_text()
    assert "How far judges agree" in text
    assert "Krippendorff" in text


def test_one_judge():
    table = q.read(frame().filter(pl.col("judge") == "j0"), score="verdict", labels=True, announce=False)
    page = page_of(q.scores.labels(table))
    assert [section.name for section in page.sections] == ["labels"]
    assert "panel_low" not in page.figures[0].rows[0]
