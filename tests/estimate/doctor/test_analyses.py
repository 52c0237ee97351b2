from __future__ import annotations

from functools import cache, partial

import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.errors import QuorateError
from quorate.estimate.components.dependability import dependability
from quorate.estimate.components.model import spanned
from quorate.estimate.components.robustness import by_level, leave_one_out
from quorate.estimate.doctor.analyses import (
    AGREEMENT,
    CONFUSION,
    PAIRS,
    SHARES,
    SHARES_LIKE,
    alias_class,
    analyses,
    component_analyses,
)
from quorate.estimate.means.effects import effects
from quorate.estimate.means.missing_bounds import all_equal

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
    fit = cache(partial(q.decompose, judgments))
    calls = {
        "variance components": fit,
        "interval for the mean": lambda: all_equal(judgments) or fit().mean,
        "mean for these items only": lambda: fit().mean_for(item="finite"),
        "naive against corrected": lambda: q.scores.naive(judgments),
        "dependability": lambda: dependability(fit()),
        "analysis of variance": lambda: q.decompose(judgments, method="anova"),
    }
    for name in sampled:
        calls[f"mean for {name}s like these"] = partial(population, fit, name)
        calls[f"mean without each {name}"] = partial(leave_one_out, judgments, name)
    calls |= {f"effect of each {name}": partial(effects_of, fit, name) for name in (*sampled, *grouping)}
    return calls | {f"mean by {name}": partial(by_level, judgments, name) for name in grouping}


def population(fit, name):
    return fit().mean_for(**{name: "population"})


def effects_of(fit, name):
    return effects(fit(), name)


@pytest.mark.wide(1)
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


@pytest.mark.wide(3)
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


LARGER = {"item": 24, "prompt": 3, "judge": 4}


def entries(judgments):
    return {one.name.removeprefix("component "): one for one in component_analyses(q.decompose(judgments))}


def one_judge_and_prompt_per_item(judged):
    judgments = judged(LARGER)
    item, prompt, judge = (judgments.column(name) for name in LARGER)
    return judgments.keep((item % 3 == prompt) & (item // 3 % 4 == judge))


def test_a_crossed_design_with_replicates_tells_everything(judged):
    got = entries(judged(LARGER, replicates=2))
    assert all(one.possible and one.fix == "" for one in got.values())
    assert got["item"].reason == "24 items"
    assert got["item:prompt"].reason == "72 combinations of item and prompt"
    assert got["replicate"].reason == "576 answers in 288 cells"
    assert got["judge"].reason.startswith("spread of 4 judges")


def test_without_replicates_the_cell_includes_them(judged):
    got = entries(judged(LARGER))
    assert got["cell"].possible
    assert got["cell"].reason == "288 cells; includes the replicate noise, as no cell was judged twice"
    assert not got["replicate"].possible
    assert "judge some cells again" in got["replicate"].fix


def test_one_judge(judged):
    got = entries(judged(LARGER | {"judge": 1}))
    assert got["item"].reason == "only the sum item + item:judge can be estimated: 1 judge"
    assert got["item:prompt"].reason == "only the sum item:prompt + cell + replicate can be estimated: 1 judge"
    assert {one.fix for name, one in got.items() if name != "replicate"} == {"use at least 2 judges"}


def test_one_prompt_is_absorbed(judged):
    got = entries(judged(LARGER | {"prompt": 1}))
    assert (got["prompt"].reason, got["prompt"].fix) == ("1 prompt", "use at least 2 prompts")


@pytest.mark.slow
def test_one_call_per_item(judged):
    got = entries(one_judge_and_prompt_per_item(judged))
    assert got["prompt"].possible
    assert got["item"].reason == (
        "only the sum item + item:prompt + item:judge + cell + replicate can be estimated: "
        "each item occurs with one prompt and one judge"
    )
    assert got["item"].fix == "give each item more than one prompt or judge"


def test_a_category_that_is_not_declared(simulate):
    frame = simulate({"item": 9, "judge": 3}).with_columns(shift=pl.col("item").str.slice(4).cast(int) % 3)
    got = entries(q.read(frame, facets={name: name for name in ("item", "judge", "shift")}))
    assert got["item"].reason.endswith("each item occurs with one shift")
    assert got["item"].fix.endswith('declare nested={"item": "shift"} if the shift is a property of the item')


def test_replicates_that_only_repeat_are_known_to_be_zero(simulate):
    frame = simulate(LARGER)
    twice = pl.concat([frame, frame.with_columns(replicate=pl.lit(1, dtype=pl.Int64))])
    got = entries(q.read(twice, facets={name: name for name in (*LARGER, "replicate")}))
    assert got["replicate"].possible
    assert got["replicate"].reason.startswith("zero")


@pytest.mark.wide(1)
@pytest.mark.parametrize("replicates", [1, 2])
def test_what_is_said_is_what_the_fit_does(judged, replicates):
    """Every component that is called possible has a variance, and no other."""
    for judgments in (
        judged(LARGER, replicates=replicates),
        judged(LARGER | {"prompt": 1}),
        one_judge_and_prompt_per_item(judged),
    ):
        fit = q.decompose(judgments)
        for name, one in entries(judgments).items():
            if one.possible:
                assert fit.variance(name) >= 0
            else:
                with pytest.raises(q.NotEstimable):
                    fit.variance(name)


def test_classes_and_facets(judged):
    fit = q.decompose(one_judge_and_prompt_per_item(judged))
    assert set(alias_class(fit, fit.assembled.names.index("item"))) >= {"item", "cell", "replicate"}
    assert spanned(fit.judgments, "cell") == {"item", "prompt", "judge"}
    assert spanned(fit.judgments, "item:judge") == {"item", "judge"}


NOT = (
    *("variance components", "interval for the mean", "dependability", "analysis of variance"),
    "naive against corrected",
)


def read(rows):
    return scores_table(rows, "item judge score", labels=True)


def labelled(items=12, judges="xyz", words=("up", "off", "gone")):
    rows = [(i, j, words[(i + (i * k) % 3 % 2) % len(words)]) for i in range(items) for k, j in enumerate(judges)]
    return read(rows)


@pytest.fixture(scope="module")
def support():
    return q.doctor(labelled())


def test_what_labels_support_and_what_each_of_the_others_needs(support):
    assert support.ok
    assert support.labels == ("gone", "off", "up")
    possible = [one.name for one in support.analyses if one.possible]
    assert possible == [SHARES, SHARES_LIKE, AGREEMENT, PAIRS, CONFUSION, "items to send to people"]
    assert "intervals count items and judges as drawn" in support.analysis(AGREEMENT).reason
    for name in NOT:
        one = support.analysis(name)
        assert (one.possible, one.fix) == (False, 'read the share of one label as the score, with label="gone"')
    assert support.to_dict()["labels"] == ["gone", "off", "up"]


def test_what_is_possible_is_what_labels_gives(support):
    found = q.scores.labels(labelled())
    assert len(found.shares) == len(support.labels)
    assert bool(found.coefficients) == support.analysis(AGREEMENT).possible


def test_one_judge_gives_shares_alone():
    support = q.doctor(labelled(judges="x"))
    assert support.ok
    assert [one.name for one in support.analyses if one.possible] == [SHARES]
    assert support.analysis(AGREEMENT).fix == "let another judge label some of the items too"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([(i, j, "up") for i in range(3) for j in "xy"], "all 6 labels are equal"),
        ([(1, "x", "up"), (1, "y", "off")], "1 item: there is nothing to vary between"),
    ],
)
def test_what_rules_everything_out(rows, says):
    support = q.doctor(read(rows))
    assert not support.ok
    assert support.analysis(SHARES).reason.startswith(says)
    assert support.analysis(AGREEMENT).reason == "needs the share of each label"


def test_findings_speak_of_labels():
    rows = [(i, j, "u" if (i + k) % 3 else "off") for i in range(12) for k, j in enumerate("xy")]
    found = {one.code: one.sentence for one in q.doctor(read([*rows, (12, "x", "U"), (13, "y", None)])).findings}
    assert '"U" and "u" differ only in case' in found["labels-alike"]
    assert found["rare-labels"].startswith('"U" and "off": fewer than 10 judgments each')
    assert found["one-judge-only"].startswith("1 item with a label from one judge only")
    assert "no usable label" in found["missing"]
    assert "score" not in " ".join(found.values())
