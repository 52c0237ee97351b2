import math

import pytest

from quorate.collect.runner.lane import Limits, Pace
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    "wrong", [{"tries": 0}, {"breaker": 1.5}, {"trips": True}, {"patience": -1.0}, {"lease": 0.0}, {"grace": math.nan}]
)
def test_limits_make_sense(wrong):
    with pytest.raises(InvalidInput, match=f"limits: {next(iter(wrong))} must be"):
        Limits(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"concurrency": 0}, {"concurrency": True}, {"first": 0}, {"first": 1.5}, {"rate": 0.0}, {"rate": math.inf}],
)
def test_paces_make_sense(wrong):
    with pytest.raises(InvalidInput, match=f"limits: {next(iter(wrong))} must be"):
        Pace(**wrong)


def test_a_judge_has_its_own_pace_or_that_of_all():
    limits = Limits(pace=Pace(8), paces={"a": Pace(2, rate=1.0)})
    assert limits.of("a") == Pace(2, 1.0)
    assert limits.of("b") == Pace(8)
