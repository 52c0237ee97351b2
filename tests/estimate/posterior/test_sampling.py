from __future__ import annotations

from dataclasses import replace

import pytest
from posteriors import posterior_of

import quorate as q
from quorate.errors import NotConverged
from quorate.estimate.posterior.posterior import refuse_unconverged
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False)


def test_chains_that_do_not_agree_are_refused_with_what_to_raise(table):
    found = posterior_of(q.decompose(table))
    r_hat = {**found.checks.r_hat, "item": 1.04}
    with pytest.raises(NotConverged, match=r"R-hat 1.040 of item, at most 1.01.*Use draws=1000 and warmup=400") as told:
        refuse_unconverged(replace(found, checks=replace(found.checks, r_hat=r_hat)), 500, 200)
    assert told.value.partial.variances == found.variances
    ess = {**found.checks.ess, "prompt": 100.0}
    with pytest.raises(NotConverged, match=r"100 effective draws of prompt, at least 400 are needed. Use draws=3000$"):
        refuse_unconverged(replace(found, checks=replace(found.checks, ess=ess)), 500, 200)
    ess["prompt"] = float("nan")
    with pytest.raises(NotConverged, match="nan effective draws of prompt"):
        refuse_unconverged(replace(found, checks=replace(found.checks, ess=ess)), 500, 200)
