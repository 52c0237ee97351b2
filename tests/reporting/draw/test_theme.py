from __future__ import annotations

import re
from importlib.resources import files

import pytest

from quorate.reporting.draw.marks import CORRECTED, KNOWN, MISSED, NAIVE, NOISE, OTHERS, colour, kind, palette

STYLE = files("quorate.reporting").joinpath("print", "page.css").read_text(encoding="utf-8")
WHITE, DARK = "#ffffff", "#14181d"


def luminance(code: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("code", sorted({CORRECTED, NAIVE, MISSED, NOISE, *KNOWN.values(), *OTHERS}))
@pytest.mark.parametrize("page", [WHITE, DARK])
def test_every_colour_stands_out_in_light_and_dark(code, page):
    assert contrast(code, page) >= 3 or (code == CORRECTED and page == DARK)


def test_blue_is_lighter_in_the_dark():
    lighter = re.findall(rf'="{CORRECTED}"\] {{ (?:stroke|fill): (#\w+); }}', STYLE)
    assert len(lighter) == 2
    assert all(contrast(code, DARK) >= 4 for code in lighter)


@pytest.mark.parametrize("theme", re.findall(r":root \{[^}]*\}", STYLE)[:2], ids=["light", "dark"])
def test_text_is_readable(theme):
    named = dict(re.findall(r"--(\w+): (#\w+);", theme))
    for text in ("text", "quiet", "accent", "warn"):
        assert min(contrast(named[text], named[ground]) for ground in ("page", "panel")) >= 4.5


def test_a_facet_has_one_colour():
    facets = ("item", "language", "judge", "order")
    assert colour("judge", facets) == colour("item:judge", facets) == palette(facets)["judge"]
    assert colour("language", facets) == palette(facets)["language"]
    assert len({colour(name, facets) for name in facets}) == 4
    assert colour("item + item:judge", facets) == colour("item", facets)
    assert colour("cell", facets) == colour("replicate[x]", facets) == NOISE


def test_kinds():
    assert [kind(name) for name in ("judge", "item:judge", "item:prompt + cell", "cell[x]", "cell + replicate")] == [
        "main",
        "interaction",
        "interaction",
        "noise",
        "noise",
    ]
