"""What an assignment says of itself, where it refuses to."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.assign import assign


@pytest.mark.parametrize("effects", [{"a": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, {}])
def test_a_bias_needs_the_effect_of_every_judge(effects):
    with pytest.raises(InvalidInput, match="effects: one for each judge is needed"):
        assign(items=5, judges=["a", "b"]).bias(effects)


def test_weights_by_a_facet_that_is_not_there():
    with pytest.raises(UnknownTerm, match='no facet "prompt"'):
        assign(items=5, judges=["a", "b"]).weights(("prompt",))


@pytest.mark.parametrize("balanced", [-0.1, 1.1, float("nan")])
def test_a_mixture_lies_between_its_parts(balanced):
    one = assign(items=7, judges=["a", "b"], layout="cyclic")
    half = (one.weights() + one.weights(())) / 2
    np.testing.assert_allclose(one.weights(balanced=0.5), half)
    with pytest.raises(InvalidInput, match="balanced: must lie between 0"):
        one.weights(balanced=balanced)


def test_options_of_a_projection():
    one = assign(items=5, judges=["a", "b"], layout="weighted", places={"a": 2, "b": 1}, levels={"temperature": [0, 1]})
    options = one.project_options()
    assert options.pop("places") == {"a": 2, "b": 1}
    assert options == {
        "items": 5,
        "judges": 2,
        "levels": {"temperature": 2},
        "replicates": 1,
        "layout": "weighted",
    }


def test_what_it_shows_of_itself():
    assert repr(assign(items=5, judges=["a", "b"])) == "Assignment(5 calls; labels: item 5, judge 2)"
