"""What a result says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from quorate.errors import InvalidInput, UnknownTerm
from quorate.simulate.pipelines.result import PipelineErrors, Pipelines, Rated


@pytest.fixture
def found():
    rows = (Rated("x", 0.6, 0.01, 0.02, 0.03, 4.0), Rated("y", 0.4, 0.0, 0.0, 0.0, np.inf))
    errors = tuple(PipelineErrors("judges", kind, "win rate", rows, 0) for kind in ("single", "average"))
    return Pipelines(errors, {"judges": 6}, {"judges": {"judge": 3, "variant": 2}}, "win rate", 100, None)


def test_ratios_leave_out_what_never_varies(found):
    one = found.of("single")
    assert (one.ratio, one.redrawn_ratio) == (pytest.approx(3), pytest.approx(2))
    assert np.isnan(one.systems[1].ratio)
    assert np.isnan(PipelineErrors("judges", "single", "win rate", one.systems[1:], 0).ratio)


def test_intervals_are_student_with_cells_and_normal_without(found):
    one = found.of("average")
    assert one.interval("x", aware=False).ends == pytest.approx((0.6 - 0.0196, 0.6 + 0.0196), abs=1e-5)
    assert one.interval("x").ends == pytest.approx((0.6 - 0.03 * 2.776445, 0.6 + 0.03 * 2.776445), abs=1e-6)
    assert one.interval("x").at(1 - 1e-9).ends == (0, 1)
    with pytest.raises(UnknownTerm):
        one.interval("z")
    with pytest.raises(InvalidInput, match="level"):
        one.interval("x").at(95)


def test_the_sentence_and_the_tables(found):
    assert found.sentence.startswith(
        "Error bars that hold for other levels of judge and variant like these are 3.00 times"
    )
    swapped = replace(found, facets={"judges": {"judge": 3, "order": 2}})
    assert swapped.sentence.startswith(
        "Error bars that hold for other levels of judge like these and either order are 3.00"
    )
    assert replace(found, facets={"judges": {"order": 2}}).sentence.startswith("Error bars that hold for either order ")
    frame = found.to_frame()
    assert frame.height == 4
    assert frame.columns == ["pipeline", "kind", "system", "value", "naive", "redrawn", "aware", "df", "ratio"]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["errors"][0]["systems"][1]["ratio"] is None
    assert plain["errors"][0]["systems"][1]["df"] is None
    with pytest.raises(UnknownTerm):
        found.of("single", "nobody")
