"""Published figures: what the papers print, where, how near ours must come, and what is known to be wrong there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from quorate.estimate.components.published import Components, components

Rule = Literal["equal", "at least", "at most"]


@dataclass(frozen=True)
class Published:
    """One figure of a paper.

    Parameters
    ----------
    what : str
        What it is of.
    place : str
        Table, figure or section.
    value : float
        As printed.
    tolerance : float
        How far ours may be from it, Monte Carlo error apart; with that of the paper where ``error`` does not say it.
    error : float
        Monte Carlo standard error of the paper's, where it is known; else 0.
    rule : {"equal", "at least", "at most"}
        Whether it is a number, or a bound that the paper states.
    erratum : str
        Name of the erratum that explains why ours differs; empty where it should not.
    needs : str
        Why it cannot be computed again, and from what it could be; empty where it can.
    own : bool
        Whether the paper has no such figure, and this is what ours was when it was written down.
    returned : bool
        Whether ours is made of this very figure, so that it cannot differ.
    """

    what: str
    place: str
    value: float
    tolerance: float = 0.0
    error: float = 0.0
    rule: Rule = "equal"
    erratum: str = ""
    needs: str = ""
    own: bool = False
    returned: bool = False


@dataclass(frozen=True)
class Publication:
    """The papers: their titles, figures by study, and errata.

    Parameters
    ----------
    papers : mapping of str to str
        By the first part of the names of studies: authors, year, title and number.
    figures : mapping of str to tuple of Published
        By study.
    errata : mapping of str to str
        By name, such as ``E3``: what is wrong, and what is right.
    """

    papers: Mapping[str, str]
    figures: Mapping[str, tuple[Published, ...]]
    errata: Mapping[str, str]


@cache
def publication() -> Publication:
    """What ``figures.json`` holds."""
    content = _content("figures.json")
    figures = {study: tuple(Published(**one) for one in every) for study, every in content["figures"].items()}
    return Publication(content["papers"], figures, content["errata"])


@cache
def inputs() -> Mapping[str, Any]:
    """What ``inputs.json`` holds: components and tables that the papers or their archives publish, by name."""
    content: Mapping[str, Any] = _content("inputs.json")
    return content


def _content(name: str) -> Any:
    return json.loads(files("quorate.reproduction").joinpath(name).read_text(encoding="utf-8"))


def source_of(name: str) -> tuple[Components, dict[str, Any]]:
    """Published components of a study, and the design that they were found with as options of `quorate.project`."""
    content = inputs()[name]
    return components(content["random"], sensitivity=content["sensitivity"]), dict(content["design"])
