"""The sections of the report of adaptive allocation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from quorate.analysis.allocation_words import COEFFICIENTS, arms_text
from quorate.analysis.labels import shown
from quorate.reporting import allocation_captions as captions
from quorate.reporting import allocation_figures as figures
from quorate.reporting import allocation_tables as tables
from quorate.reporting.draw.marks import known
from quorate.reporting.page import Caption, Figure, Section
from quorate.simulate.allocation.result import ROBIN_HOOD, UNIFORM

if TYPE_CHECKING:
    from quorate.analysis.allocation import AllocationView, Study

_POLICIES = {
    "error": "largest error, mean",
    "sd": "sd over runs",
    "rmse": "root mean square error",
    "saved": "budget saved, %",
    "low": "low, 95%",
    "high": "high, 95%",
}
_SETTINGS = {"warmup": "warm-up, pulls", "wce_mean": "largest error, mean", "saved": "budget saved, %"}
_CYCLES = {
    "design": "asked",
    "shift": "mean bias",
    "bias_squared": "squared bias",
    "off": "root mean square error",
    "largest": "largest error",
}


def allocation_sections(view: AllocationView) -> tuple[Section, ...]:
    """All sections but the last, the methods' own: by subject for one study, by level for several."""
    if view.by is None:
        return tuple(_parts(view.studies[0], ""))
    found = [_levels(view)]
    for number, study in enumerate(view.studies, 1):
        parts = list(_parts(study, f"-{number}"))
        text = tuple(line for part in parts for line in part.text)
        charts = tuple(figure for part in parts for figure in part.figures)
        found.append(Section(f"level-{number}", f"{shown(str(view.by))}: {shown(study.level)}", text, charts))
    return tuple(found)


def allocation_facts(view: AllocationView) -> Figure:
    """What was replayed, for the section on methods."""
    return Figure("replay", captions.facts(), tables.facts(view))


def _levels(view: AllocationView) -> Section:
    text = tuple(f"No study of {shown(level)}: {shown(why, 500)}." for level, why in view.reasons.items())
    rows = tables.levels(view)
    heads = {"level": shown(str(view.by)), "saved": "saved by ROBIN-HOOD, %", "low": "low, 95%", "high": "high, 95%"}
    chart = partial(figures.levels, view) if known(rows, "low") else None
    figure = Figure("levels", captions.levels(view), rows, chart, heads, unfolded=True)
    return Section("levels", f"Levels of {shown(str(view.by))}", text, (figure,))


def _parts(study: Study, mark: str) -> Iterator[Section]:
    yield _saving(study, mark)
    yield _arms(study, mark)
    if study.allocation.human:
        rows = tables.human(study)
        chart = partial(figures.human, study) if known(rows, *COEFFICIENTS) else None
        figure = Figure(f"human{mark}", captions.human(study), rows, chart, dict(COEFFICIENTS))
        yield Section("human", "Agreement with people", (), (figure,))
    if study.sweep is not None:
        rows, caption = tables.settings(study), captions.settings(study.sweep)
        figure = Figure(
            f"settings{mark}", caption, rows, partial(figures.settings, study.sweep), _SETTINGS, unfolded=True
        )
        yield Section("settings", "Other constants", (), (figure,))
    if study.cycles is not None:
        rows, caption = tables.cycles(study), captions.cycles(study.cycles)
        figure = Figure(
            f"cycles{mark}", caption, rows, partial(figures.cycles, study.cycles, rows), _CYCLES, unfolded=True
        )
        title = f"A whole panel against one {shown(study.cycles.facet, 30)}"
        yield Section("cycles", title, (), (figure,))


def _saving(study: Study, mark: str) -> Section:
    found = study.allocation
    text = (arms_text(study), *found.notes, *found.why)
    chart = Figure(f"curve{mark}", captions.curve(study), tables.curve(study), partial(figures.curve, study))
    ended = Caption(
        f"All policies after {found.budget:,} calls", ("Budget saved: at the error of uniform allocation.",)
    )
    final = Figure(f"policies{mark}", ended, tables.policies(study), None, _POLICIES)
    return Section("saving", "What it saves", text, (chart, final))


def _arms(study: Study, mark: str) -> Section:
    found, kinds = study.allocation, []
    for name, values, title in (("variances", found.variances, "variance"), ("means", found.means, "mean")):
        caption = getattr(captions, name)(study)
        chart = partial(figures.histogram, values, f"{title} of an arm", caption)
        kinds.append(Figure(f"{name}{mark}", caption, tables.histogram(values), chart))
    if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        rows = tables.profile(study)
        kinds.append(Figure(f"profile{mark}", captions.profile(study), rows, partial(figures.profile, study)))
    return Section("arms", "Where the noise is", (), tuple(kinds))
