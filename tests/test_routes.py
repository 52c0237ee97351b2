"""One number by every route: each row names two ways to one answer, which must be the same to the last digit."""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import under_way
from goal_studies import JUDGES, functions, rows, scored

import quorate as q
from quorate.cli.entry import main
from quorate.estimate.agreement.leaderboards import accuracy_by_cell
from quorate.study.file import load

OTHERS = {"judge": "population", "prompt": "population"}
SETUP = {"judge": "panel", "prompt": "panel"}


def crossed(systems: int, *, binary: bool = False, keep: float = 1.0, prompts: int = 3, seed: int = 7) -> pl.DataFrame:
    """14 items by judges and prompts that matter, of some systems."""
    rng = np.random.default_rng(seed)
    shape = (systems, 14, prompts, 3)
    score = 0.8 * rng.normal(size=shape) + rng.normal(size=(1, 14, 1, 1)) + 0.3 * rng.normal(size=(systems, 14, 1, 1))
    score += 0.2 * rng.normal(size=(1, 1, prompts, 1)) + 0.3 * rng.normal(size=(1, 1, 1, 3))
    score += np.array([0.9, 0.0, -0.6])[:systems, None, None, None]
    system, item, prompt, judge = (at.ravel() for at in np.indices(shape))
    frame = pl.DataFrame(
        {
            "item": [f"item {k}" for k in item],
            "prompt": [f"p{k}" for k in prompt],
            "judge": [f"judge {k}" for k in judge],
            "system": [f"s{k}" for k in system],
            "score": (score.ravel() > -0.5).astype(float) if binary else score.ravel(),
        }
    ).filter(pl.Series(rng.random(score.size) < keep))
    return frame.drop("system") if systems == 1 else frame


def battles() -> pl.DataFrame:
    """600 votes of six judges on four systems, a tenth of them ties."""
    rng = np.random.default_rng(7)
    a = rng.integers(0, 4, 600)
    b = (a + rng.integers(1, 4, 600)) % 4
    strength = np.array([0.6, 0.2, 0.0, -0.5])
    first = rng.random(600) < 1 / (1 + np.exp(strength[b] - strength[a]))
    winner = np.where(rng.random(600) < 0.1, "tie", np.where(first, "model_a", "model_b"))
    names = {name: [f"s{k}" for k in side] for name, side in (("model_a", a), ("model_b", b))}
    who = {"judge": [f"j{k}" for k in rng.integers(0, 6, 600)], "item": [f"q{k}" for k in rng.integers(0, 120, 600)]}
    return pl.DataFrame({**names, "winner": winner, **who})


def panelled() -> pl.DataFrame:
    """Votes of a person and of three judges, an even number, on 60 battles."""
    rng = np.random.default_rng(3)
    rows = []
    for k in range(60):
        said = rng.random() < 0.5
        sides = {"human": said, **{f"j{j}": said if rng.random() < 0.68 else not said for j in range(4)}}
        rows += [(f"q{k}", "x", "y", "model_a" if side else "model_b", name) for name, side in sides.items()]
    return pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner", "judge"], orient="row")


class Routes:
    """Tables, their files, and what is found of them, each once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._frames = {
            "one": crossed(1, binary=True),
            "two": crossed(2),
            "gaps": crossed(2, binary=True, keep=0.9),
            "few": crossed(2, prompts=2),
            "three": crossed(3, keep=0.9),
            "ones": pl.DataFrame({"item": range(40), "passed": 1}),
            "votes": battles(),
            "people": panelled(),
            "duel": battles().filter(pl.col("model_a").is_in(["s1", "s2"]) & pl.col("model_b").is_in(["s1", "s2"])),
        }
        for name, frame in self._frames.items():
            frame.write_csv(folder / f"{name}.csv")
        self._said: dict[tuple[str, ...], Any] = {}

    def frame(self, name: str) -> pl.DataFrame:
        return self._frames[name]

    def table(self, name: str) -> q.Judgments:
        return q.read(self._frames[name], announce=False)

    @cache  # noqa: B019  (it lives as long as the module)
    def system(self, name: str, system: str) -> Any:
        return q.analyze(q.read(self._of_system(name, system), announce=False))

    def _of_system(self, name: str, system: str) -> pl.DataFrame:
        return self._frames[name].filter(pl.col("system") == system).drop("system")

    def wide(self, name: str) -> Path:
        """A file with a column for each judge."""
        at = self.folder / f"wide-{name}.csv"
        self._frames[name].pivot(on="judge", index=["item", "prompt"], values="score").write_csv(at)
        return at

    def gaps(self, name: str) -> pl.DataFrame:
        """Score of s0 less that of s1 in every cell."""
        first, second = (self._of_system(name, system) for system in ("s0", "s1"))
        both = first.join(second, on=["item", "prompt", "judge"], suffix=" of s1")
        return both.select("item", "prompt", "judge", score=pl.col("score") - pl.col("score of s1"))

    def says(self, command: str, *words: str) -> Any:
        """What a command prints as JSON."""
        return self.ends(command, *words)[1]

    def ends(self, command: str, *words: str) -> tuple[int, Any]:
        """The exit code of a command, and what it prints as JSON."""
        key = (command, *words)
        if key not in self._said:
            printed = io.StringIO()
            named = [str(self.folder / one) if one.endswith(".csv") else one for one in words]
            with contextlib.redirect_stdout(printed):
                code = main([command, *named, "--json"])
            self._said[key] = code, json.loads(printed.getvalue())
        return self._said[key]

    def page(self, command: str, *words: str) -> str:
        """The page that a command writes, as text."""
        at = self.folder / f"{command}.html"
        with contextlib.redirect_stdout(io.StringIO()):
            named = [str(self.folder / one) if one.endswith(".csv") else one for one in words]
            main([command, *named, "--report", str(at), "--force"])
        return html.unescape(re.sub("<[^>]+>", " ", at.read_text(encoding="utf-8")))

    @cache  # noqa: B019
    def study(self, goal: str | None = None) -> Path:
        """A study file whose judges have answered."""
        folder = self.folder / str(goal)
        if goal is None:
            return under_way.scored(folder, calls=24)
        asked = {"compare": ["x", "y"]} if goal == "compare" else {"half_width": 0.3}
        items = {"file": "items.jsonl", "system": "s"}
        more = {"judges": JUDGES, "goal": asked, "looks": 2}
        path = under_way.written(folder, rows(20), items, ["score"], 2000, **more)
        q.run(path, judges=functions(scored(0.5)))
        return path

    def ledger(self, goal: str | None = None) -> q.Judgments:
        return q.read(load(self.study(goal)).database, announce=False)

    def looked(self, goal: str) -> Any:
        return q.interim(self.study(goal)).path.looks[-1]

    @cache  # noqa: B019
    def found(self, name: str) -> Any:
        return q.analyze(self.votes_of(name) if name in ("votes", "duel") else self.table(name))

    @property
    def one(self) -> Any:
        return self.found("one")

    @property
    def three(self) -> Any:
        return self.found("three")

    @cached_property
    def written(self) -> Any:
        return q.writeup(self.table("two"))

    @cached_property
    def fit(self) -> Any:
        return q.decompose(self.table("one"))

    @cached_property
    def two(self) -> Any:
        return self.compared("two")

    @property
    def people(self) -> q.Votes:
        return self.votes_of("people")

    @cache  # noqa: B019
    def votes_of(self, name: str) -> q.Votes:
        return q.read_votes(self._frames[name], announce=False)

    @property
    def votes(self) -> q.Votes:
        return self.votes_of("votes")

    @cache  # noqa: B019
    def compared(self, name: str, b: str = "s1", *, aimed: bool = False) -> Any:
        return q.compare(self.table(name), "s0", b, targets=OTHERS if aimed else None)

    @cache  # noqa: B019
    def board(self, name: str, *, aimed: bool = False) -> Any:
        return q.rank(self.table(name), targets=OTHERS if aimed else None)


def told(found: Any) -> tuple[float, ...]:
    """Value, standard error, degrees of freedom and interval of a mean or a difference."""
    return (found.value, found.se, found.df, *limits(found)[1:])


def limits(found: Any) -> tuple[float, ...]:
    shown = found if hasattr(found, "low") else found.estimate
    return (found.value, shown.low, shown.high)


def said(part: dict[str, Any], *names: str) -> tuple[float, ...]:
    return tuple(part[name] for name in names or ("value", "se", "df", "low", "high"))


def shown(text: str, words: str) -> tuple[str, ...]:
    """Ends of the interval that stands before these words of a text."""
    (found,) = set(re.findall(rf"(-?[\d.]+) to (-?[\d.]+) {words}", " ".join(text.split())))
    return tuple(found)


def one_of(told: tuple[float, ...]) -> tuple[float, ...]:
    """Without degrees of freedom."""
    return (*told[:2], *told[3:])


def row(board: Any, a: str = "s0", b: str = "s1") -> tuple[float, ...]:
    """Difference of two systems of a board, with the interval that holds for all pairs at once."""
    (one,) = (one for one in board.differences("polars").to_dicts() if {one["a"], one["b"]} == {a, b})
    sign = 1 if one["a"] == a else -1
    return sign * one["difference"], one["se"], *sorted((sign * one["low"], sign * one["high"]))


def level_of(rows: Iterable[Any], level: str) -> Any:
    return next(one for one in rows if one.level == level)


ROUTES: dict[str, Callable[[Routes], tuple[Any, Any]]] = {
    # The mean of one system
    "mean: analyze, decompose": lambda r: (told(r.one.setup), told(r.fit.mean)),
    "mean for others: analyze, mean_for": lambda r: (told(r.one.others), told(r.fit.mean_for(**OTHERS))),
    "mean: default, targets as they are by default": lambda r: (told(r.fit.mean), told(r.fit.mean_for(**SETUP))),
    "mean: Python, command": lambda r: (told(r.one.setup), said(r.says("analyze", "one.csv")["setup"])),
    "mean for others: Python, command": lambda r: (told(r.one.others), said(r.says("analyze", "one.csv")["others"])),
    "mean: frame, file": lambda r: (told(r.one.setup), told(q.analyze(q.read(r.folder / "one.csv")).setup)),
    "mean: rows in another order": lambda r: (
        told(r.one.setup),
        told(q.analyze(q.read(r.frame("one").sample(fraction=1.0, shuffle=True, seed=1), announce=False)).setup),
    ),
    "mean: long, wide": lambda r: (
        told(r.one.setup),
        told(q.analyze(q.read(r.wide("one"), wide={"judge": ["judge 0", "judge 1", "judge 2"]})).setup),
    ),
    "mean: this study as its own pilot, decompose": lambda r: (
        q.scores.mean_from(
            r.table("two").only("system", "s0"), q.decompose(r.table("two").only("system", "s0"))
        ).estimate.value,
        q.decompose(r.table("two").only("system", "s0")).mean.value,
    ),
    "naive: analyze, naive": lambda r: (
        r.one.naive.overall.to_dict(),
        q.scores.naive(r.table("one")).overall.to_dict(),
    ),
    "mean without a judge: analyze, analyze of the rest": lambda r: (
        told(level_of(r.one.leave_one_out, "judge 2").estimate),
        told(q.analyze(r.table("one").without("judge", "judge 2")).setup),
    ),
    # The design at hand
    "standard error as it is: analyze, its mean": lambda r: (r.one.what_if[0].projection.se, r.one.others.se),
    "half-width as it is: analyze, its mean": lambda r: (
        r.one.what_if[0].projection.found_half_width,
        r.one.others.half_width,
    ),
    "standard error as it is: project, mean": lambda r: (
        q.project(r.fit, targets=OTHERS).se,
        r.one.others.basis.plain**0.5,
    ),
    "standard error as it is: command plan, analyze": lambda r: (
        r.says("plan", "one.csv", "--design")[0]["projection"]["se"],
        r.one.what_if[0].projection.se,
    ),
    # Judges
    "bias of a judge: panel, effects": lambda r: (
        [(one.effect, one.low, one.high) for one in q.scores.effects(r.fit, "judge")],
        [(one["bias"], one["low"], one["high"]) for one in q.judges(r.table("one")).bias.rows()],
    ),
    "bias of a judge: panel, command": lambda r: (
        [one["bias"] for one in q.judges(r.table("one")).bias.rows()],
        [one["bias"] for one in r.says("judges", "one.csv")["bias"]["overall"]],
    ),
    # Two systems
    "difference: analyze, compare": lambda r: (told(r.found("two").difference), told(r.two.difference)),
    "difference: compare, its other way round": lambda r: (
        limits(r.two.difference),
        tuple(-one for one in np.take(limits(q.compare(r.table("two"), "s1", "s0").difference), [0, 2, 1])),
    ),
    "difference: Python, command": lambda r: (
        said(r.two.to_dict(), "p_difference", "low", "high", "common_se", "detectable"),
        said(r.says("compare", "two.csv", "s0", "s1"), "p_difference", "low", "high", "common_se", "detectable"),
    ),
    "difference for others: compare, targets": lambda r: (
        told(r.two.others),
        told(r.compared("two", aimed=True).difference),
    ),
    "difference for others, gaps: compare, targets": lambda r: (
        told(r.compared("gaps").others),
        told(r.compared("gaps", aimed=True).difference),
    ),
    "difference: compare, analyze of the gaps in cells": lambda r: (
        told(r.two.difference),
        told(q.analyze(q.read(r.gaps("two"), announce=False)).setup),
    ),
    "difference for others: compare, analyze of the gaps in cells": lambda r: (
        told(r.two.others),
        told(q.analyze(q.read(r.gaps("two"), announce=False)).others),
    ),
    # Boards
    **{
        f"difference, {name}: rank, compare": lambda r, name=name: (
            row(r.board(name)),
            (r.compared(name).difference.value, r.compared(name).difference.se, *r.compared(name).estimate.ends),
        )
        for name in ("two", "gaps", "few")
    },
    **{
        f"difference for others, {name}: rank, compare": lambda r, name=name: (
            row(r.board(name).others),
            one_of(told(r.compared(name).others)),
        )
        for name in ("two", "gaps", "few")
    },
    "told apart: rank, compare": lambda r: (
        [r.board(name).ranks.above[0, 1] for name in ("two", "gaps", "few")],
        [r.compared(name).outcome.value != "undecided" for name in ("two", "gaps", "few")],
    ),
    "difference of three: rank, compare": lambda r: (
        told(r.board("three").difference("s0", "s2")),
        told(r.compared("three", "s2").difference),
    ),
    "difference of three for others: rank, compare": lambda r: (
        told(r.board("three").others.difference("s0", "s2")),
        told(r.compared("three", "s2").others),
    ),
    "difference of three, targets: rank, compare": lambda r: (
        told(r.board("three", aimed=True).difference("s0", "s2")),
        told(r.compared("three", "s2", aimed=True).difference),
    ),
    "mean of a system: rank, analyze of its rows": lambda r: (
        [told(one) for one in r.board("three").means],
        [told(r.system("three", name).setup) for name in r.board("three").systems],
    ),
    "mean of a system for others: rank, analyze of its rows": lambda r: (
        [told(one) for one in r.board("three").others.means],
        [told(r.system("three", name).others) for name in r.board("three").systems],
    ),
    "mean of a system: compare, analyze of its rows": lambda r: (
        [told(one) for one in r.compared("gaps").difference.means],
        [told(r.system("gaps", name).setup) for name in ("s0", "s1")],
    ),
    "board: analyze, rank": lambda r: (r.three.rows(), r.board("three").rows()),
    "board: Python, command": lambda r: (r.board("three").rows(), r.says("rank", "three.csv")["systems"]),
    # What is written
    "mean: sentence, write-up": lambda r: (
        shown(r.one.sentence, "with these"),
        shown(str(q.writeup(r.one)), "with these"),
    ),
    "mean for others: sentence, write-up": lambda r: (
        shown(r.one.sentence, "for prompts and judges like these"),
        shown(str(q.writeup(r.one)), "for prompts and judges like these"),
    ),
    "mean: sentence, page": lambda r: (
        shown(r.one.sentence, "with these"),
        shown(r.page("analyze", "one.csv"), "with these"),
    ),
    "difference: sentence, page": lambda r: (
        [r.two.sentence],
        re.findall(re.escape(r.two.sentence), r.page("compare", "two.csv", "s0", "s1"))[:1],
    ),
    "difference: compare, write-up": lambda r: (
        r.two.sentence in str(r.written),
        r.two.sentence in str(q.writeup(r.two, source=r.table("two"))),
    ),
    "difference: compare, write-up of the command": lambda r: (
        r.written.paragraph,
        r.says("report", "two.csv")["paragraph"],
    ),
    "board: write-up, that of the command": lambda r: (
        str(q.writeup(r.three, source=r.table("three"))),
        r.says("report", "three.csv")["paragraph"],
    ),
    "all equal: analyze, write-up": lambda r: (
        str(q.writeup(r.table("ones"))).partition(" The bound")[0],
        r.says("analyze", "ones.csv")["sentence"],
    ),
    # Studies
    "difference: goal, compare of its ledger": lambda r: (
        said(vars(r.looked(goal="compare")), "value", "se", "df"),
        told(q.compare(r.ledger(goal="compare"), "x", "y").difference)[:3],
    ),
    "mean: goal, analyze of its ledger": lambda r: (
        said(vars(r.looked(goal="half_width")), "value", "se", "df"),
        told(q.analyze(r.ledger(goal="half_width").only("system", "x")).setup)[:3],
    ),
    "mean: interim, analyze of its ledger": lambda r: (
        said(vars(q.interim(r.study()).looks[-1]), "value", "low", "high"),
        limits(q.analyze(r.ledger(), targets={"system": "panel"}).setup),
    ),
    # Votes
    "share: compare, analyze of two": lambda r: (
        told(q.compare(r.votes, "s0", "s1").difference),
        told(q.analyze(r.votes, "s0", "s1").verdict.difference),
    ),
    "share: compare, analyze of all": lambda r: (
        limits(q.compare(r.votes, "s1", "s0").difference),
        said(next(one for one in r.found("votes").rows() if one["pair"] == "s0 vs s1"), "margin", "low", "high"),
    ),
    "share: all pairs, rank": lambda r: (
        said(next(o for o in q.compare(r.votes).rows() if {o["a"], o["b"]} == {"s0", "s1"}), "share"),
        (q.rank(r.votes).probability(*(name for name in q.rank(r.votes).systems if name in ("s0", "s1"))).value,),
    ),
    "pairs told apart by votes: all pairs, rank, command": lambda r: (
        (q.compare(r.votes).told_apart,) * 2,
        (q.rank(r.votes).told_apart, (counts := r.says("compare", "votes.csv")["counts"])["better"] + counts["worse"]),
    ),
    "pairs told apart by scores: all pairs, rank": lambda r: (
        q.compare(r.table("three")).told_apart,
        q.rank(r.table("three")).told_apart,
    ),
    "votes: Python, command": lambda r: (r.found("votes").sentence, r.says("analyze", "votes.csv")["sentence"]),
    "right with ties as half: agree, against": lambda r: (
        (found := q.agreement.agreement(r.people, "human")).rates[0].value + found.ties[found.rates[0].pipeline] / 2,
        q.agreement.against(r.people, "human").majority.value,
    ),
}


@pytest.fixture(scope="module")
def routes(tmp_path_factory: Any) -> Routes:
    return Routes(tmp_path_factory.mktemp("routes"))


@pytest.mark.parametrize("name", ROUTES)
def test_both_routes_lead_to_one_number(routes, name):
    first, second = ROUTES[name](routes)
    assert_same(first, second)


def assert_same(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        first, second = list(first.values()), list(second.values())
    if isinstance(first, (list, tuple)):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)
    else:
        assert first == (pytest.approx(second, rel=1e-9, abs=1e-12) if isinstance(first, float) else second)


@pytest.mark.parametrize(
    ("name", "code"), [("one", 0), ("two", 0), ("three", 0), ("ones", 0), ("votes", 0), ("duel", 2)]
)
def test_a_file_has_one_answer(routes, name, code):
    found, (ended, said) = routes.found(name), routes.ends("analyze", f"{name}.csv")
    page = json.loads(q.report(found, routes.folder / "page.json").read_text(encoding="utf-8"))
    assert ended == found.exit_code == code
    assert found.sentence == said["sentence"]
    assert page["sentence"] == said["sentence"]


@pytest.mark.wide(1)
@pytest.mark.parametrize(("per", "levels"), [(40, 40), (4, 40), (3, 10)])
def test_a_column_that_never_varies_changes_no_answer(per: int, levels: int) -> None:
    rng = np.random.default_rng(5)
    item, prompt = np.array([(i, p) for i in range(60) for p in rng.permutation(levels)[:per]]).T
    score = rng.normal(size=60)[item] + 0.7 * rng.normal(size=levels)[prompt] + rng.normal(size=len(item))
    frame = pl.DataFrame({"item": item, "prompt": [f"p{k}" for k in prompt], "score": score})
    more = [{}, {"system": pl.lit("s")}, {"judge": pl.lit("j"), "system": pl.lit("s")}]
    found = [q.analyze(q.read(frame.with_columns(**columns), announce=False)) for columns in more]
    for other in found[1:]:
        assert other.estimate.ends == pytest.approx(found[0].estimate.ends, rel=1e-6)
        assert other.others.ends == pytest.approx(found[0].others.ends, rel=1e-6)
    assert np.ptp(found[0].others.ends) > 1.05 * np.ptp(found[0].estimate.ends)


@pytest.mark.slow
def test_ragged_differences_turn_with_the_two_and_do_not_know_labels() -> None:
    frame = crossed(2, keep=0.4)
    found, turned = (q.compare(q.read(frame, announce=False), *two).difference for two in (("s0", "s1"), ("s1", "s0")))
    assert found.method == "joint"
    for one, other in ((found, turned), (found.others, turned.others)):
        assert tuple(-end for end in other.estimate.ends[::-1]) == pytest.approx(one.estimate.ends, rel=1e-9)
    labels = frame["item"].unique(maintain_order=True).to_list()
    renamed = frame.with_columns(item=pl.col("item").replace(dict(zip(labels, labels[::-1], strict=True))))
    again = q.compare(q.read(renamed, announce=False), "s0", "s1").difference
    assert again.estimate.ends == pytest.approx(found.estimate.ends, rel=1e-5)


def documents() -> pl.DataFrame:
    """Two systems on 5 questions about each of 40 documents, which differ in what they say of the two."""
    rng = np.random.default_rng(3)
    document = np.repeat(np.arange(40), 5)
    first = rng.normal(size=200)
    second = first + 0.4 * rng.normal(size=40)[document] + 0.5 * rng.normal(size=200)
    one = {"item": np.arange(200), "document": [f"d{k}" for k in document]}
    sides = (("a", first), ("b", second))
    return pl.concat([pl.DataFrame({**one, "system": [name] * 200, "score": score}) for name, score in sides])


def test_questions_about_one_document_are_in_it_however_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    documents().write_csv(path)
    roles = {name: name for name in ("item", "system", "document")}
    tables = [
        q.read(path, nested={"item": "document"}, announce=False),
        q.read(path, facets=roles, announce=False),
        q.read(documents(), facets={"document": "document"}, recognise=True, announce=False),
    ]
    found = [q.compare(table, "b", "a").difference for table in tables]
    assert {one.estimate.ends for one in found} == {found[0].estimate.ends}
    gap = documents().filter(system="b")["score"] - documents().filter(system="a")["score"]
    by_document = gap.to_numpy().reshape(40, 5).mean(axis=1)
    assert found[0].se == pytest.approx(by_document.std(ddof=1) / np.sqrt(40), rel=1e-9)
    assert found[0].df == pytest.approx(39, rel=1e-6)
    assert "200 paired items in 40 documents" in q.compare(tables[0], "b", "a").sentence


def test_a_share_of_right_answers_has_one_interval() -> None:
    """48 of 80 right, of one judge beside a person on battles, and as answers that are right or wrong."""
    sides = {"human": ["model_a"] * 80, "j": ["model_a"] * 48 + ["model_b"] * 32}
    rows = [(f"q{k}", "x", "y", side, who) for who, said in sides.items() for k, side in enumerate(said)]
    frame = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner", "judge"], orient="row")
    votes = q.read_votes(frame, announce=False)
    right = pl.DataFrame({"item": range(80), "judge": "j", "score": [1] * 48 + [0] * 32})
    answers = q.read(right, announce=False)
    found = [
        q.agreement.agreement(votes, "human").rates[0],
        q.agreement.against(votes, "human").majority,
        *q.agreement.accuracy(answers),
        *accuracy_by_cell(answers, by=["judge"]).cells,
        q.analyze(answers).estimate,
    ]
    assert [(one.value, one.low, one.high) for one in found] == [pytest.approx((0.6, 0.48806, 0.70239), abs=1e-5)] * 6


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("systems", [1, 2, 3])
def test_where_less_is_better_numbers_are_those_of_the_file_and_the_order_is_turned(systems, binary):
    """As of scores that were turned, but for that."""
    frame, about = crossed(systems, binary=binary), 1.0 if binary else 0.0
    turned = q.read(frame.with_columns(score=about - pl.col("score")), announce=False)
    less = q.read(frame, less_is_better=True, announce=False)
    one, other = q.analyze(less), q.analyze(turned)
    if systems == 1:
        assert one.estimate.value == pytest.approx(about - other.estimate.value)
        assert one.estimate.value == pytest.approx(frame["score"].mean())
        return
    one, other = q.compare(less, "s0", "s1", margin=0.3), q.compare(turned, "s0", "s1", margin=0.3)
    assert (one.outcome, one.supported, one.for_others) == (other.outcome, other.supported, other.for_others)
    assert one.difference.value == pytest.approx(-other.difference.value)
    assert one.difference.items_won == other.difference.items_won
    assert [x.item for x in one.difference.changed()] == [x.item for x in other.difference.changed()]
    claims = ("better", "equivalent", "not worse")
    for claim in claims:
        both = (q.compare(table, "s1", "s0", margin=0.3, claim=claim).supported for table in (less, turned))
        assert len({*both}) == 1
    one, other = q.rank(less), q.rank(turned)
    assert (one.systems, one.groups, one.by_judges.rows()) == (other.systems, other.groups, other.by_judges.rows())
    assert one.best == pytest.approx(other.best)
    assert one.rating == pytest.approx(about - other.rating)
    assert one.intervals == pytest.approx(about - other.intervals[:, ::-1])
    pairs = zip(q.compare(less).pairs, q.compare(turned).pairs, strict=True) if systems > 2 else ()
    for a, b in pairs:
        assert (a.a, a.b, a.outcome) == (b.a, b.b, b.outcome)
        assert (a.value, a.low, a.high) == pytest.approx((-b.value, -b.high, -b.low))


@pytest.mark.parametrize("ties", ["drop", "davidson", "half"])
@pytest.mark.parametrize("shown", [0.5, 0.62, 0.9])
@pytest.mark.parametrize("judges", [0, 8])
def test_votes_on_two_systems_have_one_interval_by_comparison_and_board(ties, shown, judges):
    rng = np.random.default_rng(5)
    won = np.where(rng.random(160) < 0.1, "tie", np.where(rng.random(160) < shown, "model_a", "model_b"))
    columns = {"prompt": [*range(160)], "model_a": ["x"] * 160, "model_b": ["y"] * 160, "winner": won}
    columns |= {"judge": [f"j{k % judges}" for k in range(160)]} if judges else {}
    votes = q.read_votes(pl.DataFrame(columns), announce=False)
    board = q.rank(votes, ties=ties)
    found = q.compare(votes, "x", "y", ties="half" if ties == "half" else "drop")
    ends = [board.share(end) - 0.5 for end in board.difference("x", "y").at(0.95).ends]
    assert ends == pytest.approx(found.estimate.ends, abs=1e-6)
    assert board.gaps[2][0, 1] == pytest.approx(board.difference(*board.systems).at(0.95).low)
