"""Every option that names a file to write: never over what is read, never over what another wrote, without --force."""

from __future__ import annotations

import ast
import html
import json
import os
from pathlib import Path

import numpy as np
import pytest

import quorate
from quorate.cli import main
from quorate.cli.entry import program

ANOTHERS = b"of another program"
WRITTEN = [
    (name, one.opts[0])
    for name, command in program().commands.items()
    for one in command.params
    if getattr(getattr(getattr(one, "type_descriptor", None), "parameter_info", None), "writable", False)
]
CALLS = {
    ("doctor", "--save"): "doctor scores.csv --save X.yaml",
    ("analyze", "--to-people"): "analyze labels.csv --score verdict --labels --no-report --to-people X.csv",
    ("demo", "--directory"): "demo --no-report --directory .",
    ("assign", "--out"): "assign --items 5 --judges a,b --out X.csv",
    ("assign --after", "--out"): "assign --after votes.csv --number 5 --out X.csv",
    ("assign --pool", "--out"): "assign --pool votes.csv --floor 3 --out X.csv",
    ("init", "path"): "init X.yaml",
    ("export --tasks", "folder"): "export --tasks study.yaml .",
    ("export", "to"): "export scores.csv X.csv",
    ("papers", "--resume"): "papers tee.safety --resume X.csv",
    ("agents chain", ""): "agents chain scores.csv --stages judge,score",
    ("agents hazard", ""): "agents hazard scores.csv --threshold 5",
    ("regress --sign-flip", ""): "regress --sign-flip --beta .06 --se .03",
    ("regress", ""): "regress scores.csv --outcome score --on item --labels score --probability .5",
    ("analyze --pilot", ""): "analyze scores.csv --pilot scores.csv",
    ("compare", ""): "compare votes.csv x y",
    ("votes protocols", ""): "votes protocols votes.csv votes.csv",
    ("plan --votes", ""): "plan --votes --margin .1",
    ("compare --watch", ""): "compare --watch votes.csv x y",
    ("judges --human", ""): "judges scores.csv --human a",
    ("status --interim", ""): "status --interim study.yaml",
    ("demo", ""): "demo",
    ("papers", ""): "papers tee.safety",
    ("plan --adaptive", ""): "plan --adaptive scores.csv --budget 500",
    ("plan --human", ""): "plan votes.csv --human ann --a x --human-price 1 --price .01 --budget 99",
    **{(name, ""): "{} votes.csv --human ann" for name in ("judges --agree", "compare --human", "rank --human")},
    ("assign --after", ""): "assign --after votes.csv --number 5",
    ("assign --pool", ""): "assign --pool votes.csv --floor 3",
    ("validate", ""): "validate scores.csv --budgets 50",
    ("plan --adaptive", "--charts"): "plan --adaptive scores.csv --budget 500 --report page.html --charts X",
    **{(name, ""): "{} votes.csv" for name in ("rank", "rank --models", "rank --pipelines", "rank --watch")},
    ("rank --tries", ""): "rank scores.csv --tries 9",
    ("plan", ""): "plan scores.csv --half-width 1 --draws 0",
    ("plan --screen", ""): "plan scores.csv --screen --budget 100 --only prompt=p",
    ("analyze --baseline", ""): "analyze scores.csv --baseline .5 --scale=-9,9",
}
"""A call of a command with an option, or of all its options for reports and charts; of others, ``{} scores.csv``."""
IN_FOLDER = {("demo", "--directory"): "quorate-demo.csv", ("export --tasks", "folder"): "config.xml"}

SHORT = {"agents hazard", "analyze --posterior", "analyze --runs", "compare --human", "plan --adaptive", "validate"}
"""Commands for which the small files have too little."""
WITHOUT_INPUT = {"demo", "init", "assign", "plan --votes", "regress --sign-flip", "papers"}


def call(command, option, name="X"):
    """The words of a call in which an option names a file, and that file."""
    known = CALLS.get((command, option))
    ending = {"--charts": "", "--report": ".html"}.get(option, "")
    line = known or f"{CALLS.get((command, ''), '{} scores.csv')} {option} X{ending}"
    verb, _, asked = command.partition(" ")
    words = line.format(verb if asked == "--human" else command).split()
    place = next((word for word in words if word.startswith("X")), IN_FOLDER.get((command, option)))
    return [word.replace("X", name) if word == place else word for word in words], place.replace("X", name)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of small files."""
    draw = np.random.default_rng(1)
    cells = [(i, j, p) for i in range(12) for j in "abc" for p in "pq"]
    scores = "".join(f"{i},{j},{p},{i % 4 + draw.normal():.3f}\n" for i, j, p in cells)
    votes = "".join(f"x,y,p{i},{j},model_{'ab'[i % 2]}\n" for i in range(20) for j in ("ann", "bob"))
    (tmp_path / "scores.csv").write_text("item,judge,prompt,score\n" + scores)
    labels = "".join(f"{i},{j},{(i + ord(j)) % 3 > 0}ly\n" for i in range(12) for j in "abc")
    (tmp_path / "labels.csv").write_text("item,judge,verdict\n" + labels)
    (tmp_path / "votes.csv").write_text("model_a,model_b,prompt,judge,winner\n" + votes)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "study.yaml", "--recipe", "people"]) == 0

    def run(words):
        capsys.readouterr()
        return main(words), capsys.readouterr().err

    return run


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".db" not in path.name}


def test_every_such_option_has_a_call():
    assert not {(name, option) for name, option in CALLS if option} - {*WRITTEN}
    assert {name for name, option in CALLS if not option} <= {name for name, _ in WRITTEN}
    assert {option for name, option in WRITTEN if (name, option) not in CALLS} == {"--report", "--charts"}


@pytest.mark.wide(10)
@pytest.mark.parametrize(("command", "option"), WRITTEN)
def test_what_another_wrote_stays(run, tmp_path, command, option):
    words, place = call(command, option)
    (tmp_path / place).write_bytes(ANOTHERS)
    before = contents(tmp_path)
    code, error = run(words)
    assert (code, error.count("\n")) == (1, 1), error
    assert any(said in error for said in ("would be lost", "is there already", "File exists")), error
    assert contents(tmp_path) == before


@pytest.mark.wide(10)
@pytest.mark.parametrize(("link", "force"), [(os.symlink, []), (os.link, ["--force"])])
@pytest.mark.parametrize(
    ("command", "option"), [one for one in WRITTEN if one[0] not in WITHOUT_INPUT and one[1] != "--charts"]
)
def test_what_is_read_stays_even_by_force(run, tmp_path, command, option, link, force):
    words, place = call(command, option)
    read = next(word for word in words if word in ("scores.csv", "labels.csv", "votes.csv", "study.yaml"))
    link(tmp_path / read, tmp_path / place)
    before = contents(tmp_path)
    code, error = run([*words, *force])
    assert (code, error.count("\n")) == (1, 1), error
    assert f"{place} is what is read; choose another name" in error, error
    assert contents(tmp_path) == before


@pytest.mark.wide(12)
@pytest.mark.parametrize("command", [name for name, option in WRITTEN if option == "--report" and name not in SHORT])
def test_what_is_asked_for_is_written_and_says_what_gave_it(run, tmp_path, command):
    words, place = call(command, "--report")
    charts = ["--charts", "charts"] if (command, "--charts") in WRITTEN and "--charts" not in words else []
    code, error = run([*words, "--report", "page.json", *charts])
    assert code in (0, 2), error
    page, kept = (tmp_path / place).read_text(encoding="utf-8"), json.loads((tmp_path / "page.json").read_text())
    assert f"quorate {' '.join(words[:2])}" in html.unescape(page)
    assert kept["provenance"]["command"].startswith(f"quorate {words[0]}")
    assert kept.get("sentence", "") in html.unescape(page)
    if charts:
        drawn = [one.read_text(encoding="utf-8") for one in (tmp_path / "charts").iterdir()]
        assert all(one.startswith("<svg") for one in drawn)
        assert bool(drawn) == ("data-chart=" in page)


def test_files_are_written_in_one_place():
    """Each other place says why it may."""
    allowed = {
        "writing.py",
        "study/variants.py",
        "study/inspect/deal.py",
        "table/exchange/json_lines.py",  # into a folder of its own that goes with it
    }
    package, names = Path(quorate.__file__).parent, ("write_text", "write_bytes", "savefig", "to_csv", "to_file")
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    calls = {
        path.relative_to(package).as_posix()
        for path, text in texts.items()
        if any(name in text for name in names)  # most need no parser to tell
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in names
    }
    assert calls == allowed
