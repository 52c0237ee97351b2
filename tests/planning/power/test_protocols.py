from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.power.detectability import detectability
from quorate.planning.power.protocols import protocols
from quorate.planning.power.sample_size import sample_size
from quorate.table.read_votes import read_votes

PAIRS = (("x", "y"), ("x", "z"), ("y", "z"))


def votes(seed, margins, sd, prompts, each, *, turned=False, prompt=True):
    """Votes of every prompt on every pair; a margin above 0: the second system is preferred."""
    rng = np.random.default_rng(seed)
    rows = []
    for (a, b), margin in zip(PAIRS, margins, strict=False):
        rate = np.clip(0.5 + margin + sd * rng.normal(size=prompts), 0, 1)
        won = rng.random((prompts, each)) < rate[:, None]
        one, two = (b, a) if turned else (a, b)
        rows += [(one, two, b if won[p, k] else a, f"p{p}") for p in range(prompts) for k in range(each)]
    names = ["model_a", "model_b", "winner", "prompt"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return read_votes(frame if prompt else frame.drop("prompt"), outcomes="names", announce=False)


@pytest.fixture(scope="module")
def open_votes():
    return votes(1, (0.05, 0.1, 0.1), 0.2, 300, 1)


@pytest.fixture(scope="module")
def curated():
    return votes(2, (0.2, 0.3, -0.2), 0.15, 60, 4, turned=True)


@pytest.fixture(scope="module")
def found(open_votes, curated):
    return protocols(open_votes, curated, names=("open", "curated"))


def test_the_better_one_is_named_with_what_a_vote_is_worth(found):
    assert found.better == "curated"
    low, high = found.ratio_interval
    assert 1 < low < found.ratio < high
    assert found.sentence.startswith(f"One vote under curated is worth {found.ratio:.2g} (")
    assert found.first.needed > found.second.needed
    assert found.second.decided > found.first.decided
    assert found.second.z[1] > found.first.z[1]


def test_margins_are_those_of_the_same_system_whichever_stands_first(found):
    assert found.pairs == ("x vs y", "x vs z", "y vs z")
    assert np.sign(found.margin).tolist() == [[1, 1, 1], [1, 1, -1]]
    assert (found.low < found.margin).all()
    assert (found.margin < found.high).all()
    assert found.opposite == ("y vs z",)
    assert any("opposite winners of 1 pair (y vs z)" in said for said in found.advice)


def test_the_variance_between_prompts_needs_two_votes_of_one(found):
    assert np.isnan(found.first.signals.between.value)
    assert found.second.signals.between.value == pytest.approx(0.15**2, abs=0.02)
    assert any("is not known under open" in said for said in found.advice)
    assert found.to_dict()["between"]["value"] is None


def test_the_other_way_round_it_is_the_same(found, open_votes, curated):
    turned = protocols(curated, open_votes, names=("curated", "open"))
    assert turned.better == "curated"
    assert turned.ratio == pytest.approx(1 / found.ratio)
    assert turned.sentence == found.sentence
    assert turned.signal.ends == pytest.approx(tuple(-end for end in reversed(found.signal.ends)))


def test_the_same_votes_are_worth_each_other(curated):
    same = protocols(curated, curated)
    assert same.paired
    assert (same.better, same.signal.se, same.ratio_interval) == ("", 0.0, pytest.approx((1.0, 1.0)))
    assert same.ratio == 1
    assert same.sentence.startswith("Which of A and B decides with fewer votes is not shown on 3 pairs")
    assert same.advice[-1].startswith("Choose by what the votes should speak for")


@pytest.mark.parametrize("budget", [20, 400])
def test_protocols_are_compared_at_the_budget_that_is_asked_for(open_votes, curated, budget):
    found = protocols(open_votes, curated, budget=budget)
    for one, table in ((found.first, open_votes), (found.second, curated)):
        alone = detectability(table, budgets=[budget], cluster="prompt")
        assert one.decided == alone.decided[0]
        assert one.z == (alone.z(budget)[0], alone.z(budget)[1])


def test_votes_for_a_decision_are_those_of_the_formula():
    """One pair, one vote a prompt: nothing but its squared margin counts, with the noise taken off."""
    one = votes(3, (0.2,), 0.0, 400, 1)
    found = protocols(one, one)
    square = found.first.signals.square.value
    assert found.first.needed == pytest.approx(sample_size(np.sqrt(square), method="normal"), abs=1)
    assert square == pytest.approx((found.margin[0, 0] ** 2 - 0.25 / 400) * 400 / 399)


def test_votes_without_prompts_are_independent(open_votes):
    alone = protocols(open_votes, votes(2, (0.2, 0.3), 0.0, 300, 1, prompt=False))
    assert alone.second.signals.by == ""
    assert alone.second.signals.levels == 600
    assert alone.left_out == (1, 0)
    assert len(alone) == 2


def test_a_protocol_that_shows_no_more_than_noise_needs_no_number(curated):
    rows = [("x", "y", winner, f"p{k}") for k in range(40) for winner in ("x", "y")]
    names = ["model_a", "model_b", "winner", "prompt"]
    even = read_votes(pl.DataFrame(rows, schema=names, orient="row"), outcomes="names", announce=False)
    found = protocols(even, curated, names=("even", "curated"))
    assert found.first.needed == np.inf
    assert found.to_dict()["first"]["needed"] is None
    assert np.isnan(found.ratio)
    assert found.sentence == "One vote under curated is worth many under even, on 1 pair that both have."
    assert "under even no known number (margins within noise)" in found.advice[0]


def test_few_prompts_are_a_caveat(curated):
    few = protocols(votes(4, (0.3, 0.3), 0.1, 8, 8), curated)
    assert [one.code for one in few.caveats] == ["few-clusters"]
    assert few.caveats[0].sentence.startswith("8 prompts")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"minimum": 5000}, NotEstimable, "no pair of systems has 5,000 decisive votes under both"),
        ({"names": ("A", "A")}, InvalidInput, "names: expects two different names"),
        ({"names": ("A",)}, InvalidInput, "names: expects two different names"),
        ({"by": "rater"}, UnknownTerm, "rater"),
        ({"budget": 0}, InvalidInput, "budget"),
        ({"level": 1.0}, InvalidInput, "level"),
        ({"alpha": 0.0}, InvalidInput, "alpha"),
        ({"power": 0.01}, InvalidInput, "power"),
    ],
)
def test_refusals(open_votes, curated, options, error, says):
    with pytest.raises(error, match=says):
        protocols(open_votes, curated, **options)


def test_votes_that_cannot_be_told_apart(curated):
    counted = read_votes(
        pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "a": [60], "b": [40]}), wins=["a", "b"], announce=False
    )
    with pytest.raises(NotEstimable, match="rows count several votes"):
        protocols(counted, curated)
    with pytest.raises(NotEstimable, match="prompt: 4 levels"):
        protocols(votes(6, (0.1, 0.1), 0.1, 4, 20), curated)


@pytest.mark.slow
def test_people_and_judges_on_the_same_battles(shared):
    """As docs/methods/detectability.md has it: a sharp judge is worth more votes, and one finds an opposite winner."""
    table = pl.read_parquet(shared / "data" / "arena_human_vs_llm_judges.parquet").drop_nulls("judge_winner")

    def by(column, judge):
        own = table.filter(pl.col("judge") == judge).rename({"item": "prompt", column: "winner"})
        return read_votes(own.select("model_a", "model_b", "prompt", "winner"), announce=False)

    people = by("human_winner", "gpt-5.2")
    sharp = protocols(people, by("judge_winner", "gpt-4o-mini"), names=("people", "judge"))
    assert (sharp.better, sharp.opposite) == ("judge", ())
    assert [sharp.ratio, *sharp.ratio_interval] == pytest.approx([3.19, 2.28, 4.89], abs=0.01)
    other = protocols(people, by("judge_winner", "gpt-5.2"))
    assert other.better == ""
    assert len(other.opposite) == 1
    assert "qwen3" in other.opposite[0]


def test_types_of_prompts_are_screened_only_where_that_is_shown():
    rng = np.random.default_rng(8)
    shares = {"y": [0.95, 0.9, *[0.5] * 8], "z": [0.6] * 10}
    rows = [
        ("x", other, "model_b" if rng.random() < share else "model_a", f"t{t}", f"t{t}p{k}")
        for other, own in shares.items()
        for t, share in enumerate(own)
        for k in range(100)
    ]
    names = ["model_a", "model_b", "winner", "prompt_type", "prompt"]
    typed = read_votes(pl.DataFrame(rows, schema=names, orient="row"), announce=False)
    even = typed.pair("x", "z")
    found = protocols(typed, even, names=("both", "even"))
    assert found.first.concentrated == (0, 1)  # of the pair that both protocols have
    whole = protocols(typed, typed, names=("A", "B"))
    assert whole.first.concentrated == (1, 2)
    assert "Under A, 1 of 2 pairs has most signal in a few types of prompts: screen types first" in whole.advice[2]
    assert "no pair of 1 is shown" in found.advice[2]
