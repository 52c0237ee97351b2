"""What a table of judgments supports: facts, analyses, pilot floors, findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, overload

from quorate.estimate.doctor.analyses import COMPONENTS, analyses
from quorate.estimate.doctor.estimable import Analysis
from quorate.estimate.doctor.findings import Finding, findings
from quorate.estimate.doctor.votes_support import VotesSupport, doctor_votes
from quorate.estimate.means.configurations import configuration_facets
from quorate.roles import REPLICATE
from quorate.table.facts.describe import Description, describe
from quorate.table.judgments import Judgments, checked
from quorate.table.votes import Votes
from quorate.wording import counted

ITEMS, PROMPTS, REPLICATES, JUDGES = 30, 3, 3, 2
"""Fewest items, prompts, replicates per cell and judges of a pilot whose components are worth planning with."""

PROMPT, JUDGE = "prompt", "judge"
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
class Support:
    """What judgments support.

    Parameters
    ----------
    facts : Description
        Facets, crossing, balance, statuses.
    analyses : tuple of Analysis
        Every analysis, possible or not, with the reason and what would make it possible.
    floors : tuple of Floor
        What a pilot needs.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of str
        What reading took for granted.
    """

    facts: Description
    analyses: tuple[Analysis, ...]
    floors: tuple[Floor, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the variance components can be estimated and nothing found is an error."""
        possible = any(one.name == COMPONENTS and one.possible for one in self.analyses)
        return possible and not any(one.severity == "error" for one in self.findings)

    def analysis(self, name: str) -> Analysis:
        """The analysis of this name.

        Raises
        ------
        KeyError
            If there is none.
        """
        return {one.name: one for one in self.analyses}[name]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON."""
        listed = {name: [asdict(one) for one in getattr(self, name)] for name in ("analyses", "floors", "findings")}
        return {"ok": self.ok, "facts": self.facts.to_dict(), **listed, "notes": list(self.notes)}


@overload
def doctor(judgments: Judgments) -> Support: ...


@overload
def doctor(judgments: Votes) -> VotesSupport: ...


def doctor(judgments: Judgments | Votes) -> Support | VotesSupport:
    """Which analyses the judgments support, why not the others, and what is wrong with the judgments.

    The judgments are decomposed once, with the default terms; an analysis that is possible can still be imprecise.

    Parameters
    ----------
    judgments : Judgments or Votes
        From `quorate.read` or `quorate.read_votes`.

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
        return doctor_votes(judgments)
    facts = describe(checked(judgments))
    found = findings(judgments, facts)
    return Support(facts, analyses(judgments, facts), _floors(judgments, facts), found, judgments.notes)


def _floors(judgments: Judgments, facts: Description) -> tuple[Floor, ...]:
    """Floors of the object, of the facets it is measured with, and of the replicates; answered cells only."""
    answered = judgments.keep(judgments.n > 0) if judgments.n.any() else judgments
    item, sampled = answered.object, configuration_facets(answered)
    random = [name for name in sampled if name not in (PROMPT, JUDGE) and not answered.facet(name).fixed]
    out = [_floor(item, answered.n_levels(item), ITEMS, f"fewer leave every component that contains {item} unstable")]
    for name, floor in ((PROMPT, PROMPTS), (JUDGE, JUDGES)):
        if name in sampled:
            out.append(_floor(name, answered.n_levels(name), floor, _SHORT[name]))
        elif not random:
            sentence = f"no facet has the role {name}: it counts as 1, a pilot needs {floor}; {_SHORT[name]}"
            out.append(Floor(name, 1, floor, met=False, sentence=sentence))
    out += [_floor(name, answered.n_levels(name), PROMPTS, _SHORT[PROMPT].replace(PROMPT, name)) for name in random]
    return (*out, _replicates(facts))


def _floor(name: str, levels: int, floor: int, short: str) -> Floor:
    met = levels >= floor
    meaning = f"enough for a pilot ({floor})" if met else f"a pilot needs {floor}; {short}"
    return Floor(name, levels, floor, met, f"{counted(levels, name)}: {meaning}")


def _replicates(facts: Description) -> Floor:
    balance = facts.balance
    met = balance.median >= REPLICATES
    short = f"a pilot needs {REPLICATES}; with fewer the noise of a repeated judgment is unknown or barely known"
    meaning = f"enough for a pilot ({REPLICATES})" if met else short
    size = counted(balance.most, "answer")
    if balance.least < balance.most:
        size = f"{balance.least:,} to {balance.most:,} answers"
        meaning = f"half have {balance.median:g} or more; {meaning}"
    return Floor(REPLICATE, balance.median, REPLICATES, met, f"{size} per cell: {meaning}")
