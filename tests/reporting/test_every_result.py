from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import isfunction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from posteriors import check_of, latent_posterior_of, posterior_of
from tables import scores_table, votes_table
from under_way import asked, written

import quorate as q
from quorate.reporting.print.cells import cell
from quorate.reporting.report import page_of, write
from quorate.simulate.demo import demo_table
from quorate.table.results import Result

FORMATS = ("html", "md", "json")
LABELS = ("<script>alert(1)</script>", "<b>b\x00\u202e", "c|`c`", "d")
"""Labels of judges and systems."""
SPOKEN = ("<script>alert(1)</script>", "<b>b\u202e", "c|`c`", "d")
"""Labels where none may hold a null character."""


@cache
def judgments() -> q.Judgments:
    """Scores of 12 items by 4 judges under 2 prompts, twice."""
    rng = np.random.default_rng(1)
    item, judge = rng.normal(0, 1, 12), rng.normal(0, 0.5, 4)
    rows = [
        (f"i{i}", LABELS[j], f"p{p}", r, 5 + item[i] + judge[j] + rng.normal(0, 0.5))
        for i, j, p, r in product(range(12), range(4), range(2), range(2))
    ]
    return scores_table(rows, "item judge prompt replicate score", fixed=())


@cache
def crossed() -> q.Judgments:
    """Scores of 20 items by 3 judges under 2 prompts."""
    rng = np.random.default_rng(9)
    effect = rng.normal(0, 1, 20)
    rows = [
        (f"i{i}", LABELS[j], f"p{p}", 5 + effect[i] + 0.3 * j + rng.normal(0, 0.5))
        for i, j, p in product(range(20), range(3), range(2))
    ]
    return scores_table(rows, "item judge prompt score")


@cache
def rated() -> q.Judgments:
    """Scores of 3 systems on 20 items by 3 judges."""
    rng = np.random.default_rng(3)
    rows = [
        (LABELS[s], f"i{i}", LABELS[j], float(np.round(5 - 0.1 * s + np.sin(i) + rng.normal(0, 0.5))))
        for s, i, j in product(range(3), range(20), range(3))
    ]
    return scores_table(rows, "system item judge score", fixed=())


@cache
def binary() -> q.Judgments:
    """Scores of 0 or 1."""
    rng = np.random.default_rng(4)
    rows = [
        (f"i{i}", LABELS[j], f"p{p}", int(rng.random() < 0.7)) for i, j, p in product(range(20), range(3), range(2))
    ]
    return scores_table(rows, "item judge prompt score")


@cache
def fine_marks() -> q.Judgments:
    """Marks from 0 to 100 of 30 items by two judges and a person."""
    rng = np.random.default_rng(8)
    rows = [(f"i{i}", judge, 2.5 * i + rng.normal(0, 9)) for i, judge in product(range(30), ("x", "y", "ann"))]
    return scores_table(rows, "item judge score")


@cache
def nominal() -> q.Judgments:
    """Labels of 15 items by 3 judges."""
    rng = np.random.default_rng(7)
    rows = [(f"i{i}", LABELS[j], SPOKEN[rng.integers(4)]) for i, j in product(range(15), range(3))]
    return scores_table(rows, "item judge score", labels=True)


@cache
def pool() -> q.Judgments:
    """Scores of 4 judges, of whom one is noisy."""
    x = np.random.default_rng(1).normal(size=(20, 1)) + np.array([0.5, 0.0, -0.5, 0.1])
    x = x + np.random.default_rng(2).normal(size=(20, 4)) * np.array([0.3, 0.3, 0.3, 1.0])
    rows = [{"item": i, "judge": LABELS[j], "score": x[i, j]} for i in range(20) for j in range(4)]
    return q.read(pl.DataFrame(rows), announce=False)


@cache
def votes() -> q.Votes:
    """Votes of two judges and a person on all pairs of three systems, 110 prompts each."""
    rng = np.random.default_rng(5)
    rows = []
    for (a, b), prompt in product(((0, 1), (0, 2), (1, 2)), range(110)):
        for judge, sharp in ((LABELS[0], 0.7), (LABELS[1], 0.6), ("person", 0.65)):
            winner = LABELS[a] if rng.random() < sharp else LABELS[b]
            rows.append((f"p{prompt}", judge, LABELS[a], LABELS[b], winner))
    return votes_table(rows, "prompt judge model_a model_b winner")


@cache
def fit() -> Any:
    """The decomposition of the judgments."""
    return q.decompose(judgments())


@cache
def parts() -> Any:
    """Components as published."""
    return q.components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})


@cache
def few_labelled() -> q.Votes:
    """Votes of a judge on 100 prompts, of which a person saw 40."""
    rng = np.random.default_rng(6)
    rows = [
        (f"p{i}", judge, *LABELS[:2], LABELS[int(rng.random() < 0.4)])
        for judge, prompts in ((LABELS[0], 100), ("person", 40))
        for i in range(prompts)
    ]
    return votes_table(rows, "prompt judge model_a model_b winner")


@cache
def chained() -> Any:
    """A chain of two agents, run 40 times."""
    first, second = np.random.default_rng(1).normal(size=(2, 40))
    return q.agents.chain({LABELS[0]: first, "score": first + second}, [LABELS[0], "score"])


@cache
def turned() -> q.Judgments:
    """Scores of 20 conversations of 3 turns by 2 judges."""
    draw = np.random.default_rng(2).normal(5, 1, (20, 3, 2))
    rows = [(f"i{i}", t, LABELS[j], draw[i, t, j]) for i, t, j in product(range(20), range(3), range(2))]
    return scores_table(rows, "item turn judge score")


@cache
def annotated() -> q.Judgments:
    """Marks of 40 items by four judges."""
    marks = np.random.default_rng(6).integers(1, 4, (40, 4))
    rows = [(f"i{i}", f"j{j}", marks[i, j]) for i, j in product(range(40), range(4))]
    return scores_table(rows, "item judge score")


@cache
def repeated() -> q.Judgments:
    """Three runs of 5 items, judged by 2 judges."""
    passed = np.random.default_rng(5).integers(0, 2, (5, 3, 2))
    rows = [(f"i{i}", f"r{r}", LABELS[j], passed[i, r, j]) for i, r, j in product(range(5), range(3), range(2))]
    facets = {name: name for name in ("item", "run", "judge")}
    return q.read(pl.DataFrame(rows, schema=[*facets, "score"], orient="row"), facets=facets, announce=False)


@cache
def regression() -> Any:
    """A regression of 60 rows, a third of them labelled."""
    rng = np.random.default_rng(8)
    right, x = rng.normal(size=(2, 60))
    labels = np.where(np.arange(60) % 3, np.nan, right)
    return q.regress(right + x, {LABELS[0]: x, "kind": np.array(SPOKEN)[np.arange(60) % 4]}, labels, 1 / 3)


def equal() -> q.Judgments:
    """Scores of 9 items by a judge, all of them 1."""
    rows = {"item": range(9), "judge": [LABELS[0]] * 9, "score": [1] * 9}
    return q.read(pl.DataFrame(rows), announce=False)


def alike() -> q.Judgments:
    """Scores of 9 items by two systems, the same for both."""
    rows = {"item": [*range(9)] * 2, "system": ["a"] * 9 + ["b"] * 9, "score": [1, 0, 1] * 6}
    return q.read(pl.DataFrame(rows), announce=False)


def study(folder: Path) -> Path:
    """A study with judges that were recorded, run."""
    from quorate.cli import main

    main(["init", "--example", str(folder / "study")])
    return folder / "study" / "replay.yaml"


def taken_by(folder: Path) -> Any:
    """An answer to a task of Label Studio, recorded."""
    path = asked(folder)
    q.annotation_tasks(path, folder / "tasks")
    (task,) = json.loads((folder / "tasks" / "ana.json").read_text(encoding="utf-8"))
    row = {**task["data"], "id": 1, "answer": [{"rating": 7}], "annotator": 1, "annotation_id": 1}
    (folder / "export.json").write_text(json.dumps([row]), encoding="utf-8")
    return q.take_annotations(path, folder / "export.json")


RESULTS: dict[str, Callable[[Path], Any]] = {
    "AllEqual": lambda _: q.analyze(equal()),
    "SameDifference": lambda _: q.compare(alike()),
    "Accuracy": lambda _: q.agreement.accuracy(binary()),
    "Against": lambda _: q.agreement.against(binary(), LABELS[0], splits=20, resamples=20),
    "Agreement": lambda _: q.agreement.agreement(votes(), "person", each="judge", resamples=100, rng=1),
    "Allocation": lambda _: q.scores.simulate_allocation(np.random.default_rng(1).normal(0, 1, (20, 9)), 600, runs=2),
    "Analysis": lambda _: q.analyze(judgments()),
    "Alpha": lambda _: q.agreement.alpha(judgments()),
    "Assignment": lambda _: q.assign(items=list(SPOKEN), judges=["x", "y"], layout="cyclic"),
    "NextBattles": lambda _: q.votes.next_battles(votes(), 9),
    "BattleSample": lambda _: q.votes.sample_battles(["x", "x", "x", "y"], [LABELS[0], LABELS[0], "z", "z"], floor=2),
    "Clustered": lambda _: q.votes.clustered_sample_size(1051, icc=0.001, cluster=3),
    "Components": lambda _: parts(),
    "Concentration": lambda _: q.votes.concentration([90, 88] + [50] * 8, [100] * 10),
    "Corrected": lambda _: q.agreement.corrected(few_labelled(), "person", *LABELS[:2]),
    "CorrectedRatings": lambda _: q.agreement.corrected_ratings(few_labelled(), "person"),
    "BoardPlan": lambda _: q.agreement.plan_board_labels(q.agreement.corrected_ratings(few_labelled(), "person")),
    "Decomposition": lambda _: fit(),
    "Diagnosis": lambda _: q.diagnose(fit(), resamples=99),
    "Dependability": lambda _: q.scores.dependability(fit()),
    "Detectability": lambda _: q.votes.detectability(votes(), budgets=[200, 400], minimum=100, resamples=100, rng=1),
    "Feasibility": lambda _: q.votes.feasibility(28, 50, budget=500),
    "Flags": lambda _: q.scores.flags(fit(), most=3),
    "Fragility": lambda _: q.votes.fragility(votes()),
    "Gaming": lambda _: q.scores.gaming(fit(), 5, rng=1),
    "Icc": lambda _: q.agreement.icc(q.decompose(pool())),
    "AnnotationTasks": lambda folder: q.annotation_tasks(asked(folder / "asked"), folder / "tasks"),
    "TakenAnnotations": lambda folder: taken_by(folder / "taken"),
    "Interim": lambda folder: q.interim(study(folder)),
    "GoalQuote": lambda folder: goal_quote(folder / "goal"),
    "Judgments": lambda _: judgments(),
    "Boards": lambda _: q.rank(rated(), by="judge"),
    "LatentDecomposition": lambda _: q.decompose(binary(), link="logit"),
    "LatentPosterior": lambda _: latent_posterior_of(q.decompose(binary(), link="logit")),
    "Labels": lambda _: q.scores.labels(nominal()),
    "LabelPanel": lambda _: q.judges(nominal()),
    "Leaderboard": lambda _: q.rank(rated()),
    "Certificate": lambda _: q.certify(q.analyze(judgments()), 20),
    "LabelsPlan": lambda _: q.agreement.plan_labels(
        few_labelled(), "person", *LABELS[:2], prices={"human": 1, "call": 0.01}, budget=99
    ),
    "LevelEffect": lambda _: q.scores.effects(fit(), "judge", shrink=True),
    "Measures": lambda _: q.analyze(
        pl.DataFrame({"id": range(9), "faithfulness": np.arange(9) / 10, "answer_relevancy": np.arange(9) / 8})
    ),
    "MeanFrom": lambda _: q.scores.mean_from(judgments(), fit()),
    "MissingBounds": lambda _: q.scores.missing_bounds(judgments()),
    "Models": lambda _: q.votes.models(votes(), folds=2),
    "Monitor": lambda _: q.votes.monitor(votes(), *LABELS[:2], cluster="prompt"),
    "Naive": lambda _: q.scores.naive(judgments()),
    "Posterior": lambda _: posterior_of(fit()),
    "PosteriorCheck": lambda _: check_of(),
    "OneVoteEach": lambda _: q.votes.one_vote_each(votes(), minimum=50),
    "TieSensitivity": lambda _: q.votes.tie_sensitivity(votes()),
    "Optimum": lambda _: q.plan(parts(), budget=141, limits={"items": [50, 141], "judges": range(1, 4)}),
    "PairAnalysis": lambda _: q.analyze(votes(), *LABELS[:2]),
    "Panel": lambda _: q.judges(judgments()),
    "Part": lambda _: q.scores.leave_one_out(judgments()),
    "Pipelines": lambda _: q.scores.pipelines(votes(), by="win rate", resamples=100),
    "Policy": lambda _: q.scores.adaptive(arms=list(SPOKEN), budget=200, scale=range(1, 6)),
    "PowerCurve": lambda _: q.votes.power_curve([0.06, 0.1], [500, 749]),
    "Projection": lambda _: q.project(fit(), items=40, judges=3),
    "Protocols": lambda _: q.votes.protocols(votes(), votes(), by="prompt"),
    "RateVariance": lambda _: q.votes.rate_variance(votes(), minimum=50),
    "Ratings": lambda _: q.rank(votes(), resamples=100),
    "ScoreStep": lambda _: q.scores.plan_study(0.5, rated(), *LABELS[:2]),
    "ScoreVerdict": lambda _: q.compare(rated(), *LABELS[:2]),
    "Screening": lambda _: q.scores.screen(pool(), budget=300, resamples=20, rng=1),
    "SignFlip": lambda _: q.scores.sign_flip(0.2, 0.1, ratio=0.5),
    "Chain": lambda _: chained(),
    "Ensemble": lambda _: q.agents.ensemble(fit()),
    "Hazard": lambda _: q.agents.hazard(q.decompose(turned()), 6),
    "RepeatedRuns": lambda _: q.agents.repeated_runs(repeated()),
    "AgainstMarks": lambda _: q.agreement.against(fine_marks(), "ann", resamples=20),
    "AgainstBaseline": lambda _: q.scores.against_baseline(repeated(), 0.5),
    "AltTest": lambda _: q.agreement.alt_test(annotated(), "j3"),
    "Standings": lambda _: q.votes.monitor_all(votes()),
    "Status": lambda folder: q.status(study(folder)),
    "StoppingRule": lambda _: q.votes.stopping_rule(0.1, 2000),
    "Proposal": lambda _: q.propose(
        pl.DataFrame({"plate": list("aabb"), LABELS[0]: list("xyxy"), "y": [1.5, 2, 3, 4]})
    ),
    "Regression": lambda _: regression(),
    "Reproduction": lambda _: q.reproduce(["lee.tables"]),
    "Surrogate": lambda _: q.scores.surrogate(fit()),
    "Support": lambda _: q.doctor(judgments()),
    "Validated": lambda _: q.scores.validate(crossed(), [20], runs=3, pilot=8),
    "Verdict": lambda _: q.compare(votes(), *LABELS[:2]),
    "Votes": lambda _: votes(),
    "VotesAnalysis": lambda _: q.analyze(votes()),
    "EffectPlan": lambda _: q.scores.plan_effect(rates=(0.7, 0.72)),
    "AllPairs": lambda _: q.compare(votes()),
    "BarPlan": lambda _: q.scores.plan_bar(0.9, seen=(47, 50)),
    "VotesPlan": lambda _: q.votes.plan_votes(0.06, budget=500),
    "Written": lambda folder: q.export(judgments(), folder / "out.csv"),
    "VotesSupport": lambda _: q.doctor(votes()),
    "Writeup": lambda _: q.writeup(q.read(pl.DataFrame(demo_table()), status="status", announce=False)),
}
"""Makes one small result of every type that a public function returns."""

INPUTS = {"Iterator", "Path", "Pool", "Variants"}
"""Returned, but no result: a place, an argument of others, files of a study that a model wrote, what a `with` lasts."""


def returned() -> set[str]:
    """Names of the types of everything that public functions return, numbers and nothing apart."""
    homes = (q, q.scores, q.votes, q.agents, q.agreement)
    functions = [found for home in homes for name in home.__all__ if isfunction(found := getattr(home, name))]
    words = {word for one in functions for word in re.findall(r"\w+", str(one.__annotations__["return"]))}
    return words - {"tuple", "int", "float", "None"} - INPUTS


def goal_quote(folder: Path) -> Any:
    """What a study with a goal may cost."""
    rows = [{"id": f"q{n}", "s": name, "prompt": "p", "response": "r"} for n in range(40) for name in "xy"]
    items, goal = {"file": "items.jsonl", "system": "s"}, {"compare": ["x", "y"], "margin": 1.0}
    path = written(folder, rows, items, ["score"], 500, goal=goal)
    return q.quote(path, components={"item": 0.2, "item:judge": 0.1, "cell": 0.3}, studies=2)


shown: dict[str, dict[str, str]] = {}
"""What each type inside a result shows at the prompt, by the result's type."""


def inside(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """A result and every dataclass that it holds."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        parts: list[Any] = [getattr(value, one.name, None) for one in fields(value)]
    else:
        parts = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, tuple) else []
    for part in parts:
        yield from inside(part, seen)


@pytest.fixture(scope="module")
def pages_of_results(tmp_path_factory):
    """Pages of results and what is written of them in every format, by type; each made once."""
    folder, made = tmp_path_factory.mktemp("results"), {}

    def written_of(name: str):
        if name not in made:
            result = RESULTS[name](folder)
            page = page_of(result)
            shown[name] = {type(one).__name__: repr(one) for one in inside(result)}
            texts = {kind: write(page, folder / f"{name}.{kind}").read_text("utf-8") for kind in FORMATS}
            made[name] = result, page, texts
        return made[name]

    return written_of


def test_everything_that_is_returned_is_tried():
    assert set(RESULTS) == returned()


@pytest.mark.wide(9)
@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_result_has_a_page_in_every_format_and_is_short_at_the_prompt(pages_of_results, name):
    """Labels stay text wherever they are printed."""
    result, page, texts = pages_of_results(name)
    table = next(iter(page.figures), page.facts)
    numbers = [cell(key, value) for key, value in table.rows[0].items() if isinstance(value, float)]
    assert page.sentence
    assert table.rows
    assert all(number in texts["md"] and number in texts["html"] for number in numbers)
    content = json.loads(texts["json"])
    assert content["title"] == page.title
    assert page.content().keys() <= content.keys()
    around = re.sub("<(style|script)[^>]*>.*?</\\1>", "", texts["html"], flags=re.DOTALL)
    assert not re.search("[\x00\u202e]|<script>alert|<b>b", texts["md"] + around)
    assert not re.search("[\x00\u202e]", texts["json"])
    drawn = "".join(re.findall("<svg.*?</svg>", texts["html"], re.DOTALL))
    assert not re.search(r'="[^"]*\b(NaN|nan|inf)\b[^"]*"', drawn)
    for one in (one for one in (result if isinstance(result, tuple) else (result,)) if isinstance(one, Result)):
        json.dumps(one.to_dict(), allow_nan=False)
        frame = one.to_frame("polars")
        assert [tuple(row) for row in one.rows()] == [tuple(frame.columns)] * len(frame)
    assert shown[name]
    assert {kind: text for kind, text in shown[name].items() if len(text) > 200 or not text.isprintable()} == {}
