from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from hashlib import sha256

import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.study.inspect.deal import Deal, Scored, Vote, mean_of, mean_with_error, metadata
from quorate.table.exchange.foreign.inspect.marks import given

JUDGES, PROMPTS = ("x", "y", "z"), ("s", "t")


@pytest.mark.parametrize(
    ("layout", "per_item", "each"),
    [
        ("factorial", None, 6),
        ("random", None, 2),
        ("cyclic", None, 2),
        ("latin", None, 1),
        ("latin", 2, 2),
        ("blocks", 2, 4),
    ],
)
def test_every_pair_gets_its_share(layout, per_item, each):
    deal = Deal(JUDGES, PROMPTS, layout, per_item)
    asked = [deal.calls(f"q{number}", 1) for number in range(1200)]
    assert {len(calls) for calls in asked} == {each}
    counts = Counter(pair for calls in asked for pair in calls)
    assert len(counts) == 6
    mean = 1200 * each / 6  # a pair's count is binomial
    assert all(abs(count - mean) < 5 * mean**0.5 for count in counts.values())


def test_a_sample_gets_the_same_turn_again_and_epochs_get_their_own():
    deal = Deal(JUDGES, PROMPTS, "latin", replicates=2)
    assert deal.calls("q1", 1) == Deal(JUDGES, PROMPTS, "latin", replicates=2).calls("q1", 1)
    assert deal.calls(1, 1) == deal.calls("1", 1)
    assert [number for *_, number in deal.calls("q1", 1)] == [1, 2]
    assert len({deal.calls("q1", epoch) for epoch in range(40)}) == 6
    assert [deal.calls(f"q{k}", 1) for k in range(9)] != [
        Deal(JUDGES, PROMPTS, "latin", replicates=2, seed=2).calls(f"q{k}", 1) for k in range(9)
    ]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"judges": ["x", "x"]}, "judges"),
        ({"judges": []}, "judges: at least one"),
        ({"layout": "weighted"}, "layout: .weighted. needs"),
        ({"layout": "latn"}, "layout: must be one of"),
        ({"layout": "blocks"}, "per_item"),
        ({"replicates": 0}, "replicates"),
    ],
)
def test_what_does_not_fit_is_refused(options, match):
    with pytest.raises(InvalidInput, match=match):
        Deal(**{"judges": JUDGES, "prompts": PROMPTS, **options})


VOTES = [
    Vote("x", "s", 1, 7.0, "ok"),
    Vote("y", "s", 1, 4.0, "ok"),
    Vote("z", "s", 2, None, "truncated", "the reply was cut off"),
]


def test_the_mean_is_of_those_that_answered():
    assert mean_of(VOTES) == 5.5
    assert math.isnan(mean_of(VOTES[2:]))


def test_the_reader_finds_each_vote_again():
    found = given({"value": 5.5, "metadata": json.loads(json.dumps(metadata(VOTES)))}).votes
    assert [(vote.judge, vote.prompt, vote.replicate, vote.mark.status) for vote in found] == [
        (vote.judge, vote.prompt, vote.replicate, vote.status) for vote in VOTES
    ]
    assert [vote.mark.score for vote in found[:2]] == [7.0, 4.0]
    assert found[2].mark.absent


def scored(item: int, marks: dict[str, float]) -> Scored:
    votes = [Vote(judge, "s", 1, mark, "ok") for judge, mark in marks.items()]
    return Scored(f"q{item}", mean_of(votes), metadata(votes), {})


def test_the_figures_are_those_of_the_same_table(tmp_path):
    marks = [{"x": float(3 + k % 4), "y": float(5 + (k * k) % 3)} for k in range(12)]
    found = mean_with_error(scored(item, given) for item, given in enumerate(marks))
    lines = [f"q{item},{judge},{mark}\n" for item, given in enumerate(marks) for judge, mark in given.items()]
    (tmp_path / "table.csv").write_text("item,judge,score\n" + "".join(lines))
    estimate = q.decompose(q.read(tmp_path / "table.csv", announce=False)).mean
    assert (found["mean"], found["standard_error"]) == pytest.approx((estimate.value, estimate.se))
    assert (found["low"], found["high"]) == pytest.approx(estimate.ends)


def test_without_scores_or_with_one_no_error_is_known():
    assert all(map(math.isnan, mean_with_error([]).values()))
    assert all(map(math.isnan, mean_with_error([scored(1, {"x": 3.0})]).values()))


# The cells that the scorer of Inspect deals out, against those of our own plans and runner.


PANEL, WORDINGS = ("ann", "bob", "cyd"), ("score", "score-reasoned")
ITEMS = [f"q{number:02d}" for number in range(16)]
LAYOUTS = [("factorial", None), ("random", None), ("cyclic", None), ("latin", None), ("latin", 2), ("blocks", 2)]


def mark(item, judge, prompt, replicate):
    """What a judge says: a quality of the item, a severity of the judge, and noise, from the labels alone."""
    quality, noise = (
        sha256("/".join(key).encode()).digest()[0] for key in ((item,), (item, judge, prompt, str(replicate)))
    )
    return 1 + (quality % 6 + 2 * PANEL.index(judge) + noise % 3) % 10


def shape(pairs):
    """Judges, prompts and pairs of what one item is asked with."""
    judges, prompts = zip(*pairs, strict=True)
    return len(set(judges)), len(set(prompts)), len(pairs)


@pytest.mark.parametrize(("layout", "per_item"), LAYOUTS)
def test_an_item_is_dealt_what_a_plan_gives_it(layout, per_item):
    """But not the same item the same turn: a scorer sees one sample at a time, and cannot count turns off."""
    deal = Deal(PANEL, WORDINGS, layout, per_item, replicates=2)
    planned = defaultdict(set)
    cells = q.assign(items=ITEMS, judges=PANEL, prompts=WORDINGS, layout=layout, per_item=per_item, replicates=2)
    for item, judge, prompt in zip(*(cells.column(name).tolist() for name in ("item", "judge", "prompt")), strict=True):
        planned[item].add((judge, prompt))
    assert set(map(shape, planned.values())) == set(map(shape, deal.turns))
    assert {len(deal.calls(item, 1)) for item in ITEMS} == {2 * size for _, _, size in map(shape, planned.values())}
    dealt = {pair for item in ITEMS for pair in deal.turns for pair in pair}
    assert dealt == {pair for pairs in planned.values() for pair in pairs}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "per_item"),
    [
        ("latin", None),
        pytest.param("cyclic", None, marks=pytest.mark.slow),
        pytest.param("blocks", 2, marks=pytest.mark.slow),
    ],
)
def test_the_dealt_cells_through_our_runner_give_the_same_estimate(study, tmp_path, layout, per_item):
    deal = Deal(PANEL, WORDINGS, layout, per_item, replicates=2, seed=7)
    assert [deal.calls(item, 1) for item in ITEMS] == [
        Deal(PANEL, WORDINGS, layout, per_item, replicates=2, seed=7).calls(item, 1) for item in ITEMS
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
        judges={judge: {"kind": "replay", "table": "table.csv"} for judge in PANEL},
        prompts=list(WORDINGS),
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
