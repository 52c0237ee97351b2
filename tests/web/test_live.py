"""The page of the owner."""

from __future__ import annotations


def test_it_says_how_far_everybody_is(served):
    site = served()
    site.browser("ana").answer("A")
    page = site.browser("")
    assert page.title == "study"
    assert "raters 2" in page.html
