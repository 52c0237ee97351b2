from __future__ import annotations

from functools import partial

import polars as pl
import pytest

import quorate as q
from quorate.errors import QuorateError
from quorate.estimate.components.dependability import dependability
from quorate.estimate.components.robustness import by_level, leave_one_out
from quorate.estimate.doctor.analyses import analyses
from quorate.estimate.means.effects import effects

SIZES = {"item": 12, "prompt": 3, "judge": 2}
MORE = {"items": 24, "prompts": 4, "judges": 3, "replicates": 2}


def crossed(judged):
    return judged(SIZES, replicates=2)


def unbalanced(judged):
    return judged(SIZES, replicates=2, keep=0.8)


def single(judged):
    return judged(SIZES)


def one_judge(judged):
    return judged(SIZES | {"judge": 1})


def one_prompt(judged):
    return judged(SIZES | {"prompt": 1})


def one_of_each(judged):
    return judged({"item": 12, "prompt": 1, "judge": 1})


def one_call_per_item(judged):
    judgments = judged(SIZES)
    item, prompt, judge = (judgments.column(name) for name in SIZES)
    return judgments.keep((item % 3 == prompt) & (item // 3 % 2 == judge))


def two_calls_per_item(judged):
    judgments = judged(SIZES | {"judge": 3})
    item, prompt, judge = (judgments.column(name) for name in SIZES)
    return judgments.keep((item + prompt + judge) % 3 == 0)


def paired(judged):
    judgments = judged(SIZES | {"judge": 3})
    return judgments.keep(judgments.column("prompt") == judgments.column("judge"))


def constant(judged):
    judgments = judged({"item": 12, "prompt": 3}, sd={})
    frame = pl.DataFrame({"item": judgments.column("item"), "judge": judgments.column("prompt"), "score": 1.0})
    return q.read(frame)


def one_item(judged):
    return judged(SIZES | {"item": 1})


def grouped(judged):
    judgments = judged({"item": 12, "judge": 3}, replicates=2)
    item = judgments.column("item")
    rows = {"item": item, "category": item % 3, "judge": judgments.column("judge"), "score": judgments.mean + item % 3}
    return q.read(pl.DataFrame(rows))


DESIGNS = [
    crossed, unbalanced, single, one_judge, one_prompt, one_of_each, one_call_per_item, two_calls_per_item, paired,
    constant, one_item, grouped,
]  # fmt: skip


def succeeds(call):
    try:
        found = call()
    except QuorateError:
        return False
    return not isinstance(found, tuple) or any(getattr(part, "estimate", part) is not None for part in found)


def attempts(judgments):
    """What each analysis does, by the name that it has in the list."""
    sampled = [name for name in judgments.names if name in ("prompt", "judge")]
    grouping = judgments.ancestors("item")
    calls = {
        "variance components": lambda: q.decompose(judgments),
        "interval for the mean": lambda: q.decompose(judgments).mean,
        "mean for these items only": lambda: q.decompose(judgments).mean_for(item="finite"),
        "naive against corrected": lambda: q.naive(judgments),
        "dependability": lambda: dependability(q.decompose(judgments)),
        "analysis of variance": lambda: q.decompose(judgments, method="anova"),
    }
    for name in sampled:
        calls[f"mean for {name}s like these"] = partial(population, judgments, name)
        calls[f"mean without each {name}"] = partial(leave_one_out, judgments, name)
    calls |= {f"effect of each {name}": partial(effects_of, judgments, name) for name in (*sampled, *grouping)}
    return calls | {f"mean by {name}": partial(by_level, judgments, name) for name in grouping}


def population(judgments, name):
    return q.decompose(judgments).mean_for(**{name: "population"})


def effects_of(judgments, name):
    return effects(q.decompose(judgments), name)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.__name__)
def test_what_is_called_possible_can_be_done_and_nothing_else(judged, design):
    judgments = design(judged)
    listed = {one.name: one for one in analyses(judgments, judgments.describe())}
    for name, call in attempts(judgments).items():
        one = listed.pop(name)
        assert one.possible == succeeds(call), one
        assert one.reason
        assert not (one.possible and one.fix)
    assert {name for name in listed if not name.startswith("component ")} == {"projection of full crossings"}


@pytest.mark.parametrize("design", DESIGNS[:9], ids=lambda design: design.__name__)
def test_numbers_that_are_called_free_can_be_projected_and_no_others(judged, design):
    judgments = design(judged)
    fit = q.decompose(judgments)
    projection = next(one for one in analyses(judgments, judgments.describe()) if one.name.startswith("projection"))
    free = projection.reason.partition(";")[0]
    for plural, size in MORE.items():
        targets = {"judge": "population"} if plural == "judges" else {}
        possible = succeeds(partial(q.project, fit, **{plural: size}, targets=targets))
        assert possible == (projection.possible and plural in free), plural


def test_reasons_say_what_stands_in_the_way(judged):
    judgments = one_item(judged)
    first, *others = analyses(judgments, judgments.describe())
    assert (first.reason, first.fix) == (
        "1 item: there is nothing to vary between",
        "judge at least 2 items, 30 for a pilot",
    )
    assert {one.reason for one in others} == {"needs the variance components"}
    judgments = one_judge(judged)
    listed = {one.name: one for one in analyses(judgments, judgments.describe())}
    assert listed["interval for the mean"].reason == "generalises over items and prompts; holds for this 1 judge"
    assert listed["mean for judges like these"].reason == "1 judge says nothing about others"
    assert listed["mean for judges like these"].fix == "use at least 2 judges"


def test_confounded_fixed_facets_are_said(judged):
    judgments = judged(SIZES | {"judge": 3}, fixed=("prompt", "judge"))
    paired = judgments.keep(judgments.column("prompt") == judgments.column("judge"))
    first, *others = analyses(paired, paired.describe())
    assert "never occur together freely" in first.reason
    assert not any(one.possible for one in (first, *others))
