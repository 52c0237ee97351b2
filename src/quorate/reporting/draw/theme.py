"""Colours and chart settings: one colour per facet everywhere, legible on white, on black and on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quorate.estimate.components.model import CELL
from quorate.roles import REPLICATE

INK = "currentColor"
"""Text and axes take the colour of the text around the chart, so dark mode and print need no second chart."""

CORRECTED = "#0072B2"
NAIVE = "#7F7F7F"
MISSED = "#C77C00"
NOISE = "#7F7F7F"

KNOWN = {
    "item": "#3A96CC",
    "judge": "#D55E00",
    "prompt": "#009E73",
    "temperature": "#CC79A7",
    "category": "#999933",
}
"""Okabe and Ito's colours, sky blue a little darker so that it holds on white; olive is Tol's."""

OTHERS = ("#AA4499", "#8A6D3B", "#6A78C7", "#44A099")
SEQUENTIAL = ("#F0F5FA", "#08519C")
SHAPES = {"main": "circle", "interaction": "diamond", "noise": "square"}


def palette(facets: Sequence[str]) -> dict[str, str]:
    """A colour for every facet, the same for the same facet of the same study in every chart."""
    others = [name for name in facets if name not in KNOWN]
    return {**KNOWN, **{name: OTHERS[i % len(OTHERS)] for i, name in enumerate(others)}}


def colour(component: str, facets: Sequence[str]) -> str:
    """Colour of a component: its facet's; that of the later facet for an interaction; grey for cells and replicates.

    A sum of components takes the colour of its first.
    """
    first = component.partition(" + ")[0].partition("[")[0]
    if first in (CELL, REPLICATE):
        return NOISE
    return palette(facets).get(first.split(":")[-1], NOISE)


def kind(component: str) -> str:
    """Whether a component is a main effect, an interaction or noise, which is its shape in charts."""
    first = component.partition(" + ")[0].partition("[")[0]
    if first in (CELL, REPLICATE):
        return "noise"
    return "interaction" if ":" in first else "main"


def settings() -> dict[str, Any]:
    """Vega-Lite configuration shared by all charts."""
    text = {"labelColor": INK, "titleColor": INK}
    lines = {"gridColor": INK, "domainColor": INK, "tickColor": INK}
    faint = {"gridOpacity": 0.12, "domainOpacity": 0.4, "tickOpacity": 0.4}
    sizes = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8}
    return {
        "background": "transparent",
        "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
        "view": {"stroke": None, "continuousWidth": 300, "continuousHeight": 300},
        "axis": {**text, **lines, **faint, **sizes},
        "axisX": {
            "tickCount": 5,
            "labelOverlap": "greedy",
            "labelSeparation": 6,
            "labelFlush": False,
            "titleAnchor": "end",
        },
        "axisY": {"labelLimit": 180, "grid": False},
        "legend": {**text, "labelFontSize": 12, "titleFontSize": 12, "orient": "top", "titleFontWeight": "normal"},
        "text": {"color": INK, "fontSize": 12},
        "title": {"color": INK, "subtitleColor": INK, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
    }
