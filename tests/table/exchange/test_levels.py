"""Scores under names of judges and systems, which lists beside the records, or answers in them, tell apart."""

from __future__ import annotations

import json

import pytest

import quorate as q
from quorate.errors import InvalidInput

JUDGES, SYSTEMS = ("owl-judge", "finch", "wren"), ("finch", "newt", "toad", "eft")


def scores(n, turned=False, judges=JUDGES):
    given = {
        j: {s: (n + 3) ** (at + 2) * (k + 5) ** 2 % 101 % 7 for k, s in enumerate(SYSTEMS)}
        for at, j in enumerate(judges)
    }
    return {s: {j: given[j][s] for j in judges} for s in SYSTEMS} if turned else given


def write(tmp_path, turned, **beside):
    records = [{"id": n, "tokens": 90 + n % 5, "given": scores(n, turned)} for n in range(20)]
    path = tmp_path / "panel.json"
    path.write_text(json.dumps({**beside, "results": records}))
    return path


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("key", ["judges", "rater_ids"])
def test_lists_beside_the_records_say_which_names_are_judges(tmp_path, turned, key):
    path = write(tmp_path, turned, config={key: list(JUDGES), "candidates": list(SYSTEMS)})
    table = q.read(path, announce=False)
    assert {*table.facet("judge").levels} == {*JUDGES}
    assert {*table.facet("system").levels} == {*SYSTEMS}
    wanted = sum(scores(n)["finch"]["toad"] for n in range(20)) / 20
    assert table.only("judge", "finch").only("system", "toad").mean.mean() == pytest.approx(wanted)


def test_names_of_one_level(tmp_path):
    records = [{"id": n, "marks": {name: (n + at) % 5 for at, name in enumerate("uvw")}} for n in range(20)]
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"systems": ["u", "v", "w"], "items": records}))
    table = q.read(path, announce=False)
    assert (table.facet("system").levels, table.n_answers) == (("u", "v", "w"), 60)


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"judges": list(JUDGES)},
        {"judges": list({*JUDGES, *SYSTEMS}), "candidates": list({*JUDGES, *SYSTEMS})},
        {"judges": list(JUDGES), "candidates": ["eft", "toad", "other"]},
    ],
    ids=["none", "judges alone", "both the same", "others"],
)
def test_names_that_lists_leave_open_are_asked(tmp_path, beside):
    with pytest.raises(InvalidInput):
        q.read(write(tmp_path, False, **beside), announce=False)


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_whose_answers_stand_beside_the_scores_are_systems(tmp_path, turned, known):
    """Models that judge are told by their names too; of other names it is asked what they are."""
    names = ("finch", "gpt-4o", "newt-70b") if known else ("hot", "cold", "mild")
    rows = [
        {"id": n, "out": {s: f"{s} says {n}" for s in SYSTEMS}, "scores": scores(n, turned, names)} for n in range(20)
    ]
    path = tmp_path / "panel.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if known:
        table = q.read(path, announce=False)
        assert {*table.facet("judge").levels} == {*names}
        assert {*table.facet("system").levels} == {*SYSTEMS}
    else:
        with pytest.raises(InvalidInput, match="two things in one name"):
            q.read(path, announce=False)
