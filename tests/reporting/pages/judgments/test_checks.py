from __future__ import annotations

import studies

from quorate.reporting.pages.judgments.diagnosis import checks_section


def test_checks_of_the_demo():
    found = checks_section(studies.made("demo"))
    assert [figure.name for figure in found.figures] == ["checks", "thirds"]
    assert len(found.figures[0].rows) == len(studies.made("demo").diagnosis.checks)
    assert "quorate analyze --check" in found.text[-1]


def test_nothing_to_look_at_is_no_section():
    assert checks_section(studies.made("one judge")) is None or checks_section(studies.made("one judge")).figures
