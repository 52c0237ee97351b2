"""Jobs of a usual week: how often the first command that README suggests gives the right answer.

``python benchmarks/jobs.py``, or some of them: ``python benchmarks/jobs.py kappa tries``; ``--show`` prints what each
command said. The files are small and simulated, so the truth is known. The first command of a job is what README
suggests; the others are what its output or its help led to. An answer is right where the text on the terminal has the
numbers computed here from the file, or has an interval with the truth in it, and says what is true.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Row = tuple[Any, ...]
Right = Callable[[str, int], bool]
"""Whether what a command said, and its exit code, answer the job."""


@dataclass(frozen=True)
class Job:
    """One job of a week: `make` writes its files into the working folder and gives the check of an answer."""

    name: str
    asks: str
    make: Callable[[np.random.Generator], Right]
    commands: tuple[str, ...]


JOBS: list[Job] = []


def job(asks: str, *commands: str) -> Callable[[Callable[[np.random.Generator], Right]], None]:
    """List a job under the name of the function that makes its files."""

    def listed(make: Callable[[np.random.Generator], Right]) -> None:
        JOBS.append(Job(make.__name__.replace("_", "-"), asks, make, commands))

    return listed


def write(name: str, header: str, rows: list[Row]) -> None:
    """A CSV file, columns separated by blanks in `header`."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    with Path(name).open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])


def says(*patterns: str) -> Right:
    """Each pattern stands in the text, of which lines are joined."""
    return lambda text, _: all(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def covers(truth: float, *patterns: str) -> Right:
    """The first interval of the text has the truth in it, and each pattern stands in the text."""

    def right(text: str, code: int) -> bool:
        found = re.search(r"(-?\d+\.?\d*)%? to (-?\d+\.?\d*)", text)
        return bool(found and float(found[1]) <= truth <= float(found[2]) and says(*patterns)(text, code))

    return right


def judged(rng: np.random.Generator, systems: list[float], judges: list[float], items: int, **sd: float) -> np.ndarray:
    """Scores of items by systems and judges: means, leniency of judges, and spreads of `item`, `cell` and `noise`."""
    shape = (items, len(systems), len(judges))
    return np.asarray(
        np.array(systems)[:, None]
        + np.array(judges)
        + rng.normal(0, sd.get("item", 0.5), (items, 1, 1))
        + rng.normal(0, sd.get("cell", 0.2), (items, len(systems), 1))
        + rng.normal(0, sd.get("noise", 0.3), shape)
    )


def long(scores: np.ndarray, systems: list[str], judges: list[str]) -> list[Row]:
    """One row per judgment: item, system, judge, score."""
    return [(f"q{i:03}", systems[s], judges[j], round(float(v), 2)) for (i, s, j), v in np.ndenumerate(scores)]


OPEN = "http://schemas.openxmlformats.org"
OFFICE = f"{OPEN}/officeDocument/2006/relationships"
THREE = ["gpt", "claude", "gemini"]


@job(
    "Three judges have a column each. What is the mean, and how sure is it?",
    "quorate analyze sheet.csv --wide judge=gpt,claude,gemini",
)
def wide_sheet(rng: np.random.Generator) -> Right:
    scores = np.clip(np.rint(3.4 + judged(rng, [0.0], [0.1, -0.1, 0.0], 80)[:, 0]), 1, 5).astype(int)
    write("sheet.csv", "item gpt claude gemini", [(f"q{i}", *row) for i, row in enumerate(scores.tolist())])
    return covers(3.4, rf"mean {scores.mean():.3f}", "these 3 judges", "judges like these")


@job("Two models answered the same 200 items, right or wrong. Which is better?", "quorate analyze accuracy.csv")
def two_models(rng: np.random.Generator) -> Right:
    ease = rng.normal(0.9, 1, 200)
    right = {name: (ease + shift + rng.normal(0, 1, 200) > 0) for name, shift in (("small", 0.0), ("large", 0.7))}
    write("accuracy.csv", "item model correct", [(i, m, int(v[i])) for i in range(200) for m, v in right.items()])
    difference = right["large"].mean() - right["small"].mean()
    return says("large is better than small", rf"{difference:.3f}")


@job("What is the kappa of a judge with a person?", "quorate judges labels.csv --human human")
def kappa(rng: np.random.Generator) -> Right:
    human = rng.random(150) < 0.4
    judge = np.where(rng.random(150) < 0.85, human, ~human)
    word = {True: "toxic", False: "fine"}
    write(
        "labels.csv",
        "item human gpt",
        [(i, word[bool(h)], word[bool(g)]) for i, (h, g) in enumerate(zip(human, judge, strict=True))],
    )
    by_chance = human.mean() * judge.mean() + (1 - human.mean()) * (1 - judge.mean())
    value = ((human == judge).mean() - by_chance) / (1 - by_chance)
    return says(rf"kappa {value:.2f}")


@job("Accuracy is about 70%. How many items show 2 points more?", "quorate plan --rates .70,.72")
def two_points(_: np.random.Generator) -> Right:
    return says("5,410 items that both systems answer")


@job("What is the best study for $300, at a cent a call?", "quorate plan pilot.csv --budget 300 --price 0.01")
def three_hundred_dollars(rng: np.random.Generator) -> Right:
    write("pilot.csv", "item system judge score", long(judged(rng, [3.0], [0.2, -0.2, 0.0], 40), ["new"], THREE))
    return says("160 items, 6 judges", "costs 9.6 of the 300 and has the most that limits allow", "allow more with")


@job("Who leads a board of eight?", "quorate rank board.csv")
def board_of_eight(rng: np.random.Generator) -> Right:
    names = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]
    means = [0.0, 1.5, 0.1, 0.6, 0.62, 0.9, 0.3, 0.31]
    write("board.csv", "item system judge score", long(judged(rng, means, [0.2, -0.2, 0.0], 60), names, THREE))
    return says("birch is first of 8")


@job(
    "Each battle was judged in both orders. Does the judge favour what it sees first?",
    "quorate rank swapped.csv --position",
    "quorate rank swapped.csv --position --role order=model_a",
)
def swapped_orders(rng: np.random.Generator) -> Right:
    rows: list[Row] = []
    for i in range(150):
        gap = rng.normal(0, 0.7)
        for a, b, sign in (("new", "old", 1), ("old", "new", -1)):
            rows.append((i, a, b, "gpt", "model_a" if sign * gap + 0.6 + rng.normal(0, 0.5) > 0 else "model_b"))
    write("swapped.csv", "item model_a model_b judge winner", rows)
    return covers(75.7, "shown first wins")  # the normal distribution at .6 / sqrt(.74)


@job("Two files of results: is the new one better?", "quorate compare new.csv old.csv")
def two_files(rng: np.random.Generator) -> Right:
    scores = judged(rng, [3.0, 3.3], [0.1, -0.1, 0.0], 100)
    for s, name in enumerate(("old", "new")):
        write(
            f"{name}.csv",
            "question judge rating",
            [(i, j, v) for i, _, j, v in long(scores[:, s : s + 1], [name], THREE)],
        )
    return covers(0.3, "new is better than old", "judges like these: better")


@job(
    "About 53% will prefer the new one. How many votes show it?",
    "quorate plan --votes --margin .03",
)
def buying_votes(_: np.random.Generator) -> Right:
    return says("53% of the votes, needs 2,9")


@job("A study file names two judges and 50 answers. What will it take?", "quorate run study.yaml --quote")
def study_of_two_judges(_: np.random.Generator) -> Right:
    answers = [{"id": f"q{i}", "prompt": f"What is {i} + 2?", "response": f"{i + 2}"} for i in range(50)]
    Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    of_each = "  {0}:\n    kind: endpoint\n    base_url: http://127.0.0.1:8080/v1\n    model: {0}\n"
    judges = "judges:\n" + of_each.format("small") + of_each.format("large")
    rest = "prompts:\n  direct: score\nbudget:\n  calls: 500\n"
    Path("study.yaml").write_text("items:\n  file: items.jsonl\n  id: id\n" + judges + rest)
    return says("100 cells to ask", "small 50", "large 50")


@job(
    "Two people labelled 120 texts. How often do they agree, beyond chance?",
    "quorate analyze labels.csv --wide judge=ann,bob",
    "quorate analyze labels.csv --wide judge=ann,bob --labels",
)
def two_people(rng: np.random.Generator) -> Right:
    true = rng.choice(["pos", "neg", "mixed"], 120, p=[0.5, 0.3, 0.2])
    ann, bob = (np.where(rng.random(120) < 0.85, true, rng.choice(["pos", "neg", "mixed"], 120)) for _ in range(2))
    write("labels.csv", "text_id ann bob", [(i, a, b) for i, (a, b) in enumerate(zip(ann, bob, strict=True))])
    pooled = np.concatenate([ann, bob])
    chance = sum(np.sum(pooled == v) * (np.sum(pooled == v) - 1) for v in set(pooled)) / (240 * 239)
    return says(rf"alpha[^.]*{1 - np.mean(ann != bob) / (1 - chance):.3f}")


@job("Stop a build whose new model is not better.", "quorate compare new.csv old.csv --claim better")
def gate(rng: np.random.Generator) -> Right:
    ease = rng.normal(1, 1, 300)
    for name, shift in (("old", 0.0), ("new", -0.1)):
        write(
            f"{name}.csv",
            "item correct",
            [(i, int(v > 0)) for i, v in enumerate(ease + shift + rng.normal(0, 0.5, 300))],
        )
    return lambda text, code: code == 2 and says("^FAIL")(text, code)


@job(
    "A judge scored 600 answers, people 120 of them too. What share would people pass?",
    "quorate analyze rated.csv --human human",
)
def people_beside_a_judge(rng: np.random.Generator) -> Right:
    human = rng.random(600) < 0.6
    judge = np.where(rng.random(600) < 0.85, human, True)
    asked = rng.permutation(600) < 120
    write(
        "rated.csv",
        "item judge human",
        [(i, int(j), int(h) if a else "") for i, (j, h, a) in enumerate(zip(judge, human, asked, strict=True))],
    )
    return covers(0.6, "480 more predictions")


@job("Two systems were scored on a rubric of four criteria. Which is better?", "quorate analyze rubric.csv")
def rubric(rng: np.random.Generator) -> Right:
    scores = judged(rng, [3.0, 3.4], [0.3, 0.0, -0.3, 0.1], 60, noise=0.5)
    write(
        "rubric.csv",
        "item system criterion score",
        long(scores, ["base", "tuned"], ["accuracy", "clarity", "depth", "tone"]),
    )
    return says("4 measures, each by itself, tuned against base: accuracy better, clarity better, depth better")


@job("Agents tried 60 tasks five times. Do they pass every time?", "quorate analyze tries.csv --runs")
def five_tries(rng: np.random.Generator) -> Right:
    chance = rng.beta(2, 0.7, 60)
    passed = rng.random((60, 5)) < chance[:, None]
    write("tries.csv", "task try passed", [(f"t{i}", k + 1, int(v)) for (i, k), v in np.ndenumerate(passed)])
    return says(rf"all of 5 runs pass in {100 * passed.all(axis=1).mean():.1f}%")


@job("Votes on three systems, many of them ties. Who leads?", "quorate rank votes.csv")
def ties(rng: np.random.Generator) -> Right:
    worth, rows = {"x": 0.0, "y": 0.9, "z": 0.05}, []
    for _ in range(900):
        a, b = rng.choice(list(worth), 2, replace=False)
        gap = worth[a] - worth[b] + rng.logistic()
        rows.append((a, b, "tie" if abs(gap) < 0.6 else "model_a" if gap > 0 else "model_b"))
    write("votes.csv", "model_a model_b winner", rows)
    return says("y is first of 3", "2 of 3 pairs of systems are told apart")


@job(
    "Does the judge only favour the longer answer?",
    "quorate rank lengths.csv --covariate length",
)
def length_bias(rng: np.random.Generator) -> Right:
    rows: list[Row] = []
    for i in range(500):
        a, b = ("new", "old") if rng.random() < 0.5 else ("old", "new")
        length = {"new": int(rng.normal(420, 60)), "old": int(rng.normal(300, 60))}
        wins = (length[a] - length[b]) / 100 + rng.logistic() > 0
        rows.append((i, a, b, length[a], length[b], "model_a" if wins else "model_b"))
    write("lengths.csv", "item model_a model_b length_a length_b winner", rows)
    return says("new and old are not told apart", "at equal length")


@job("lm-evaluation-harness ran two models on one task. Which is better?", "quorate compare new old")
def lm_eval(rng: np.random.Generator) -> Right:
    ease = rng.normal(0.6, 1, 250)
    for name, shift in (("old", 0.0), ("new", 0.8)):
        Path(name).mkdir()
        lines = []
        for i, value in enumerate(ease + shift + rng.normal(0, 0.5, 250)):
            line: dict[str, Any] = {"doc_id": i, "doc": {"question": f"Question {i}?"}, "target": "0", "arguments": {}}
            line |= {"resps": [["x"]], "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"]}
            line |= {"doc_hash": f"{i:064x}", "acc": float(value > 0)}
            lines.append(json.dumps(line))
        Path(name, "samples_quiz_2026-11-22T14-21-19.768752.jsonl").write_text("\n".join(lines) + "\n")
    return says("new is better than old")


@job("A spreadsheet of scores: what is the mean?", "quorate analyze scores.xlsx")
def spreadsheet(rng: np.random.Generator) -> Right:
    scores = np.clip(np.rint(3.4 + judged(rng, [0.0], [0.1, -0.1, 0.0], 60)[:, 0]), 1, 5).astype(int)
    rows: list[list[Any]] = [
        ["item", "judge", "score"],
        *([f"q{i}", THREE[j], int(v)] for (i, j), v in np.ndenumerate(scores)),
    ]
    text = '<c t="inlineStr"><is><t>{}</t></is></c>'
    cells = [[f"<c><v>{v}</v></c>" if isinstance(v, int) else text.format(v) for v in row] for row in rows]
    data = "".join(f"<row>{''.join(row)}</row>" for row in cells)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{OPEN}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{OPEN}/package/2006/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{OPEN}/spreadsheetml/2006/main" xmlns:r="{OFFICE}">'
        '<sheets><sheet name="S" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{OPEN}/package/2006/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f'<worksheet xmlns="{OPEN}/spreadsheetml/2006/main"><sheetData>{data}</sheetData></worksheet>',
    }
    with zipfile.ZipFile("scores.xlsx", "w") as file:
        for name, text in parts.items():
            file.writestr(name, f'<?xml version="1.0"?>{text}')
    return says(rf"mean .*{scores.mean():.2f}")


@job("A folder with a file for each system. Who leads?", "quorate rank results")
def folder_of_systems(rng: np.random.Generator) -> Right:
    names = ["alpha", "beta", "gamma", "delta"]
    scores = judged(rng, [0.4, 0.2, 1.0, 0.6], [0.0], 80)
    for s, name in enumerate(names):
        write(f"results/{name}.csv", "item score", [(i, round(float(v), 2)) for i, v in enumerate(scores[:, s, 0])])
    return says("gamma is first of 4")


@job("What is this file, and is anything missing from it?", "quorate doctor log.csv")
def unknown_file(rng: np.random.Generator) -> Right:
    rows = long(judged(rng, [3.0, 3.2], [0.1, -0.1, 0.0], 50), ["a", "b"], THREE)
    rows = [(*row[:3], "") if i in (3, 40, 77) else row for i, row in enumerate(rows)]
    write("log.csv", "prompt_id model_name grader value", rows)
    return says("3 of 300 judgments .* have no usable score", "judge grader", "system model_name")


@job("Some replies of the judge could not be parsed. What is the mean of the others?", "quorate analyze scores.csv")
def failed_replies(rng: np.random.Generator) -> Right:
    scores = np.clip(np.rint(3.4 + judged(rng, [0.0], [0.1, -0.1, 0.0], 60)[:, 0]), 1, 5).astype(int)
    lost = rng.random(scores.shape) < 0.05
    write(
        "scores.csv",
        "item judge score",
        [(i, THREE[j], "parse error" if lost[i, j] else v) for (i, j), v in np.ndenumerate(scores)],
    )
    return covers(3.4, rf"naive {scores[~lost].mean():.3f}", "parse error in score taken for no score")


@job("Scores are grades, A to F. What is the mean?", "quorate analyze graded.csv")
def grades(rng: np.random.Generator) -> Right:
    marks = np.clip(np.rint(2.6 + judged(rng, [0.0], [0.1, -0.1, 0.0], 60)[:, 0]), 0, 4).astype(int)
    write("graded.csv", "item judge grade", [(i, THREE[j], "FDCBA"[v]) for (i, j), v in np.ndenumerate(marks)])
    return says(rf"mean {marks.mean():.3f}", "A is 4")


@job("Which judge is off?", "quorate judges scores.csv")
def judge_who_is_off(rng: np.random.Generator) -> Right:
    write(
        "scores.csv", "item system judge score", long(judged(rng, [3.0, 3.2], [0.0, -0.9, 0.05], 50), ["a", "b"], THREE)
    )
    return says(r"claude \(-0\.6\d*\) is strict")


@job("Five judges and a key. How many independent judges is the panel worth?", "quorate judges panel.csv --human gold")
def panel_worth(rng: np.random.Generator) -> Right:
    gold = rng.random(300) < 0.5
    shared = rng.random(300) < 0.15
    panel = [np.where(np.where(rng.random(300) < 0.7, shared, rng.random(300) < 0.15), ~gold, gold) for _ in range(5)]
    write("panel.csv", "item gold j1 j2 j3 j4 j5", [(i, int(gold[i]), *(int(p[i]) for p in panel)) for i in range(300)])
    return says(r"5 judges are worth 1\.\d independent")


@job("Does a judge prefer its own answers?", "quorate judges self.csv")
def self_preference(rng: np.random.Generator) -> Right:
    scores = judged(rng, [3.0, 3.0, 3.0], [0.0, 0.0, 0.0], 60)
    scores[:, 0, 0] += 0.6
    write("self.csv", "item system judge score", long(scores, THREE, THREE))
    return says(r"gpt scores itself 0\.\d+ higher", "0.5.. to 0.7")


@job(
    "How many items give the mean to within .05 either way?",
    "quorate plan pilot.csv --half-width .05",
    "quorate plan pilot.csv --half-width .05 --target judge=panel",
    "quorate plan pilot.csv --half-width .05 --target judge=panel --items 2-1280",
)
def half_width(rng: np.random.Generator) -> Right:
    write(
        "pilot.csv",
        "item judge score",
        [(i, j, v) for i, _, j, v in long(judged(rng, [3.0], [0.2, -0.2, 0.0], 40), ["new"], THREE)],
    )
    return says("539 items", "with these 3 judges")


@job(
    "Is the cheap model no worse, to 3 points?",
    'quorate compare models.csv cheap dear --claim "not worse" --margin .03',
)
def no_worse(rng: np.random.Generator) -> Right:
    ease = rng.normal(1, 1, 1500)
    right = {name: ease + rng.normal(0, 0.2, 1500) > 0 for name in ("cheap", "dear")}
    write("models.csv", "item model correct", [(i, m, int(v[i])) for i in range(1500) for m, v in right.items()])
    return lambda text, code: code == 0 and says("^PASS")(text, code)


@job("Questions share passages. What is the error bar of the accuracy?", "quorate analyze passages.csv")
def passages(rng: np.random.Generator) -> Right:
    ease = np.repeat(rng.normal(0.8, 1, 60), 5) + rng.normal(0, 0.7, 300)
    right = (ease > 0).astype(float)
    write("passages.csv", "passage question correct", [(i // 5, i, int(v)) for i, v in enumerate(right)])
    sums = (right - right.mean()).reshape(60, 5).sum(axis=1)
    se = float(np.sqrt((sums**2).sum() * 60 / 59) / 300)

    def clustered(text: str, _: int) -> bool:
        found = re.search(r"95% interval (\d*\.\d+) to (\d*\.\d+)", text)
        return bool(found and abs((float(found[2]) - float(found[1])) / (4.0 * se) - 1) < 0.1)

    return clustered


@job("Two models, each item answered five times. Which is better?", "quorate analyze epochs.csv")
def epochs(rng: np.random.Generator) -> Right:
    ease, rows = rng.normal(0.5, 1.2, 80), []
    for model, shift in (("base", 0.0), ("tuned", 0.6)):
        for (i, k), v in np.ndenumerate(ease[:, None] + shift + rng.logistic(0, 0.6, (80, 5))):
            rows.append((i, model, k + 1, int(v > 0)))
    write("epochs.csv", "sample_id model epoch correct", rows)
    return says("tuned is better than base")


@job(
    "A developer tried 27 variants on a board. How much does the best gain by luck?",
    "quorate rank board.csv --tries 27",
)
def tries(rng: np.random.Generator) -> Right:
    names = ["ash", "birch", "cedar", "elm"]
    write(
        "board.csv",
        "item system judge score",
        long(judged(rng, [0.0, 0.5, 0.1, 0.6], [0.2, -0.2, 0.0], 60), names, THREE),
    )
    return says(r"best of 27 attempts is expected 0\.\d+ above the truth")


@job("What do I write into the paper?", "quorate report scores.csv")
def paragraph(rng: np.random.Generator) -> Right:
    rows = long(judged(rng, [3.0], [0.2, -0.2, 0.0], 60), ["new"], THREE)
    write("scores.csv", "item judge score", [(i, j, v) for i, _, j, v in rows])
    return covers(3.0, "60 items and 3 judges", "judges like these")


@job(
    "A model labelled 800 texts, people 200 of them. How does the label go with party?",
    "quorate regress tweets.csv --outcome judge --on party --labels human",
    "quorate regress tweets.csv --outcome judge --on party --labels human --probability .25",
)
def regression(rng: np.random.Generator) -> Right:
    party = rng.random(800) < 0.5
    human = rng.random(800) < np.where(party, 0.6, 0.3)
    judge = np.where(rng.random(800) < np.where(party, 0.95, 0.75), human, ~human)
    asked = rng.permutation(800) < 200
    write(
        "tweets.csv",
        "text_id judge human party",
        [(i, int(judge[i]), int(human[i]) if asked[i] else "", int(party[i])) for i in range(800)],
    )
    return covers(0.3, "party")


@job(
    "Three people share 100 items, two on each. Who judges what?",
    "quorate assign --items items.csv --judges ann,bob,cy",
    "quorate assign --items items.csv --judges ann,bob,cy --per-item 2",
    "quorate assign --items items.csv --judges ann,bob,cy --per-item 2 --layout blocks",
)
def who_judges_what(_: np.random.Generator) -> Right:
    write("items.csv", "item text", [(f"q{i}", f"Text {i}") for i in range(100)])
    return says("200 calls: 100 items")


@job("All 30 answers were right. What is the error bar?", "quorate analyze perfect.csv")
def all_right(_: np.random.Generator) -> Right:
    write("perfect.csv", "item correct", [(i, 1) for i in range(30)])
    return says("at least 0.905")


@job("Does the pass rate in production keep to 90%?", "quorate analyze stream.csv --baseline .9")
def stream(rng: np.random.Generator) -> Right:
    write(
        "stream.csv",
        "request passed",
        [(i, int(v < (0.9 if i < 500 else 0.75))) for i, v in enumerate(rng.random(1500))],
    )
    return says("the mean fell from 0.9: since item (4[5-9]|5[0-4])")


def tried(each: Job, show: bool) -> int:
    """Which of the commands was the first to be right, 0 for none."""
    command_line = [sys.executable, "-m", "quorate"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        right = each.make(np.random.default_rng(sum(map(ord, each.name))))
        try:
            for number, command in enumerate(each.commands, 1):
                words = [*command_line, *shlex.split(command)[1:]]
                run = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
                if show:
                    print(f"\n$ {command}    [{run.returncode}]\n{run.stdout}{run.stderr}")
                if right(" ".join((run.stdout + run.stderr).split()), run.returncode):
                    return number
        finally:
            os.chdir("/")
    return 0


def main(words: list[str]) -> None:
    """Print the table."""
    show = "--show" in words
    chosen = [each for each in JOBS if each.name in words] or JOBS
    found = {}
    for each in chosen:
        found[each.name] = number = tried(each, show)
        print(f"{each.name:24} {number or 'wrong':>5}  {each.asks}")
    first = sum(number == 1 for number in found.values())
    print(f"\n{len(chosen)} jobs: {sum(map(bool, found.values()))} right, {first} at the first command")


if __name__ == "__main__":
    main(sys.argv[1:])
