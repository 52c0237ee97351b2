from __future__ import annotations

import altair as alt
import pytest

from quorate.reporting.draw.layers import layered


@pytest.mark.parametrize("apart", [False, True])
def test_the_specification_is_that_of_altair_itself(apart):
    base = alt.Chart(alt.InlineData(values=({"a": 1, "b": 2},))).encode(x="a:Q").properties(height=alt.Step(9))
    other = alt.Chart(alt.InlineData(values=[{"a": 3}])).mark_rule().encode(x="a:Q") if apart else base.mark_rule()
    layers = [base.mark_point(), other]
    own = alt.LayerChart(layer=layers, width=300, config=alt.Config(view=alt.ViewConfig(stroke=None)))
    made = layered(layers, width=300, config=alt.Config(view=alt.ViewConfig(stroke=None)))
    assert made.to_dict() == own.to_dict()
    assert (layers[0].height, layers[0].data) == (base.height, base.data)
