"""The reporting checklist of the source paper, filled from the data, the fit and the study record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.analysis.judgments import Analysis
from quorate.analysis.words import about, shown, significant
from quorate.estimate.components.model import CELL
from quorate.reporting.paper.record import KEYS, Record, study_record
from quorate.roles import JUDGE, PROMPT, SYSTEM, TEMPERATURE
from quorate.table.columns.labels import ABSENT
from quorate.wording import capitalised, counted, decimals, listed, plural, whole_percent

REPORTED, MISSING, NOT_APPLICABLE = "reported", "missing", "not applicable"
MINIMUM, STANDARD, COMPREHENSIVE, FURTHER = "minimum", "standard", "comprehensive", "further"
PROJECTED = "projected precision"
_LONGEST = 400
_MOST_NAMED = 10


@dataclass(frozen=True)
class ChecklistItem:
    """One thing that a report should state.

    Parameters
    ----------
    tier : {"minimum", "standard", "comprehensive", "further"}
        What any evaluation states, what a good one does, what one does whose scores are used further; and what is not
        in the paper's table.
    name : str
        What to state.
    status : {"reported", "missing", "not applicable"}
        Whether the data or the record say it.
    text : str
        What they say; what to write down; or why it does not apply.
    keys : tuple of str
        Keys of the study record where it belongs; none where the data say it.
    """

    tier: str
    name: str
    status: str
    text: str
    keys: tuple[str, ...] = ()


_Found = tuple[str, str]


def checklist(analysis: Analysis, record: Record | Mapping[str, Any] | str | None = None) -> tuple[ChecklistItem, ...]:
    """What a report on these judgments should state, and whether the data or the study record say it.

    Nothing is claimed that neither shows: a record that does not cover every judge or prompt of the data, or says
    another number of replicates, leaves its item missing with what to correct.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, Table 15.
    """
    written = study_record(record)
    items = []
    for tier, name, keys, find in _ITEMS:
        excuse = written.excuse(*keys) if keys else None
        status, text = (NOT_APPLICABLE, excuse) if excuse is not None else find(analysis, written)
        items.append(ChecklistItem(tier, name, status, shown(text, _LONGEST), keys))
    return tuple(items)


def missing(items: Iterable[ChecklistItem]) -> tuple[ChecklistItem, ...]:
    """Those that are missing."""
    return tuple(one for one in items if one.status == MISSING)


def prompt_text(analysis: Analysis, record: Record) -> _Found:
    """Exact texts of prompts: in the record, or in a file that it names, for every prompt of the data."""
    texts, place = record.says("prompts"), record.says("prompt_file")
    if texts is None and place is None:
        return _wanted("prompts", 'or name the file under "prompt_file"')
    if place is not None:
        return REPORTED, f"in {listed(map(str, place)) if isinstance(place, (list, tuple)) else place}{_system(record)}"
    gap = _uncovered(analysis, PROMPT, texts)
    if gap:
        return MISSING, f"prompts: {gap}"
    count = 1 if isinstance(texts, str) else len(texts)
    return REPORTED, f"{counted(count, 'text')} in the record{_system(record)}"


def _system(record: Record) -> str:
    return ", with the system prompt" if record.says("system_prompt") is not None else "; system prompt not recorded"


def judges(analysis: Analysis, record: Record) -> _Found:
    """Judges by model, version and provider, and when they judged."""
    models, dates = record.says("models"), record.says("dates")
    if models is None:
        levels = analysis.judgments.facet(JUDGE).levels if JUDGE in analysis.judgments.names else ()
        more = f" and {len(levels) - _MOST_NAMED} more" if len(levels) > _MOST_NAMED else ""
        named = ", ".join(shown(level, 40) for level in levels[:_MOST_NAMED])
        seen = f"; the data name {named}{more}" if levels else ""
        return _wanted("models", f'and the dates under "dates"{seen}')
    gap = _uncovered(analysis, JUDGE, models)
    if gap:
        return MISSING, f"models: {gap}"
    entries = models.items() if isinstance(models, Mapping) else [("", models)] if isinstance(models, str) else []
    said = [f"{label}: {_spelled(entry)}" if label else _spelled(entry) for label, entry in entries]
    said = said or [str(entry) for entry in models]
    if dates is None:
        return MISSING, f'write under "dates": {KEYS["dates"].meaning} (models are recorded: {"; ".join(said)})'
    days = dates.values() if isinstance(dates, Mapping) else dates if isinstance(dates, (list, tuple)) else [dates]
    return REPORTED, f"{'; '.join(said)}; judged {' to '.join(map(str, days))}"


def temperature(analysis: Analysis, record: Record) -> _Found:
    """Temperature, from the data or the record."""
    said = record.says("temperature")
    if TEMPERATURE in analysis.judgments.names:
        levels = analysis.judgments.facet(TEMPERATURE).levels
        if ABSENT in levels and said is None:
            return _wanted("temperature", "the data have judgments without one")
        return REPORTED, f"{listed(map(shown, levels[:_MOST_NAMED]))}, in the data"
    return _wanted("temperature") if said is None else (REPORTED, _spelled(said))


def sampling(_: Analysis, record: Record) -> _Found:
    """Top-p and top-k; one of them is enough, as most providers have one."""
    said = {name: record.says(name) for name in ("top_p", "top_k")}
    found = [f"{name.replace('_', '-')} {_spelled(value)}" for name, value in said.items() if value is not None]
    return (REPORTED, ", ".join(found)) if found else _wanted("top_p", 'or "top_k"; the default of the provider counts')


def replications(analysis: Analysis, record: Record) -> _Found:
    """Judgments per cell, which the record may not contradict."""
    balance = analysis.support.facts.balance
    said = record.says("replicates")
    asked = int(analysis.judgments.rows.max())
    if said is not None and said != asked:
        return MISSING, f"replicates: the record says {said}, the data have up to {asked:,} rows per cell; correct one"
    span = f"{balance.most:,}" if balance.least == balance.most else f"{balance.least:,} to {balance.most:,}"
    return REPORTED, f"{span} usable of {asked:,} per cell"


def variants(analysis: Analysis, record: Record) -> _Found:
    """How many wordings there are, and where they come from."""
    count = analysis.judgments.n_levels(PROMPT) if PROMPT in analysis.judgments.names else 1
    made, original = record.says("prompt_variants"), record.says("original_prompt")
    if count < 2:
        return MISSING, "one prompt was used: at least two are needed to see what wording does"
    if made is None or original is None:
        keys = [key for key, said in (("prompt_variants", made), ("original_prompt", original)) if said is None]
        wanted = " and ".join(f'under "{key}": {KEYS[key].meaning}' for key in keys)
        return MISSING, f"{counted(count, 'variant')}; write {wanted}"
    whether = {True: "the first one among them", False: "the first one not among them"}.get(original, str(original))
    return REPORTED, f"{counted(count, 'variant')}, {whether}; {made}"


def sensitivity(analysis: Analysis, record: Record) -> _Found:
    """How far wordings differ."""
    said = record.says("prompt_sensitivity")
    if not analysis.several(PROMPT):
        return (REPORTED, said) if said is not None else _wanted("prompt_sensitivity", "or judge with two prompts")
    found = {one.name: one for one in analysis.fit.components}
    if PROMPT not in found:
        reason = analysis.effects_reasons.get(PROMPT, "the prompt component cannot be told apart from others")
        return MISSING, f"assessed, without a result: {reason}"
    prompt, share = found[PROMPT], analysis.widest.shares.get(PROMPT, 0.0)
    if prompt.kind == "random" and prompt.variance <= 0:
        return REPORTED, "assessed; the prompt variance is estimated at zero, the boundary, which is not proof of none"
    size = significant(prompt.variance**0.5, 2)
    return REPORTED, f"assessed; prompts differ by a standard deviation of {size}, {whole_percent(share)} of Var(mean)"


def infrastructure(_: Analysis, record: Record) -> _Found:
    """How models were run: quantization, serving, batch size."""
    keys = ("quantization", "serving", "batch_size")
    said = [f"{key.replace('_', ' ')}: {_spelled(record.says(key))}" for key in keys if record.says(key) is not None]
    left = [key for key in keys if record.says(key) is None and record.excuse(key) is None]
    if left:
        wanted = listed([f'"{key}"' for key in left])
        return MISSING, f"write under {wanted}, or why they do not apply" + (f" ({'; '.join(said)})" if said else "")
    return REPORTED, "; ".join(said)


def decomposition(analysis: Analysis, _: Record) -> _Found:
    """Variance components over judges, prompts and temperatures."""
    sampled = [name for name in (JUDGE, PROMPT, TEMPERATURE) if analysis.several(name)]
    if not sampled:
        return MISSING, "only one judge, prompt and temperature: their variances cannot be estimated"
    parts = [f"{shown(one.name, 40)} {significant(one.variance, 2)}" for one in analysis.fit.components]
    sums = [" + ".join(sorted(names)) for names in analysis.fit.aliases if names != {CELL, "replicate"}]
    note = f"; only as a sum: {'; '.join(sums)}" if sums else ""
    return REPORTED, f"over {listed(map(plural, sampled))}: {', '.join(parts)}{note}"


def projection(analysis: Analysis, _: Record) -> _Found:
    """The standard error, what most of it comes from, and what other designs would give."""
    known = [one for one in analysis.what_if if one.projection is not None]
    if not known or not analysis.sources:
        return MISSING, "these data do not say what another design would give"
    largest = analysis.sources[0]
    now = significant(analysis.setup.se, 2)
    return REPORTED, (
        f"standard error {now}, {whole_percent(largest.share)} of its square from {largest.component}; "
        f"{counted(len(known) - 1, 'other design')} projected"
    )


def rationale(analysis: Analysis, record: Record) -> _Found:
    """Why this design, and why its precision is enough."""
    if record.says("rationale") is not None:
        return REPORTED, str(record.says("rationale"))
    if analysis.several(SYSTEM):  # whose mean is not what is asked
        return _wanted("rationale")
    found = analysis.estimate
    return _wanted("rationale", f"the interval is {about(found, decimals(found.half_width))}; say why that is enough")


def missingness(analysis: Analysis, _: Record) -> _Found:
    """Rows without a usable score."""
    facts, absent = analysis.support.facts, analysis.fit.assembled.missing
    rows = facts.answers + absent
    if not absent:
        return REPORTED, f"every one of {counted(rows, 'row')} has a usable score"
    found = [f"{one.rows:,} {one.name}" for one in facts.statuses if one.name != "ok"]
    statuses = f" ({', '.join(found)})" if facts.rows == rows else ""  # a fit alone forgets cells without any answer
    return REPORTED, f"{absent:,} of {rows:,} rows without a usable score{statuses}"


def _written(key: str) -> Callable[[Analysis, Record], _Found]:
    """Finds what only a record can say."""

    def find(_: Analysis, record: Record) -> _Found:
        said = record.says(key)
        return _wanted(key) if said is None else (REPORTED, _spelled(said))

    return find


def _wanted(key: str, more: str = "") -> _Found:
    return MISSING, f'write under "{key}": {KEYS[key].meaning}' + (f". {capitalised(more)}" if more else "")


def _uncovered(analysis: Analysis, facet: str, entries: Any) -> str:
    """What the record leaves out of the levels of a facet; nothing where it covers them."""
    if facet not in analysis.judgments.names:
        return ""
    levels = analysis.judgments.facet(facet).levels
    if isinstance(entries, Mapping):
        labels = {str(label) for label in entries}
        left = [shown(level, 40) for level in levels if level not in labels]
        if not left:
            return ""
        more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        return f"nothing recorded for {', '.join(left[:_MOST_NAMED])}{more}"
    count = 1 if isinstance(entries, str) else len(entries)
    if count == len(levels):
        return ""
    return f"{count} recorded, the data have {len(levels):,}; write a mapping from the labels in the data"


def _spelled(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_spelled(part)}" for name, part in value.items() if part is not None)
    return ", ".join(map(_spelled, value)) if isinstance(value, (list, tuple)) else str(value)


_ITEMS: tuple[tuple[str, str, tuple[str, ...], Callable[[Analysis, Record], _Found]], ...] = (
    (MINIMUM, "exact prompt texts", ("prompts",), prompt_text),
    (MINIMUM, "judges: model, version, provider, date", ("models",), judges),
    (MINIMUM, "temperature", ("temperature",), temperature),
    (MINIMUM, "top-p and top-k", ("top_p", "top_k"), sampling),
    (MINIMUM, "judgments per cell", ("replicates",), replications),
    (MINIMUM, "from answer to score", ("parsing",), _written("parsing")),
    (STANDARD, "prompt variants and their origin", ("prompt_variants",), variants),
    (STANDARD, "sensitivity to wording", ("prompt_sensitivity",), sensitivity),
    (STANDARD, "how models were run", ("quantization", "serving", "batch_size"), infrastructure),
    (COMPREHENSIVE, "variance components", (), decomposition),
    (COMPREHENSIVE, PROJECTED, (), projection),
    (COMPREHENSIVE, "why this design", ("rationale",), rationale),
    (FURTHER, "missing judgments", (), missingness),
    (FURTHER, "origin of the items", ("items",), _written("items")),
    (
        FURTHER,
        "comparison with people",
        ("human_validation",),
        _written("human_validation"),
    ),
    (FURTHER, "seed of record", ("seed",), _written("seed")),
)
