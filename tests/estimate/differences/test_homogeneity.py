import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.spread import UnlikeSystem, unlike_system

SIZES = {"item": 60, "judge": 3, "system": 4}


def scored(sd, seed=0, items=60, judges=2):
    """Systems of one mean before judges, each with its own spread from item to item, on the same items."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 1, (items, 1)) + rng.normal(0, 1, (items, len(sd))) * np.array(sd)
    score = own[:, None] + rng.normal(0, 0.1, (items, judges, len(sd)))
    item, judge, system = (axis.ravel() for axis in np.indices(score.shape))
    frame = pl.DataFrame({"item": item, "judge": judge, "system": [f"s{i}" for i in system], "score": score.ravel()})
    return q.read(frame, announce=False)


def test_the_system_that_varies_more_is_named_with_its_ratio():
    found = unlike_system(scored([1, 1, 1, 2], items=2000))
    assert (found.system, found.own, found.differs) == ("s3", True, True)
    assert found.ratio == pytest.approx(4, rel=0.15)
    assert found.p_value == 0.001
    assert unlike_system(scored([1, 1, 1, 2], items=2000)) == found


def test_systems_alike_are_not_tested_further(judged):
    found = unlike_system(judged(SIZES, fixed=()))
    assert found.ratio < 1.5
    assert (found.p_value, found.differs) == (1.0, False)


def test_what_pooling_does_to_standard_errors():
    """Variances 4, 1, 1, 1 are pooled as 7/4: of 5, 2 * 7/4, and of 2 as much."""
    assert UnlikeSystem("x", 4.0, 0.001, own=True).errors(4) == pytest.approx(((3.5 / 5) ** 0.5, 1.75**0.5))


def test_two_systems_that_share_some_items_are_compared_by_all_their_variance():
    table = scored([0.5, 3.0], items=80)
    assert unlike_system(table) is None  # all is shared: the difference has one variance
    some = table.keep((table.column("system") == 0) | (table.column("item") < 40))
    found = unlike_system(some)
    assert (found.system, found.own, found.differs) == ("s1", False, True)
    said = difference(some, "s0", "s1", method="joint").caveats
    assert "too short if it has fewer items" in next(one.sentence for one in said if one.code == "unlike-systems")


def test_items_of_each_system_and_how_often_they_were_judged():
    table = scored([1, 1, 3], items=90)
    item, system = table.column("item"), table.column("system")
    apart = table.keep(item % 3 == system)
    found = unlike_system(apart)
    assert (found.system, found.own, found.differs) == ("s2", False, True)
    once = apart.keep((apart.column("item") > 6) | (apart.column("judge") == 0))
    assert unlike_system(once).system == "s2"


def test_fewer_than_three_items_show_nothing(judged):
    assert unlike_system(judged({"item": 2, "judge": 3, "system": 3}, fixed=())) is None


@pytest.mark.calibration
def test_chance_seldom_makes_systems_unlike():
    rng = np.random.default_rng(1)
    found = [unlike_system(scored([1, 1, 1], seed=int(rng.integers(2**31)), items=12)) for _ in range(60)]
    tested = [one for one in found if one.p_value < 1]
    assert len(tested) > 10  # by chance, of 12 items
    assert sum(one.differs for one in found) <= 3
