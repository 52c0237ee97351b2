from __future__ import annotations

import pytest

from quorate.reporting.print.html import made, script


@pytest.mark.slow
def test_the_script_is_what_the_pinned_vl_convert_makes():
    assert script() == made(), "run python -m quorate.reporting.print.html"


def test_the_script_names_its_licence_and_ends_no_element():
    assert "BSD-3-Clause" in script()[:400]
    assert "window.vegaEmbed" in script()
    assert "</script" not in script()
