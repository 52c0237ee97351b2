"""What a table of votes supports: facts, analyses, findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from quorate.estimate.doctor.estimable import Analysis
from quorate.estimate.doctor.findings import Finding, by_severity, of_source
from quorate.estimate.doctor.vote_analyses import MARGINS, vote_analyses
from quorate.estimate.doctor.vote_findings import vote_findings
from quorate.table.facts.vote_facts import VoteFacts
from quorate.table.votes import Votes, checked_votes


@dataclass(frozen=True)
class VotesSupport:
    """What votes support.

    Parameters
    ----------
    facts : VoteFacts
        Votes by outcome, pair, judge and prompt type; what repeats, gathers and hangs together.
    analyses : tuple of Analysis
        Every analysis, possible or not, with the reason and what would make it possible.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of str
        What reading took for granted.
    """

    facts: VoteFacts
    analyses: tuple[Analysis, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the margin of some pair can be estimated and nothing found is an error."""
        return self.analysis(MARGINS).possible and not any(one.severity == "error" for one in self.findings)

    def analysis(self, name: str) -> Analysis:
        """The analysis of this name.

        Raises
        ------
        KeyError
            If there is none.
        """
        return {one.name: one for one in self.analyses}[name]

    def finding(self, code: str) -> Finding | None:
        """The finding with this code; None if it was not found."""
        return next((one for one in self.findings if one.code == code), None)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON."""
        listed = {name: [asdict(one) for one in getattr(self, name)] for name in ("analyses", "findings")}
        return {"ok": self.ok, "facts": self.facts.to_dict(), **listed, "notes": list(self.notes)}


def doctor_votes(votes: Votes) -> VotesSupport:
    """Which analyses the votes support, why not the others, and what is wrong with the votes.

    An analysis that is possible can still be imprecise. Tests behind findings take votes as independent.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.

    Returns
    -------
    VotesSupport

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> frame = polars.DataFrame({"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["model_a", "model_b"] * 20})
    >>> support = doctor_votes(read_votes(frame, announce=False))
    >>> support.ok, support.analysis("margin of each pair").reason
    (True, '1 of 1 pair with 30 decisive votes or more')
    """
    facts = checked_votes(votes).describe()
    return VotesSupport(
        facts, vote_analyses(facts), by_severity([*of_source(votes.source), *vote_findings(facts)]), votes.notes
    )
