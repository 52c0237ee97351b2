"""The cells that the scorer of Inspect deals out, against those of our own plans and runner."""

from __future__ import annotations

import csv
from collections import defaultdict
from hashlib import sha256

import pytest

import quorate as q
from quorate.study.inspect.deal import Deal, Scored, Vote, mean_of, mean_with_error, metadata

JUDGES, PROMPTS = ("ann", "bob", "cyd"), ("score", "score-reasoned")
ITEMS = [f"q{number:02d}" for number in range(16)]
LAYOUTS = [("factorial", None), ("random", None), ("cyclic", None), ("latin", None), ("latin", 2), ("blocks", 2)]


def mark(item, judge, prompt, replicate):
    """What a judge says: a quality of the item, a severity of the judge, and noise, from the labels alone."""
    quality, noise = (
        sha256("/".join(key).encode()).digest()[0] for key in ((item,), (item, judge, prompt, str(replicate)))
    )
    return 1 + (quality % 6 + 2 * JUDGES.index(judge) + noise % 3) % 10


def shape(pairs):
    """Judges, prompts and pairs of what one item is asked with."""
    judges, prompts = zip(*pairs, strict=True)
    return len(set(judges)), len(set(prompts)), len(pairs)


@pytest.mark.parametrize(("layout", "per_item"), LAYOUTS)
def test_an_item_is_dealt_what_a_plan_gives_it(layout, per_item):
    """But not the same item the same turn: a scorer sees one sample at a time, and cannot count turns off."""
    deal = Deal(JUDGES, PROMPTS, layout, per_item, replicates=2)
    planned = defaultdict(set)
    cells = q.assign(items=ITEMS, judges=JUDGES, prompts=PROMPTS, layout=layout, per_item=per_item, replicates=2)
    for item, judge, prompt in zip(*(cells.column(name).tolist() for name in ("item", "judge", "prompt")), strict=True):
        planned[item].add((judge, prompt))
    assert set(map(shape, planned.values())) == set(map(shape, deal.turns))
    assert {len(deal.calls(item, 1)) for item in ITEMS} == {2 * size for _, _, size in map(shape, planned.values())}
    dealt = {pair for item in ITEMS for pair in deal.turns for pair in pair}
    assert dealt == {pair for pairs in planned.values() for pair in pairs}


@pytest.mark.parametrize(
    ("layout", "per_item"),
    [
        ("latin", None),
        pytest.param("cyclic", None, marks=pytest.mark.slow),
        pytest.param("blocks", 2, marks=pytest.mark.slow),
    ],
)
def test_the_dealt_cells_through_our_runner_give_the_same_estimate(study, tmp_path, layout, per_item):
    deal = Deal(JUDGES, PROMPTS, layout, per_item, replicates=2, seed=7)
    assert [deal.calls(item, 1) for item in ITEMS] == [
        Deal(JUDGES, PROMPTS, layout, per_item, replicates=2, seed=7).calls(item, 1) for item in ITEMS
    ]
    votes = {
        item: [
            Vote(judge, prompt, number, float(mark(item, judge, prompt, number)), "ok")
            for judge, prompt, number in calls
        ]
        for item, calls in ((item, deal.calls(item, 1)) for item in ITEMS)
    }
    theirs = mean_with_error(Scored(item, mean_of(given), metadata(given), {}) for item, given in votes.items())
    with (tmp_path / "table.csv").open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["item", "prompt", "judge", "replicate", "score"])
        rows.writerows((i, v.prompt, v.judge, v.replicate, v.score) for i, given in votes.items() for v in given)
    path = study(
        rows=[{"id": item, "prompt": "p", "response": "r"} for item in ITEMS],
        judges={judge: {"kind": "replay", "table": "table.csv"} for judge in JUDGES},
        prompts=list(PROMPTS),
        layout="factorial",
        replicates=2,
        budget={"calls": 1000},
    )
    ledger = q.run(path)
    asked = {(i, v.judge, v.prompt) for i, given in votes.items() for v in given}
    names = [ledger.facet(name).levels for name in ("item", "judge", "prompt")]
    codes = zip(*(ledger.column(name).tolist() for name in ("item", "judge", "prompt")), strict=True)
    assert {tuple(levels[code] for levels, code in zip(names, row, strict=True)) for row in codes} == asked
    assert int(ledger.n.sum()) == sum(map(len, votes.values()))
    ours = q.decompose(ledger).mean
    assert (theirs["mean"], theirs["standard_error"]) == pytest.approx((ours.value, ours.se), rel=1e-9)
    assert (theirs["low"], theirs["high"]) == pytest.approx(ours.ends, rel=1e-9)
