from types import SimpleNamespace

import pytest

from quorate.cli.options.output import Files, Output
from quorate.cli.options.reading import Reading
from quorate.errors import InvalidInput


def test_places_that_can_be_written_are_taken(tmp_path):
    Files(context=None, report=[tmp_path / "a.html"], charts=tmp_path / "charts")
    Files(context=None)


@pytest.mark.parametrize(
    ("report", "charts", "said"),
    [("a.pdf", None, "--report"), ("nowhere/a.html", None, "--report"), (None, "taken", "--charts")],
)
def test_others_are_refused_by_the_name_of_their_option(tmp_path, report, charts, said):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InvalidInput, match=said):
        Files(context=None, report=report and [tmp_path / report], charts=charts and tmp_path / charts)


def test_what_was_written_is_said_unless_json_is_printed(tmp_path, capsys):
    from quorate.estimate.ratings.rank import rank

    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_a\nx,y,model_b\n")
    table = Reading().table(path)
    page, context = tmp_path / "page.md", SimpleNamespace(obj="quorate")
    for as_json in (False, True):
        files = Files(context=context, report=[page], charts=tmp_path / "charts")
        Output(as_json=as_json).show(rank(table), files, table)
        assert ("Charts: 2 files" in capsys.readouterr().out) is not as_json
    assert "- input: " in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        "analyze {scores}",
        "doctor {scores}",
        "judges {scores}",
        "plan {scores} --budget 100 --draws 0",
        "plan --design {scores} --items 24",
        "rank {battles}",
        "analyze {battles}",
        "compare {battles} x y",
    ],
)
def test_a_screen_is_enough_for_the_usual_answers(run, scores, battles, words):
    ran = run(*words.format(scores=scores, battles=battles).split())
    lines = ran.out.splitlines()
    assert ran.code in (0, 2)
    assert len(lines) <= 25
    assert max(len(line) for line in lines if not line.startswith(("  quorate", "Report: "))) <= 80
