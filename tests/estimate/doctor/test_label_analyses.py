from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.estimate.doctor.analyses import AGREEMENT, CONFUSION, PAIRS, SHARES, SHARES_LIKE

NOT = (
    "variance components",
    "interval for the mean",
    "dependability",
    "analysis of variance",
    "naive against corrected",
)


def read(rows):
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    return q.read(frame, labels=True, announce=False)


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
    rows = [(i, j, "up" if (i + k) % 3 else "off") for i in range(12) for k, j in enumerate("xy")]
    found = {one.code: one.sentence for one in q.doctor(read([*rows, (12, "x", "Up"), (13, "y", None)])).findings}
    assert '"Up" and "up" differ only in case' in found["labels-alike"]
    assert found["rare-labels"].startswith('"Up" and "off": fewer than 10 judgments each')
    assert found["one-judge-only"].startswith("1 item with a label from one judge only")
    assert "no usable label" in found["missing"]
    assert "score" not in " ".join(found.values())
