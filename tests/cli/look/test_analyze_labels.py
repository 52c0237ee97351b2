import json

import pytest
from tests.analysis.test_nominal import frame


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "w.csv"
    frame().write_csv(path)
    return path


def test_labels_and_the_items_for_people(run, words, tmp_path):
    ran = run("analyze", words, "--score", "verdict", "--labels", "--no-report", "--to-people", "p.csv", "--most", "3")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("The commonest of 3 labels is ")
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 4
    assert ran.out.endswith("For people: p.csv\n")


def test_labels_as_json_and_in_a_paragraph(run, words):
    content = run("analyze", words, "--score", "verdict", "--labels", "--json").json
    assert sum(one["share"] for one in content["shares"]) == pytest.approx(1)
    written = json.loads(run("report", words, "--score", "verdict", "--labels", "--json").out)
    assert written["paragraph"].startswith("4 judges gave 160 labels")
    assert "Reporting checklist" not in run("report", words, "--score", "verdict", "--labels").out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("analyze --half-width .1", "--half-width: is for scores, and these are labels"),
        ("analyze --interval robust", "--interval: is for scores, and these are labels"),
        ("report --price 1", "--price: is for scores, and these are labels"),
        ("plan --budget 100", "hold labels, which are no numbers"),
        ("analyze --label fine", "labels: takes every word as a label, and label says otherwise"),
    ],
)
def test_what_labels_do_not_have(run, words, line, told):
    command, *rest = line.split()
    ran = run(command, words, "--score", "verdict", "--labels", *rest)
    assert ran.code == 1
    assert told in ran.err


def test_words_say_what_would_read_them(run, words):
    ran = run("analyze", words, "--score", "verdict")
    assert "read each as a label with --labels, the share of one with --label " in ran.err
    ran = run("analyze", words, "--score", "verdict", "--label", "fine", "--most", "3")
    assert "--most: is for labels; read words as such with --labels" in ran.err
