from __future__ import annotations

import json

from quorate.reporting.page import Caption, Figure, Page
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import as_json


def test_what_is_said_around_comes_first_and_what_is_not_known_is_null():
    facts = Figure("facts", Caption("Read"), [{"rows": 3}])
    page = Page("T", "S.", (), facts, "As usual.", lambda: {"se": float("nan"), "levels": ("a",)})
    found = json.loads(as_json(page))
    assert list(found) == ["title", "methods", "provenance", "se", "levels"]
    assert (found["se"], found["levels"]) == (None, ["a"])
    noted = Page("T", "S.", (), facts, "As usual.", dict, origin=Provenance(note="made up"))
    assert json.loads(as_json(noted))["note"] == "made up"
