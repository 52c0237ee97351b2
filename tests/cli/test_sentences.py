"""Every sentence that a command prints, on small files of every kind: none is longer than a reader can hold."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from posteriors import check_of, posterior_of
from under_way import asked

import quorate as q
from quorate.cli import main
from quorate.cli.entry import program
from quorate.collect.judge import Reply
from quorate.estimate.posterior import check, posterior
from quorate.reporting.print import terminal

MOST = 30
"""Words of a sentence; a number with its unit is one."""
PLAIN = ("export", "import", "init", "report", "serve")
"""Verbs whose screen is all there is."""
PEOPLE = "--human ann --human-price 1 --price .01"
LINES = """
doctor votes.csv
analyze three.csv --no-report
analyze ones.csv --scale 0,1 --no-report
analyze runs.csv --no-report
analyze five.csv --baseline .5
analyze runs.csv --runs --run run
compare scores.csv x y --certify 60
compare cmpcat.csv
compare names_2.csv
compare ties.csv x y
compare ties.csv x y --ties half --margin .1
compare alike.csv x y --margin .2
compare close.csv --margin .5
compare three.csv x y --margin .05
compare three.csv --watch x y
compare three.csv --watch y z --margin .1
compare some.csv --human ann
rank scores.csv
rank five.csv
rank votes.csv
rank three.csv
rank three.csv --watch --margin .1
rank votes.csv --human ann
rank scores.csv --pipelines
judges prompts.csv
judges votes.csv --human ann
judges votes.csv --agree --human ann
judges partly.csv --agree --human-label person
plan one.csv --design --items 40
plan --effect .5 --sd 1
plan --half-width .03 --rates .8
plan --bar .9 --seen 95/100
plan single.csv --screen --budget 50 --judge-price a=1 --judge-price b=1 --judge-price c=1 --judge-price d=1
plan some.csv PEOPLE --budget 99
plan votes.csv --a x PEOPLE --half-width .1
plan --votes --margin .1
plan --votes --margin .1 --cluster 3 --icc .1
plan --votes --pilot votes.csv
plan --votes --pilot three.csv --a y --b z
plan --votes --pilot 30/50
assign --items 12 --judges a,b
assign --items 12 --judges a,b,c --layout cyclic --pilot 3
assign --after three.csv --number 5
assign --pool three.csv --floor 3
agents hazard turns.csv --threshold 2
agents chain scores.csv --stages judge,score
agents ensemble one.csv
regress scores.csv --outcome score --on item --labels score --probability .5
regress --sign-flip --beta .06 --se .03
regress one.csv --surrogate
votes protocols votes.csv votes.csv
votes replay three.csv --a x --b y --role prompt_type=type
papers tee.safety
export scores.csv out.csv
export --tasks people/study.yaml people
init people/another/study.yaml
run goal.yaml --quote
status goal.yaml
init --variants drafts.yaml --yes
serve people/study.yaml --links --public
import rated/study.yaml answers.json
analyze single.csv --posterior
analyze single.csv --posterior --check 8
validate single.csv --budgets 12,36 --runs 4
report ones.csv --scale 0,1
"""
LONG = """
plan one.csv --budget 50
plan one.csv --half-width .5
analyze one.csv --check
plan scores.csv x y --effect .5
analyze prompts.csv --no-report
rank three.csv --models
report prompts.csv
analyze five.csv --certify 60 --no-report
run study.yaml --yes
status --interim study.yaml
plan --effect .1 --rates .7 --spread judge=.03 --icc .5
compare partly.csv --human-label person x
rank three.csv --pipelines
compare three.csv y z --margin .3
doctor scores.csv
judges one.csv
compare pass.csv
doctor five.csv --fit
analyze one.csv --no-report
analyze votes.csv --no-report
analyze labels.csv --score verdict --labels --no-report
analyze holes.csv --missing n/a --no-report
analyze one.csv --pilot prompts.csv
demo --no-report
compare five.csv y z
rank partly.csv --human-label person --half-width .3
rank one.csv --tries 27
judges prompts.csv --generation prompt --validate
judges five.csv --human a
plan scores.csv --budget 300 --price .004
plan one.csv --target-se .2
plan drawn.csv --adaptive --budget 900
votes protocols three.csv three.csv
votes replay three.csv
run goal.yaml --yes
status --interim goal.yaml
report one.csv
report labels.csv --score verdict --labels
"""
"""Lines that take long."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shared):
    """Small files of every kind that commands read."""
    folder, draw = tmp_path_factory.mktemp("sentences"), np.random.default_rng(1)

    def write(name: str, head: str, rows: list[tuple[object, ...]]) -> None:
        (folder / name).write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")

    def noise(sd: float = 1.0) -> float:
        return round(float(draw.normal(0, sd)), 3)

    item, judge = draw.normal(size=40), dict(zip("abcd", draw.normal(0, 0.4, 4), strict=True))
    for table in (*scores(draw, noise, item, judge), *votes(draw), *pairs_of_versions(noise, item)):
        write(*table)
    for name in ("pass.csv", "cmpcat.csv", "names_2.csv"):
        shutil.copy(shared / "data" / "answers" / name, folder)
    studies(folder, write, lambda n: round(5 + item[n] + noise(0.3), 2))
    return folder


def scores(draw, noise, item, judge):
    """Scores of one system and of several, whole and with holes, by the name of their file, header and rows."""
    crossed = [(i, j, p, s) for i in range(12) for j in "abc" for p in "pq" for s in "xy"]
    yield (
        "scores.csv",
        "item,judge,prompt,system,score",
        [(*c, c[0] % 4 + (c[3] == "x") * 0.6 + noise()) for c in crossed],
    )
    alone = [(i, j, p) for i in range(20) for j in "abcd" for p in "pq"]
    yield ("one.csv", "item,judge,prompt,score", [(*c, item[c[0]] + judge[c[1]] + noise()) for c in alone])
    yield ("single.csv", "item,judge,score", [(i, j, item[i] + judge[j] + noise()) for i in range(24) for j in "abcd"])
    deep = [(i, j, p, r) for i in range(30) for j in "abc" for p in "opqr" for r in (1, 2)]
    yield (
        "prompts.csv",
        "item,judge,prompt,replicate,score",
        [(*c, item[c[0]] + judge[c[1]] + "opqr".index(c[2]) / 5 + noise(0.5)) for c in deep],
    )
    yield (
        "holes.csv",
        "item,judge,prompt,replicate,score",
        [(*c, noise() if k % 7 else "n/a") for k, c in enumerate(deep)],
    )
    five = [(i, j, s) for i in range(30) for j in "abc" for s in "vwxyz"]
    yield (
        "five.csv",
        "item,judge,system,score",
        [(*c, int(draw.random() < 0.3 + 0.1 * "vwxyz".index(c[2]))) for c in five],
    )
    yield ("ones.csv", "item,score", [(i, 1) for i in range(40)])
    yield (
        "runs.csv",
        "task,run,passed",
        [(i, r, int(draw.random() < 0.3 + i % 10 / 20)) for i in range(30) for r in range(4)],
    )
    yield (
        "drawn.csv",
        "item,judge,replicate,score",
        [(i, "x", r, 3 + round(noise(0.1 + (i % 5 == 0)))) for i in range(30) for r in range(8)],
    )
    yield (
        "turns.csv",
        "item,turn,judge,score",
        [(i, t, j, noise() + t) for i in range(30) for t in (1, 2, 3) for j in "ab"],
    )
    yield ("labels.csv", "item,judge,verdict", [(i, j, f"{(i + ord(j)) % 3 > 0}ly") for i in range(12) for j in "abc"])
    yield (
        "some.csv",
        "item,judge,score",
        [
            (i, j, item[i] + 0.5 * (j == "llm") + noise(0.4))
            for i in range(40)
            for j in ("llm", "ann")
            if j == "llm" or i < 25
        ],
    )


def votes(draw):
    """Votes on two systems and on three, with people and with ties."""
    yield (
        "votes.csv",
        "model_a,model_b,prompt,judge,winner",
        [("x", "y", f"p{i}", j, f"model_{'ab'[i % 2]}") for i in range(20) for j in ("ann", "bob")],
    )
    shares = {("x", "y"): 0.75, ("y", "z"): 0.51, ("x", "z"): 0.72}
    ballots = [
        (*pair, f"p{i}", f"j{i % 5}", "model_a" if draw.random() < share else "model_b")
        for pair, share in shares.items()
        for i in range(200)
    ]
    yield (
        "three.csv",
        "model_a,model_b,prompt,judge,winner,type",
        [(*row, f"t{k % 3}") for k, row in enumerate(ballots)],
    )
    yield (
        "partly.csv",
        "model_a,model_b,prompt,judge,winner,person",
        [(*row, row[4] if k % 4 == 0 else "model_a" if k % 4 == 1 else "") for k, row in enumerate(ballots)],
    )
    tied = [("x", "y", f"p{i}", ("tie", "tie", "model_a", "model_b")[i % 4]) for i in range(400)]
    yield ("ties.csv", "model_a,model_b,prompt,winner", tied)
    yield (
        "alike.csv",
        "model_a,model_b,prompt,winner",
        [("x", "y", f"p{i}", f"model_{'ab'[i % 9 < 4]}") for i in range(400)],
    )


def pairs_of_versions(noise, item):
    """Scores of two versions that are close."""
    close = [(i, j, p, s) for i in range(40) for j in "abc" for p in "pq" for s in ("new", "old")]
    yield (
        "close.csv",
        "item,judge,prompt,system,score",
        [(*c, item[c[0]] + 0.2 * (c[3] == "new") + noise(0.3)) for c in close],
    )


def studies(folder, write, mark):
    """Study files of models, with a goal and without, of people, of drafts, and what people answered."""
    goal = "goal: {compare: [new, old], margin: 0.5}\nlooks: 3\n"
    for name, systems, more in (("study", ("new",), ""), ("goal", ("new", "old"), goal)):
        answers = [(f"q{n}", system) for n in range(16) for system in systems]
        rows = [{"id": n, "prompt": "p", "response": "r", "system": system} for n, system in answers]
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        cells = [(*a, "score", j, 1, mark(int(a[0][1:]))) for a in answers for j in "ab"]
        write(f"{name}-answers.csv", "item,system,prompt,judge,replicate,score", cells)
        replay = f"{{kind: replay, table: {name}-answers.csv, price: {{call: 0.01}}}}"
        judges = f"judges:\n  a: {replay}\n  b: {replay}\n"
        items = f"items: {{file: {name}.jsonl, id: id, system: system}}\n"
        text = f"{items}{judges}prompts: [score]\nbudget: {{money: 3}}\n{more}"
        (folder / f"{name}.yaml").write_text(text)
    (folder / "people" / "another").mkdir(parents=True)
    assert main(["init", str(folder / "people" / "study.yaml"), "--recipe", "people"]) == 0
    rated = asked(folder / "rated")
    assert main(["export", "--tasks", str(rated), str(folder / "rated" / "tasks")]) == 0
    (task,) = json.loads((folder / "rated" / "tasks" / "ana.json").read_text(encoding="utf-8"))
    answer = {**task["data"], "id": 1, "answer": [{"rating": 7}], "annotator": 1, "annotation_id": 1}
    (folder / "answers.json").write_text(json.dumps([answer]))
    (folder / "own.j2").write_text("Say how clear it is, {{ low }} to {{ high }}.\n\n{{ response }}\n")
    text = "items: {file: study.jsonl, id: id, system: system}\nprompts: {own: {file: own.j2, scale: [1, 5]}}\n"
    judge = 'judges: {m: {kind: endpoint, base_url: "http://127.0.0.1:1/v1", model: m}}\nbudget: {calls: 12}\n'
    (folder / "drafts.yaml").write_text(text + judge)


@pytest.fixture
def said(folder, monkeypatch, capsys):
    """Runs a command and gives its exit code, what it says in sentences, and its error."""
    heard: list[str] = []
    paragraph, points = terminal.paragraph, terminal.points

    def hear(out, text, style=""):
        heard.append(str(text))
        return paragraph(out, text, style)

    def hear_points(out, sentences):
        told = [*map(str, sentences)]
        heard.extend(told)
        return points(out, told)

    monkeypatch.setattr(terminal, "paragraph", hear)
    monkeypatch.setattr(terminal, "points", hear_points)

    async def drafted(*_):
        return Reply("unparsed", text="<part1>How clear is it, [[low]] to [[high]]? Mark one.</part1>")

    monkeypatch.setattr("quorate.collect.judges.remote.EndpointJudge.ask", drafted)
    monkeypatch.setattr("quorate.web.serve.listen", lambda app, *_: app.state.site.desk.close())
    monkeypatch.setattr(posterior, "posterior", lambda judgments, **_: posterior_of(q.decompose(judgments)))
    monkeypatch.setattr(check, "check_posterior", lambda *_, **__: check_of())
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def run(words: list[str]) -> tuple[int, list[str], str]:
        heard.clear()
        return main(words), [*heard], capsys.readouterr().err

    return run


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph, which end with a full stop before a capital, a number or a sign; entries of a list."""
    if text.startswith("Read as: "):
        return text.split("; ")
    return re.split(r"(?<=[.?!])\s+(?=[A-Z0-9\"±(-])", text)


@pytest.mark.wide(28)
@pytest.mark.parametrize(
    "line", [*LINES.split("\n")[1:-1], *(pytest.param(line, marks=pytest.mark.slow) for line in LONG.split("\n")[1:-1])]
)
def test_no_sentence_is_longer_than_a_reader_can_hold(said, line):
    words = line.replace("PEOPLE", PEOPLE).split()
    full = [] if words[0] in PLAIN else ["--full"]
    code, texts, error = said([*words, *full])
    assert (code in (0, 2), error.count("quorate: ") - error.count("taken as")) == (True, 0), error
    long = [one for text in texts for one in sentences(text) if len(one.split()) > MOST]
    assert not long, "\n".join(long)


def test_every_command_is_heard():
    typed = [line.replace("PEOPLE", PEOPLE).split() for line in (LINES + LONG).split("\n")]
    heard = {name for name in program().commands if any(is_of(words, name.split()) for words in typed)}
    assert program().commands.keys() == heard


def is_of(words: list[str], command: list[str]) -> bool:
    """Whether a line is of a command, whose question may be an option of its verb."""
    verb, *asked = command
    return words[:1] == [verb] and all(one in words or f"--{one.removeprefix('--')}" in words for one in asked)
