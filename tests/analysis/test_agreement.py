from __future__ import annotations

from quorate.analysis.agreement import AgreementView


def test_what_was_asked_is_there(agreed):
    view = agreed()
    assert view.best.pipeline == "careful"
    assert view.categories == ("easy", "hard")
    assert view.sentence == view.found.sentence
    assert view.caveats == ()
    content = view.to_dict()
    assert [one["judge"] for one in content["positions"]] == ["careful", "hasty"]
    assert len(content["cells"]["cells"]) == 4


def test_what_was_not_asked_is_not(agreed):
    content = AgreementView(agreed().found).to_dict()
    assert "positions" not in content
    assert "cells" not in content
