"""Take the pictures of ``docs/gallery.md``: the top of every report, each of simulated data.

It needs Chromium (``CHROMIUM`` names it), and what the package itself does not: Pillow, and numpyro for posteriors. Run
it from the root of the repository after a page has changed, which takes a few minutes; of names it takes these alone::

    .venv/bin/python -m pip install pillow --editable '.[bayes]'
    .venv/bin/python docs/images/reports.py rank panel
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

import quorate as q
from quorate.analysis.designs import Changes
from quorate.planning.search.whatif import what_if
from quorate.simulate import demo_table, panel_table

HERE = Path(__file__).resolve().with_suffix("")
WIDTH, HEIGHT = 900, 1100
SLACK = 600
"""How much lower a picture may end, so that no figure is cut."""
GAP = 36
"""Height of a blank strip between two figures."""
COLOURS = 48
APART = 12
"""How far apart two colours of a picture are at least, in one of red, green and blue, where neither is a ground."""
GROUND = 0.002
"""Share of a picture from which on a colour is that of a ground."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
ANYONE: dict[str, Any] = {"judge": "population"}
STRENGTH = {"amber": 0.5, "birch": 0.3, "cedar": 0.2, "dusk": -0.4}
TASTE = {"judge-a": 0.0, "judge-b": 0.1, "judge-c": -0.1, "judge-d": 0.6}
"""How much more than people a judge likes the answers of cedar."""


def read(frame: pl.DataFrame, name: str = "scores.csv", **options: Any) -> Any:
    """Scores or votes from a file, which pages name, in a new folder."""
    path = Path(tempfile.mkdtemp(dir=Path.cwd())) / name
    frame.write_csv(path)
    return q.read(path, recognise=True, announce=False, **options)


def scores(columns: str, rows: list[Any], **options: Any) -> q.Judgments:
    """Judgments of rows; names of columns apart by spaces."""
    return cast("q.Judgments", read(pl.DataFrame(rows, schema=columns.split(), orient="row"), **options))


def votes(columns: str, rows: list[Any], **options: Any) -> q.Votes:
    """Votes of rows that begin with both systems and the winner; names of other columns apart by spaces."""
    names = ["model_a", "model_b", "winner", *columns.split()]
    return cast("q.Votes", read(pl.DataFrame(rows, schema=names, orient="row"), "votes.csv", **options))


@cache
def battles(people: int) -> q.Votes:
    """Four systems on 150 prompts, judged by four judges, and by a person on so many of the prompts."""
    rng = np.random.default_rng(3)
    rows: list[Any] = []
    for prompt, (a, b) in product(range(150), combinations(STRENGTH, 2)):
        gap = STRENGTH[a] - STRENGTH[b] + 0.8 * rng.normal()
        for judge, taste in {"person": 0.0, **TASTE}.items():
            seen = gap + taste * ((a == "cedar") - (b == "cedar")) + 0.6 * rng.normal()
            winner = "tie" if abs(seen) < 0.1 else a if seen > 0 else b
            rows += [(a, b, winner, prompt, judge)] if judge != "person" or prompt < people else []
    return votes("prompt judge", rows)


@cache
def ballots() -> q.Votes:
    """Votes of people on the same systems, each on a prompt of its own and more on some pairs than on others."""
    rng = np.random.default_rng(1)
    pairs = [pair for at, pair in enumerate(combinations(STRENGTH, 2)) for _ in range(120 * (at % 3 + 1))]
    rows: list[Any] = []
    for prompt, at in enumerate(rng.permutation(len(pairs))):
        a, b = pairs[at]
        seen = rng.logistic() + 1.5 * (STRENGTH[a] - STRENGTH[b])
        rows.append((a, b, "tie" if abs(seen) < 0.15 else a if seen > 0 else b, prompt))
    return votes("prompt", rows)


@cache
def demo() -> q.Judgments:
    """The simulated scores of the tutorial."""
    return cast("q.Judgments", read(pl.DataFrame(demo_table())))


@cache
def fit() -> Any:
    """Their components."""
    return q.decompose(demo())


@cache
def marked() -> q.Judgments:
    """Whether each of 40 answers is right, 0 or 1, by three judges under four prompts, asked twice."""
    rng = np.random.default_rng(5)
    own, wording = rng.normal(0.4, 1.3, 40), rng.normal(0, 0.5, (40, 4))
    rows = [
        (f"item-{i}", f"prompt-{p}", f"judge-{'abc'[j]}", again, int(own[i] + wording[i, p] + 0.3 * j > rng.logistic()))
        for i, p, j, again in product(range(40), range(4), range(3), range(2))
    ]
    return scores("item prompt judge replicate score", rows)


@cache
def rated() -> q.Judgments:
    """Scores of four systems on 60 items by three judges."""
    rng = np.random.default_rng(8)
    hard, own, taste = rng.normal(0, 0.8, 60), rng.normal(0, 0.4, (4, 60)), rng.normal(0, 0.1, (4, 3))
    rows = [
        (
            name,
            f"item-{i}",
            f"judge-{'abc'[j]}",
            round(6 + worth + hard[i] + own[s, i] + taste[s, j] + rng.normal(0, 0.6), 1),
        )
        for (s, (name, worth)), i, j in product(enumerate(STRENGTH.items()), range(60), range(3))
    ]
    return scores("system item judge score", rows)


@cache
def halves() -> tuple[q.Judgments, q.Judgments]:
    """A third of the items of the demo with all their scores, and one score of each of the others."""
    table = pl.DataFrame(demo_table())
    known = pl.col("item_id").is_in(table["item_id"].unique(maintain_order=True)[::3].to_list())
    others = table.filter(~known).sample(fraction=1, shuffle=True, seed=1).unique("item_id", maintain_order=True)
    return read(table.filter(known), "pilot.csv"), read(others.drop("replication"), "production.csv")


@cache
def few() -> q.Judgments:
    """Scores of 20 items by three judges under two prompts."""
    rng = np.random.default_rng(2)
    item, wording, taste = rng.normal(6, 1, 20), rng.normal(0, 0.3, 2), rng.normal(0, 0.4, (20, 3))
    rows = [
        (
            f"item-{i}",
            f"prompt-{p}",
            f"judge-{'abc'[j]}",
            round(item[i] + wording[p] + taste[i, j] + rng.normal(0, 0.5), 1),
        )
        for i, p, j in product(range(20), range(2), range(3))
    ]
    return scores("item prompt judge score", rows)


def words() -> Any:
    """Labels of 80 messages by two people and two models."""
    rng = np.random.default_rng(3)
    names, right = (
        ["question", "request", "complaint", "praise"],
        {"ann": 0.9, "ben": 0.85, "judge-a": 0.8, "judge-b": 0.7},
    )
    rows = []
    for message in range(80):
        true = rng.choice(names, p=[0.45, 0.3, 0.15, 0.1])
        rows += [
            (f"m{message}", judge, str(true if rng.random() < share else rng.choice(names)))
            for judge, share in right.items()
        ]
    return q.scores.labels(scores("item judge score", rows, labels=True))


def adaptive() -> Any:
    """Scores of 120 items, twelve times each, on one in six of which the judge is torn."""
    rng = np.random.default_rng(5)
    rows = [
        (f"item-{i}", r, int(np.clip(round(2 + i * 7 % 20 / 10 + rng.normal(0, 0.25 if i % 6 else 1.2)), 1, 5)))
        for i, r in product(range(120), range(12))
    ]
    return q.scores.simulate_allocation(scores("item replicate score", rows), 6000, scale=range(1, 6))


def protocols() -> Any:
    """Votes of users on prompts of their own, two each, and on curated prompts, four each."""
    rng = np.random.default_rng(4)

    def collected(scale: float, sd: float, prompts: int, each: int) -> q.Votes:
        rows: list[Any] = []
        for a, b in combinations(STRENGTH, 2):
            rate = np.clip(0.5 + scale * (STRENGTH[a] - STRENGTH[b]) + sd * rng.normal(size=prompts), 0, 1)
            rows += [(a, b, a if rng.random() < rate[p] else b, p) for p in range(prompts) for _ in range(each)]
        return votes("prompt", rows)

    return q.votes.protocols(collected(0.3, 0.25, 150, 2), collected(0.55, 0.15, 80, 4), names=("users", "curated"))


def interim() -> Any:
    """A study that three judges have scored by three quarters."""
    rng = np.random.default_rng(2)
    rows = [{"id": f"item-{n}", "prompt": f"Question {n}", "response": f"Answer {n}"} for n in range(40)]
    quality, judges = dict(zip((row["id"] for row in rows), rng.normal(6, 1.2, 40), strict=True)), list(TASTE)[:3]

    def judge(request: Any) -> int:
        time.sleep(0.2)
        return int(np.clip(round(quality[request.cell["item"]] + TASTE[request.judge] + rng.normal(0, 0.7)), 1, 10))

    study = {"items": "items.jsonl", "prompts": ["score", "score-reasoned"], "budget": {"calls": 180}}
    study["judges"] = {name: {"kind": "python"} for name in judges}
    path = Path("study.yaml")
    path.with_name("items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    path.write_text(json.dumps(study), encoding="utf-8")
    q.run(path, judges=dict.fromkeys(judges, judge))
    return q.interim(path)


def boards() -> Any:
    """Votes in six languages, 60 on every pair, with ratings shrunk towards those of all."""
    rng = np.random.default_rng(6)
    rows: list[Any] = []
    for language in ("cs", "de", "en", "fi", "fr", "ru"):
        there = {name: worth + rng.normal(0, 0.3) for name, worth in STRENGTH.items()}
        for a, b in combinations(there, 2):
            rows += [(a, b, a if rng.logistic() < there[a] - there[b] else b, language) for _ in range(60)]
    return q.rank(votes("language", rows, facets={"language": "language"}), by="language", pooled=True)


def against() -> Any:
    """Verdicts on 150 items of four judges under three prompts, one of whom knows little, and what is right."""
    rng = np.random.default_rng(11)
    rows: list[Any] = []
    for i in range(150):
        gold, easy = int(rng.integers(2)), rng.normal(0, 1.2)
        rows.append((f"item-{i}", "person", "plain", "ny"[gold]))
        for judge, skill in {"judge-a": 1.6, "judge-b": 1.2, "judge-c": 1.2, "judge-d": -0.2}.items():
            mind = skill + easy + rng.normal(0, 0.6)
            rows += [
                (f"item-{i}", judge, prompt, "ny"[gold if mind + rng.normal(0, 0.7) > rng.logistic() else 1 - gold])
                for prompt in ("plain", "strict", "steps")
            ]
    return q.agreement.against(scores("item judge prompt score", rows, labels=True), "person", rng=1)


def hazard() -> Any:
    """Scores of five turns of 80 conversations, which end when their mean is above 7."""
    rng = np.random.default_rng(4)
    own, rows = rng.normal(0, 0.9, 80), list[Any]()
    for i in range(80):
        for turn in range(1, 6):
            marks = own[i] + 3.2 + 0.45 * turn + rng.normal(0, 0.6) + rng.normal([0, 0.3, -0.2], 0.7)
            rows += [(f"talk-{i}", turn, f"judge-{'abc'[j]}", round(float(mark), 2)) for j, mark in enumerate(marks)]
            if marks.mean() > 7:
                break
    return q.agents.hazard(q.decompose(scores("item turn judge score", rows)), 7, rng=1)


def chain() -> Any:
    """A chain of three agents, run four times on each of 100 tasks."""
    rng = np.random.default_rng(4)
    task = np.repeat(np.arange(100), 4)
    plan = rng.normal(0, 0.6, 100)[task] + rng.normal(0, 0.8, 400)
    code = plan - 0.25 * plan**2 + rng.normal(0, 0.6, 400)
    test = 5 + 0.9 * code + rng.normal(0, 0.4, 400)
    runs = {"task": task, "plan": plan, "code": code, "test": test}
    return q.agents.chain(runs, ["plan", "code", "test"], cluster="task")


def regression() -> Any:
    """Labels of 3,000 answers by a judge that long answers take in, and of a tenth of them by people."""
    rng = np.random.default_rng(5)
    length, prose = rng.normal(size=3000), rng.random(3000) < 0.5
    good = rng.logistic(size=3000) < -0.3 - 0.25 * length + 0.5 * prose
    judge = good | (rng.logistic(size=3000) < -1.6 + 1.1 * length)
    people = np.where(rng.random(3000) < 0.1, good, np.nan)
    kind = np.where(prose, "prose", "code")
    return q.regress(judge.astype(float), {"length": length, "kind": kind}, people, 0.1, link="logit")


REPORTS: Mapping[str, tuple[str, Callable[[], Any]]] = {
    "doctor": ("doctor:page", lambda: q.doctor(demo())),
    "analyze": ("judgments.page:page", demo),
    "labels": ("nominal:page", words),
    "log-odds": ("judgments.diagnosis:latent_page", lambda: q.decompose(marked(), link="logit")),
    "diagnose": ("judgments.diagnosis:page", lambda: q.diagnose(fit(), rng=1)),
    "mean-from": ("means:mean_from_page", lambda: q.scores.mean_from(halves()[1], q.decompose(halves()[0]))),
    "posterior": ("posterior:page", lambda: q.scores.posterior(few(), targets=ANYONE, draws=2000, seed=1)),
    "posterior-check": (
        "posterior:check_page",
        lambda: q.scores.check_posterior(few(), studies=100, draws=100, seed=1),
    ),
    "changes": ("designs:changed", lambda: Changes(what_if(fit(), targets=ANYONE))),
    "project": ("designs:planned", lambda: q.project(fit(), judges=5, targets=ANYONE)),
    "optimize": ("designs:page", lambda: q.plan(fit(), budget=500, targets=ANYONE)),
    "panel": ("panel.page:page", lambda: q.judges(read(pl.DataFrame(panel_table())))),
    "adaptive": ("allocation:page", adaptive),
    "protocols": ("votes.asked:protocols_page", protocols),
    "plan-labels": (
        "people.corrected:labels_page",
        lambda: q.agreement.plan_labels(
            battles(50), "person", "amber", "birch", prices={"human": 0.5, "call": 0.01}, half_width=0.05
        ),
    ),
    "next-battles": ("votes.asked:battles_page", lambda: q.votes.next_battles(ballots(), 500)),
    "validate": ("validated:page", lambda: q.scores.validate(demo(), [30, 100, 300], runs=60, rng=1)),
    "interim": ("interim:page", interim),
    "compare": ("verdict:page", lambda: q.compare(rated(), "amber", "birch", targets=ANYONE)),
    "compare-all": ("verdict:all_pairs_page", lambda: q.compare(rated())),
    "pair": ("votes.standings:pair_page", lambda: q.analyze(ballots(), "amber", "birch", margin=0.04)),
    "votes": ("votes.page:page", lambda: q.analyze(ballots())),
    "rank": ("ratings.page:page", lambda: q.rank(ballots()).elo()),
    "boards": ("ratings.boards:page", boards),
    "watch": ("votes.standings:page", lambda: q.votes.monitor_all(ballots())),
    "models": ("votes.asked:models_page", lambda: q.votes.models(ballots())),
    "agree": ("people.agreement:page", lambda: q.agreement.agreement(battles(150), "person", each="judge", rng=1)),
    "against": ("people.against:page", against),
    "pipelines": ("pipelines:page", lambda: q.scores.pipelines(battles(150), "person")),
    "corrected": ("people.corrected:page", lambda: q.agreement.corrected(battles(50), "person", "amber", "birch")),
    "corrected-ratings": (
        "people.corrected:ratings_page",
        lambda: q.agreement.plan_board_labels(q.agreement.corrected_ratings(battles(50), "person"), half_width=0.25),
    ),
    "gaming": ("gaming:page", lambda: q.scores.gaming(fit(), rng=1)),
    "hazard": ("agents:hazard_page", hazard),
    "chain": ("agents:chain_page", chain),
    "ensemble": ("agents:ensemble_page", lambda: q.agents.ensemble(fit())),
    "regress": ("people.regression:page", regression),
    "surrogate": (
        "people.regression:surrogate_page",
        lambda: q.scores.surrogate(q.decompose(marked()), levels={"prompt": 3}, replicates=2),
    ),
    "sign-flip": ("people.regression:sign_flip_page", lambda: q.scores.sign_flip(0.06, 0.03, ratio=0.9)),
    "reproduce": ("papers:page", lambda: q.reproduce(["tee.likert", "tee.propaganda"])),
}
"""By the name of its picture, every report: its page, as `quorate.reporting.report.PAGES` has it, and a result."""


def picture(result: Any, path: Path) -> None:
    """Write the top of the page of a result as a picture."""
    from PIL import Image

    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if browser is None:
        sys.exit("no Chromium: set CHROMIUM to its path")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = q.report(result, Path(folder) / "report.html")
        shot = page.with_suffix(".png")
        size = f"--window-size={WIDTH},{HEIGHT + SLACK}"
        command = [browser, *FLAGS, f"--user-data-dir={folder}/browser", size, f"--screenshot={shot}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603  (our own page)
        with Image.open(shot) as image:
            rows = np.asarray(image.convert("RGB"))
        reduced(rows[: end(rows)], path)


def end(rows: np.ndarray) -> int:
    """Where a picture ends: in the gap between figures that is nearest to its height."""
    blank = (rows == rows[:, :1]).all(axis=(1, 2)).astype(int)
    edges = np.flatnonzero(np.diff(blank, prepend=0, append=0)).reshape(-1, 2)
    ends = [int(first) + GAP // 2 for first, last in edges if last - first >= GAP]
    return min(ends, key=lambda end: abs(end - HEIGHT), default=HEIGHT)


def reduced(rows: np.ndarray, path: Path) -> None:
    """Write a picture in few colours."""
    from PIL import Image

    palette = Image.new("P", (1, 1))
    palette.putpalette([part for shade in common(rows) for part in shade])
    few = Image.fromarray(rows).quantize(palette=palette, dither=Image.Dither.NONE)
    path.parent.mkdir(exist_ok=True)
    few.save(path, optimize=True)


def common(rows: np.ndarray) -> list[list[int]]:
    """The colours that a picture has most of, each as it is: a faint ground is no white."""
    shades, times = np.unique(rows.reshape(-1, 3), axis=0, return_counts=True)
    kept: list[np.ndarray] = []
    for at in np.argsort(-times, kind="stable"):
        shade = shades[at].astype(int)
        ground = times[at] > GROUND * times.sum()
        if len(kept) < COLOURS and (ground or all(np.abs(shade - one).max() >= APART for one in kept)):
            kept.append(shade)
    return [shade.tolist() for shade in kept]


def main(names: list[str]) -> None:
    """Take the pictures of these reports, or of all."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in names or REPORTS:
            picture(REPORTS[name][1](), HERE / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
