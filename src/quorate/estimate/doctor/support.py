"""Support for analyses in a table of judgments or votes: its facts, what can be done, pilot floors, findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from quorate.estimate.components.decompose import is_default
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.doctor.analyses import COMPONENTS, Supported, analyses
from quorate.estimate.doctor.findings import (
    Finding,
    by_severity,
    findings,
    of_source,
    repeats_findings,
    unsaid_findings,
)
from quorate.estimate.means.families import configuration_facets
from quorate.roles import JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.facts.describe import Description, describe
from quorate.table.judgments import Judgments, table_of
from quorate.table.notes import Note
from quorate.table.read import read_first
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.table.facts.vote_facts import VoteFacts

ITEMS, PROMPTS, REPLICATES, JUDGES = 30, 3, 3, 2
"""Fewest items, prompts, replicates per cell and judges of a pilot whose components are worth planning with."""

_SHORT = {
    PROMPT: "below that the prompt component rests on 1 degree of freedom or none",
    JUDGE: "with one, nothing tells how another would score",
}


@dataclass(frozen=True)
class Floor:
    """One number that a pilot needs.

    Parameters
    ----------
    facet : str
        Role, or ``replicate``.
    levels : float
        Levels in the data; answers per cell, the median, for ``replicate``; 1 where there is no such facet.
    floor : int
        Fewest needed.
    met : bool
        Whether there are enough.
    sentence : str
        What it means, on one line.
    """

    facet: str
    levels: float
    floor: int
    met: bool
    sentence: str


@dataclass(frozen=True)
class Support(Result):
    """What judgments support.

    Parameters
    ----------
    facts : Description
        Facets, crossing, balance, statuses.
    analyses : tuple of Supported
        Every analysis, possible or not, with the reason and what would make it possible.
    floors : tuple of Floor
        What a pilot needs.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of Note
        What reading took for granted.
    labels : tuple of str
        Labels, where answers are no scores.
    """

    facts: Description
    analyses: tuple[Supported, ...]
    floors: tuple[Floor, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    labels: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether components, a mean or shares of labels can be estimated and nothing found is an error."""
        from quorate.estimate.doctor.analyses import MEAN, SHARES

        possible = any(self.analysis(name).possible for name in ([SHARES] if self.labels else [COMPONENTS, MEAN]))
        return possible and not any(finding.severity == "error" for finding in self.findings)

    def analysis(self, name: str) -> Supported:
        """The analysis of this name; a KeyError if there is none."""
        return {entry.name: entry for entry in self.analyses}[name]

    def rows(self) -> list[Row]:
        """Analyses, each with whether it is possible and why."""
        return [asdict(entry) for entry in self.analyses]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON."""
        lists = {name: [asdict(row) for row in getattr(self, name)] for name in ("analyses", "floors", "findings")}
        plain = {"ok": self.ok, "facts": self.facts.to_dict(), **lists, "notes": list(self.notes)}
        return plain | ({"labels": list(self.labels)} if self.labels else {})


@dataclass(frozen=True)
class VotesSupport(Result):
    """What votes support.

    Parameters
    ----------
    facts : VoteFacts
        Votes by outcome, pair, judge and prompt type; what repeats, gathers and hangs together.
    analyses : tuple of Supported
        Every analysis, possible or not, with the reason and what would make it possible.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of Note
        What reading took for granted.
    """

    facts: VoteFacts
    analyses: tuple[Supported, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]

    @property
    def ok(self) -> bool:
        """Whether the margin of some pair can be estimated and nothing found is an error."""
        from quorate.estimate.doctor.vote_findings import MARGINS

        return self.analysis(MARGINS).possible and not any(finding.severity == "error" for finding in self.findings)

    def analysis(self, name: str) -> Supported:
        """The analysis of this name; a KeyError if there is none."""
        return {entry.name: entry for entry in self.analyses}[name]

    def finding(self, code: str) -> Finding | None:
        """The finding with this code; None if it was not found."""
        return next((finding for finding in self.findings if finding.code == code), None)

    def rows(self) -> list[Row]:
        """Analyses, each with whether it is possible and why."""
        return [asdict(entry) for entry in self.analyses]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON."""
        lists = {name: [asdict(row) for row in getattr(self, name)] for name in ("analyses", "findings")}
        return {"ok": self.ok, "facts": self.facts.to_dict(), **lists, "notes": list(self.notes)}


@overload
def doctor(judgments: Judgments) -> Support: ...


@overload
def doctor(judgments: Votes) -> VotesSupport: ...


@read_first
def doctor(judgments: Judgments | Votes) -> Support | VotesSupport:
    """Which analyses the judgments support, why not the others, and what is wrong with the judgments.

    The judgments are decomposed once, with the default terms, labels each by itself; an analysis that is possible can
    still be imprecise.

    Parameters
    ----------
    judgments : Judgments or Votes
        From `quorate.read`, of scores or of labels, or `quorate.read_votes`.

    Returns
    -------
    Support or VotesSupport

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> support = doctor(q.read(frame))
    >>> support.ok, support.analysis("component replicate").reason
    (True, 'no cell was judged twice, so it is part of the cell component')
    """
    if isinstance(judgments, Votes):
        from quorate.estimate.doctor.vote_findings import vote_analyses, vote_findings

        facts_of_votes = judgments.describe()
        problems = by_severity([*of_source(judgments.source), *vote_findings(facts_of_votes)])
        return VotesSupport(facts_of_votes, vote_analyses(facts_of_votes), problems, judgments.notes)
    return support_of(judgments)


def support_of(judgments: Judgments, fit: Decomposition | None = None) -> Support:
    """`doctor` of judgments; one of their fits saves another one, if it is that with default options."""
    facts, labels = describe(table_of(judgments)), judgments.labels
    problems = [*findings(judgments, facts)]
    if labels:
        from quorate.estimate.doctor.analyses import label_analyses, label_findings

        possible = label_analyses(judgments, facts)
        problems += label_findings(judgments, facts)
    else:
        possible = analyses(judgments, facts, fit if fit is not None and is_default(fit) else None)
    if fit is None:  # rows are read again, for which an analysis does not wait
        problems += islice(repeats_findings(judgments), 1)
    found = by_severity([*problems, *unsaid_findings(judgments)])
    return Support(facts, possible, _floors(judgments, facts), found, judgments.notes, labels)


def _floors(judgments: Judgments, facts: Description) -> tuple[Floor, ...]:
    """Floors of the object, of the facets it is measured with, and of the replicates; answered cells only."""
    answered = judgments.keep(judgments.n > 0) if judgments.n.any() else judgments
    item, sampled = answered.object, configuration_facets(answered)
    random = [name for name in sampled if name not in (PROMPT, JUDGE, SYSTEM) and not answered.facet(name).fixed]
    floors = [_floor(answered, item, ITEMS, f"fewer leave every component that contains {item} unstable")]
    for name, floor in ((PROMPT, PROMPTS), (JUDGE, JUDGES)):
        if name in sampled:
            floors.append(_floor(answered, name, floor, _SHORT[name]))
        elif not random:
            sentence = f"no facet has the role {name}: it counts as 1, a pilot needs {floor}; {_SHORT[name]}"
            floors.append(Floor(name, 1, floor, met=False, sentence=sentence))
    floors += [_floor(answered, name, PROMPTS, _SHORT[PROMPT].replace(PROMPT, name)) for name in random]
    balance = facts.balance
    met = balance.median >= REPLICATES
    short = f"a pilot needs {REPLICATES}; with fewer the noise of a repeated judgment is unknown or barely known"
    meaning = f"enough for a pilot ({REPLICATES})" if met else short
    size = counted(balance.most, "answer")
    if balance.least < balance.most:
        size = f"{balance.least:,} to {balance.most:,} answers"
        meaning = f"half have {balance.median:g} or more; {meaning}"
    return (*floors, Floor(REPLICATE, balance.median, REPLICATES, met, f"{size} per cell: {meaning}"))


def _floor(judgments: Judgments, name: str, floor: int, short: str) -> Floor:
    levels = judgments.n_levels(name)
    met = levels >= floor
    meaning = f"enough for a pilot ({floor})" if met else f"a pilot needs {floor}; {short}"
    return Floor(name, levels, floor, met, f"{counted(levels, name)}: {meaning}")
