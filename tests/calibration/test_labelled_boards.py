"""Boards by few people and many judges: coverage of differences, width against people alone, plans, real battles."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate as q

NAMES = np.array([f"s{i}" for i in range(6)])
RATINGS = np.linspace(0.8, -0.8, 6)


@dataclass(frozen=True)
class World:
    """Six systems; people see the lead of one over the other with logistic noise, judges what people see with more.

    A judge is how large its noise is, and by how much it favours the third system. People and prompts may have tastes
    of their own, with a standard deviation of .7; in strata leads and noise differ, and rates of labels too.
    """

    judges: tuple[tuple[float, float], ...] = ((0.8, 1.0),)
    battles: int = 2000
    labels: int = 300
    prompts: int | None = None
    persons: int | None = None
    strata: bool = False
    chances: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def votes(self, rng):
        """Votes of judges, and of people on the labelled battles."""
        n = self.battles
        a = rng.integers(0, 6, n)
        b = (a + rng.integers(1, 6, n)) % 6
        code = (rng.random(n) < 0.3) & self.strata
        prompt = np.arange(n) if self.prompts is None else rng.integers(0, self.prompts, n)
        lead = (RATINGS[a] - RATINGS[b]) * np.where(code, 0.3, 1.3 if self.strata else 1.0)
        if self.prompts is not None:
            taste = rng.normal(0, 0.7, (self.prompts, 6))
            lead = lead + taste[prompt, a] - taste[prompt, b]
        lead = lead + rng.logistic(size=n)
        base = {"prompt": prompt, "prompt_type": np.where(code, "code", "chat")}
        base |= {"model_a": NAMES[a], "model_b": NAMES[b]}
        said = []
        for k, (noise, favour) in enumerate(self.judges):
            seen = lead + noise * np.where(code, 3, 1) * rng.logistic(size=n) + favour * ((a == 2) * 1.0 - (b == 2))
            said.append(pl.DataFrame({**base, "judge": [f"judge {k}"] * n, "winner": outcome(seen)}))
        who = np.zeros(n, dtype=int)
        if self.persons is not None:
            who, taste = rng.integers(0, self.persons, n), rng.normal(0, 0.7, (self.persons, 6))
            lead = lead + taste[who, a] - taste[who, b]
        chance = np.where((a == 0) | (b == 0), 2.0, 0.6) * self.labels / n
        people = {**base, "judge": np.char.add("person ", who.astype(str)), "winner": outcome(lead), "chance": chance}
        labelled = np.sort(self.drawn(rng, code, chance))
        human = pl.DataFrame(people)[labelled]
        return pl.concat(said) if said else None, human

    def drawn(self, rng, code, chance):
        """Battles that are labelled."""
        if self.chances:
            return np.flatnonzero(rng.random(self.battles) < chance)
        if not self.strata:
            return rng.permutation(self.battles)[: self.labels]
        sizes = ((~code, round(0.4 * self.labels)), (code, round(0.6 * self.labels)))
        return np.concatenate([rng.choice(np.flatnonzero(at), size, replace=False) for at, size in sizes])

    def truth(self):
        """Ratings of 300,000 battles that people all voted on, by as many of them."""
        many = 300_000
        prompts, persons = self.prompts and many, self.persons and 100_000
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        whole = Whole(**own | {"judges": (), "battles": many, "prompts": prompts, "persons": persons})
        _, human = whole.votes(np.random.default_rng(9))
        found = q.rank(q.read_votes(human.drop("judge"), announce=False), cluster=(), ties=self.options.get("ties"))
        return dict(zip(found.systems, found.rating.tolist(), strict=True))

    def board(self, rng):
        """The board of one study."""
        said, human = self.votes(rng)
        facets = {"chance": "chance"} if self.chances else None
        people = q.read_votes(human, announce=False, facets=facets)
        return q.agreement.corrected_ratings(q.read_votes(said, announce=False), people, **self.options)


class Whole(World):
    """The same, with every battle labelled."""

    def drawn(self, *_):
        return np.arange(self.battles)


def outcome(lead):
    return np.where(np.abs(lead) < 0.5, "tie", np.where(lead > 0, "model_a", "model_b"))


WORLDS = {
    "clusters": World(judges=((0.5, 1.0),), prompts=400, persons=20, labels=400),
    "strata": World(judges=((0.5, 1.0),), strata=True, options={"strata": "prompt_type"}),
    "60 labels": World(judges=((0.5, 1.0),), labels=60),
    "three judges": World(judges=((0.5, 1.0), (1.0, 0.0), (2.0, -1.0))),
    "chances": World(judges=((0.5, 1.0),), chances=True, options={"sampling_probability": "chance"}),
    "one judge": World(),
    "favours much": World(judges=((0.5, 2.0),)),
    "of no use": World(judges=((30.0, 1.0),)),
    "nearly right": World(judges=((0.1, 0.0),)),
    "ties as halves": World(options={"ties": "half"}),
    "100 labels": World(judges=((0.5, 1.0),), labels=100),
    "100 labels, three judges": World(judges=((0.5, 1.0), (1.0, 0.0), (2.0, -1.0)), labels=100),
}
FEWER = list(WORLDS)[:4]


def differences(board, truth):
    """How many differences are covered, and the mean width of their intervals."""
    inside, width = [], []
    for i, one in enumerate(board.systems):
        for other in board.systems[:i]:
            low, high = board.difference(other, one).ends
            inside.append(low <= truth[other] - truth[one] <= high)
            width.append(high - low)
    return np.mean(inside), np.mean(width)


@pytest.mark.parametrize(
    ("name", "studies"),
    [*((name, 60) for name in FEWER), *(pytest.param(name, 300, marks=pytest.mark.slow) for name in WORLDS)],
)
def test_differences_are_covered_and_no_wider_than_by_people_alone(name, studies):
    """Coverage in a study is a mean of 15 differences; its Monte Carlo error is .011 of 60 studies, .005 of 300."""
    world = WORLDS[name]
    truth, rng = world.truth(), np.random.default_rng(1)
    boards = [world.board(rng) for _ in range(studies)]
    ours, alone = (np.array([differences(board, truth) for board in each]) for each in _both(boards))
    ratio = ours[:, 1] / alone[:, 1]
    worth = np.mean([board.effective / board.labels for board in boards])
    error = ours[:, 0].std() / np.sqrt(studies)
    print(
        f"{name}: covers {ours[:, 0].mean():.3f} +- {error:.3f}, people alone {alone[:, 0].mean():.3f}, width over "
        f"people's {ratio.mean():.2f}, most {ratio.max():.2f}, worth {worth:.2f}"
    )
    assert 0.93 - 2 * error <= ours[:, 0].mean() <= 0.97 + 2 * error
    assert ratio.mean() <= 1.005
    assert ratio.max() <= 1.05


def _both(boards):
    return [board.ratings for board in boards], [board.people for board in boards]


@pytest.mark.parametrize("studies", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_as_many_labels_as_planned_give_the_half_width(studies):
    """Plans by pilots of 200 labels for the widest gap of neighbours, one study of each plan."""
    pilot, rng = World(judges=((0.5, 1.0),), labels=200), np.random.default_rng(2)
    ratios = []
    for _ in range(studies):
        plan = q.agreement.plan_board_labels(pilot.board(rng), half_width=0.4, units=4000)
        study = replace(pilot, battles=4000, labels=plan.labels)
        board = study.board(rng)
        pairs = zip(board.ratings.systems, board.ratings.systems[1:], strict=False)
        half = [np.diff(board.ratings.difference(*pair).ends)[0] / 2 for pair in pairs]
        ratios.append(max(half) / 0.4)
    print(
        f"half-width over what was asked: median {np.median(ratios):.2f}, 5% to 95% {np.quantile(ratios, [0.05, 0.95])}"
    )
    assert np.median(ratios) == pytest.approx(1, abs=0.12)


def chats(shared, dimension, calls):
    """Battles of six systems on 60 contexts, by people's mean marks and by the mean of so many calls of a model."""
    frame = pl.read_parquet(shared / "data" / "topical_chat_gpt35_replicates.parquet").drop_nulls("score")
    some = frame.filter(pl.col("dimension") == dimension)
    some = some.filter(pl.int_range(pl.len()).over("item") < calls) if calls else some
    each = some.group_by("context", "system").agg(person=pl.col("human_score").first(), model=pl.col("score").mean())
    both = each.join(each, on="context", suffix="_b").filter(pl.col("system") < pl.col("system_b"))
    rows = []
    for who in ("person", "model"):
        gap = pl.col(who) - pl.col(f"{who}_b")
        winner = pl.when(gap.abs() < 1e-6).then(pl.lit("tie")).when(gap > 0).then(pl.lit("model_a"))
        rows.append(
            both.select(
                prompt="context", model_a="system", model_b="system_b", judge=pl.lit(who),
                winner=winner.otherwise(pl.lit("model_b")),
            )
        )  # fmt: skip
    return pl.concat(rows).with_columns(pl.col("model_a", "model_b").cast(pl.String))


def arena(shared):
    """Battles of Claude with three others."""
    frame = pl.read_parquet(shared / "data" / "arena_human_vs_llm_judges.parquet").drop_nulls("judge_winner")
    sides = {"prompt": "item", "model_a": "model_a", "model_b": "model_b"}
    judges = frame.select(**sides, judge="judge", winner="judge_winner")
    people = frame.unique("item", maintain_order=True).select(**sides, judge=pl.lit("person"), winner="human_winner")
    text = pl.col("model_a", "model_b", "judge", "winner").cast(pl.String)
    return pl.concat([judges.with_columns(text), people.with_columns(text)])


REAL = {
    "arena": (arena, 200),
    **{
        f"Topical-Chat, {dimension}, {calls or 'all'} calls": (
            lambda shared, dimension=dimension, calls=calls: chats(shared, dimension, calls),
            200,
        )
        for dimension in ("engagingness", "naturalness", "coherence", "groundedness")
        for calls in (1, 0)
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_battles(shared, name):
    """What labels of a random part are worth, and how far the board is from that of all labels."""
    made, labels = REAL[name]
    table = made(shared)
    battle = pl.struct("prompt", "model_a", "model_b")
    people = table.filter(pl.col("judge") == "person")
    whole = q.rank(q.read_votes(people, announce=False), cluster=())
    truth, rng = dict(zip(whole.systems, whole.rating.tolist(), strict=True)), np.random.default_rng(1)
    judged = q.read_votes(table.filter(pl.col("judge") != "person"), announce=False)
    worth, errors = [], []
    for _ in range(100):
        some = people[np.sort(rng.permutation(len(people))[:labels])]
        board = q.agreement.corrected_ratings(judged, q.read_votes(some, announce=False))
        worth.append(board.effective)
        own = [np.array([truth[s] for s in each.systems]) - each.rating for each in (board.ratings, board.people)]
        errors.append([float(one @ one) for one in own])
    alone = np.array([truth[s] for s in board.ratings.systems]) - np.array(board.judges)
    square = np.mean(errors, axis=0)
    print(
        f"{name}: {people.select(battle.n_unique()).item()} battles, {labels} labels worth {np.median(worth):.0f} "
        f"({np.quantile(worth, 0.1):.0f} to {np.quantile(worth, 0.9):.0f}); "
        f"rms error {np.sqrt(square[0] / len(truth)):.3f}, people alone {np.sqrt(square[1] / len(truth)):.3f}, "
        f"judges alone {np.sqrt(alone @ alone / len(truth)):.3f}"
    )
    assert np.median(worth) >= 0.97 * labels
