from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.estimate.labelled.test_corrected_ratings import frame, labelled

import quorate as q


@pytest.fixture(scope="module")
def found():
    return q.agreement.corrected_ratings(q.read_votes(labelled(frame(400, favour=4), 120), announce=False), "person")


def test_rows_have_people_and_judges_beside_the_board(found):
    rows = found.rows()
    people = {row["system"]: row for row in found.people.rows()}
    for at, row in enumerate(rows):
        assert row["people"] == people[row["system"]]["rating"]
        assert row["judges"] == found.judges[at]
    assert sum(row["labels"] for row in rows) == 2 * found.labels
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.to_frame()) == len(found) == 4
    assert f"120 battles that people voted on are worth {found.effective:,.0f}" in found.sentence


def test_whom_judges_favour(found):
    bias = dict(zip(found.ratings.systems, found.bias, strict=True))
    assert found.favoured.startswith(f"Judges alone rate s2 {bias['s2']:.2f} too high")
    assert found.elo().favoured.split()[4].isdigit()
    unsure = replace(found, level=1 - 1e-12)
    assert unsure.favoured == ""
    assert replace(found, judges=(float("nan"),) * 4).favoured == ""


def test_points_move_all_three(found):
    points = found.elo(system="s0")
    assert points.ratings.rating[0] == pytest.approx(1000)
    scale = 400 / np.log(10)
    np.testing.assert_allclose(points.bias, scale * np.array(found.bias), rtol=1e-9)
    first, other = (one.people.difference("s0", "s1").value for one in (points, found))
    assert first == pytest.approx(scale * other)
