from __future__ import annotations

import json

from quorate.analysis.words import content


def test_every_shape_is_json_without_what_json_cannot_hold(analysis):
    found = json.loads(json.dumps(content(analysis), allow_nan=False))
    assert found == analysis.to_dict()
    assert found["sentence"] == analysis.sentence
    assert found["setup"]["value"] == analysis.fit.mean.value
    assert [one["component"] for one in found["sources"]] == [one.component for one in analysis.sources]
    assert len(found["components"]) == len(analysis.fit.components)
    assert [one["label"] for one in found["what_if"]] == [one.label for one in analysis.what_if]
    assert (found["flags"] is None) == bool(found["flags_reason"])


def test_flagged_items_can_be_found_by_their_labels(demo):
    first = content(demo)["flags"]["flags"][0]
    assert first["labels"] == dict(demo.flags.flags[0].labels)
    assert first["variance"] == demo.flags.flags[0].variance


def test_the_panel_is_there_with_what_was_redrawn_or_the_reason(shape):
    found = content(shape("panel"))
    assert found["judge_panel"]["bias"]["overall"][0]["judge"] == "Claude"
    assert found["judge_panel"]["validation"]["system"] == shape("panel").judge_panel.drawn
    assert found["judge_panel_reason"] == ""
    gap = content(shape("panel, gap"))
    assert gap["judge_panel"] is None
    assert "has scored nothing of system" in gap["judge_panel_reason"]
