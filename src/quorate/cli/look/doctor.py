"""`quorate doctor`: what a file supports."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import console, heading, points, say, table, whole
from quorate.cli.look.diagnose import show as show_fit
from quorate.cli.options import File, For, Group, Output, Reading, command
from quorate.cli.options.roles_file import save_options
from quorate.cli.spelling import as_command, in_options, shell
from quorate.errors import InvalidData, InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.diagnostics.diagnose import Diagnosis
    from quorate.estimate.doctor.propose import Proposal
    from quorate.estimate.doctor.support import Support, VotesSupport
    from quorate.table.facts.describe import Description
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

FOUND = 2
MOST_LEVELS = 5
TERM = "component "
COLUMNS = {" ": "left", "  ": "left"}


@dataclass(frozen=True, kw_only=True)
class Kept(Group):
    """What is kept of a proposal."""

    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", writable=True, help="Keep how the file can be read, for --roles of every command: .yaml."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Further(Group):
    """What is looked at beyond what the file holds."""

    fit: Annotated[
        bool,
        For("scores"),
        typer.Option(
            "--fit", help="Fit the default model too, and say what in it stands out; quorate analyze --check has more."
        ),
    ] = False

    def diagnosis(self, table: Judgments | Votes, ok: bool) -> Diagnosis | None:
        """What stands out in the fit, where that is asked for and there is one."""
        from quorate.estimate.components.decompose import decompose
        from quorate.estimate.diagnostics.diagnose import diagnose
        from quorate.table.judgments import Judgments

        if not self.fit or not ok or not isinstance(table, Judgments):
            return None
        if table.labels:
            raise InvalidInput("--fit: is for scores, and these are labels; read the share of one with --label")
        return diagnose(decompose(table))


@command
def doctor(context: typer.Context, file: File, kept: Kept, further: Further, reading: Reading, out: Output) -> int:
    """What a file holds and supports, and what stands in the way.

    Where the columns have names of their own: which of them may be what, tried, and the command that reads the file so.
    """
    from quorate.errors import QuorateError
    from quorate.estimate.doctor.support import Support
    from quorate.estimate.doctor.support import doctor as support
    from quorate.table.reading.reading import Unsure

    plain = reading.roles is None and not (reading.given("scores") or reading.given("votes") or reading.status)
    if kept.save is not None and not plain:
        raise InvalidInput("--save: keeps what is proposed for a file; leave out the options that say how it is read")
    given = context.obj if kept.save is None else _without_save(context.obj)
    command_line = given.replace("quorate doctor", "quorate analyze", 1)
    found: Support | VotesSupport | None = None
    fitted: Diagnosis | None = None
    problem = ""
    try:
        read = reading.table(file, further)
        found = support(read)
        fitted = further.diagnosis(read, found.ok)
    except QuorateError as error:
        if not plain or further.fit:
            raise
        problem = error.problem if isinstance(error, Unsure) else str(error)
    proposal = proposed(file, reading) if plain and (found is None or not found.ok) else None
    if found is None and (proposal is None or proposal.kind is None):
        raise InvalidData(problem if proposal is None else f"{problem}; {proposal.problem}")
    if kept.save is not None:
        save_options({} if proposal is None else proposal.options, kept.save)
    if found is not None:
        verdict = show if isinstance(found, Support) else show_votes
        more = {} if proposal is None else {"proposal": proposal.to_dict()}
        more |= {} if fitted is None else {"diagnosis": fitted.to_dict()}
        out.typeset(found, lambda console, one: verdict(console, one, file.name, next_step=command_line), **more)  # type: ignore[arg-type]
    if fitted is not None and not out.as_json:
        console().print()
        show_fit(console(), fitted)
    if proposal is not None and (found is None or not out.as_json):
        out.typeset(proposal, lambda console, one: show_proposal(console, one, file, problem), error=problem)
    return 0 if found is not None and found.ok else FOUND


def _without_save(command_line: str) -> str:
    """The command as it was typed, without the option that no other command has."""
    words = shlex.split(command_line)
    place = next(at for at, word in enumerate(words) if word.partition("=")[0] == "--save")
    return shlex.join(words[:place] + words[place + (1 if "=" in words[place] else 2) :])


def proposed(file: Path, reading: Reading) -> Proposal | None:
    """How the file can be read otherwise; None if not otherwise than it was."""
    from quorate.errors import QuorateError
    from quorate.estimate.doctor.propose import propose

    rows = {name: value for name, value in reading.rows().items() if name != "only"}
    try:
        found = propose(file, **rows)
    except InvalidInput as error:
        if str(error).startswith("source: "):  # what the table holds is known, and cannot be read
            raise
        return None
    except QuorateError:  # said already, by who read it as it is
        return None
    given = {name: value for name, value in rows.items() if value}
    return found if found.options != given or found.kind is None else None


def show_proposal(out: Console, found: Proposal, file: Path, problem: str) -> None:
    """Print how a file can be read, why, and the commands to copy."""
    if problem:
        said = in_options(problem)
        say(out, f"{file.name} cannot be read as it is: {said}" + "." * (said[-1:] not in "?."), style="bold")
    heading(out, f"It may hold {'labels' if found.options.get('labels') else found.kind}; read so")
    if found.problem:
        whole(out, f"  quorate doctor {shlex.quote(str(file))} {shell(found.arguments)}")
        say(out, f"  Even so: {in_options(found.problem)}.")
    else:
        for way in found.ways:
            whole(out, f"  {as_command(way, 'analyze', file, found.kind)}" + (f"  ({way.what})" if way.what else ""))
    whole(out, f"  {found.python}")
    points(out, [in_options(reason) for reason in found.reasons])


def show(out: Console, found: Support, name: str, *, next_step: str) -> None:
    """Print the verdict, what the data are, what was found, and which analyses are possible."""
    closed = [one for one in found.analyses if not one.possible]
    if found.ok:
        possible = len(found.analyses) - len(closed)
        verdict = f"{name} can be analysed: {possible} of {len(found.analyses)} analyses are possible."
    else:
        errors = [one.sentence for one in found.findings if one.severity == "error"]
        verdict = f"{name} cannot be analysed as it is: " + (errors or [one.reason for one in closed])[0] + "."
    say(out, in_options(verdict), style="bold")
    show_data(out, found)
    if found.findings:
        heading(out, "Findings")
        table(out, COLUMNS, [(one.severity, in_options(one.sentence)) for one in found.findings])
    heading(out, "Enough for a pilot?")
    table(out, COLUMNS, [("yes" if one.met else "no", one.sentence) for one in found.floors])
    show_analyses(out, found)
    if found.ok:
        out.print()
        whole(out, f"Next: {next_step}")


def show_data(out: Console, found: Support) -> None:
    """Print how many judgments there are, their facets, how these meet, and what has no score."""
    from quorate.wording import counted, listed

    facts, balance = found.facts, found.facts.balance
    every = "all" if facts.answers == facts.rows else f"{facts.answers:,}"
    scores = f" score, from {facts.scores.low:g} to {facts.scores.high:g}" if facts.answers else " score"
    if found.labels:
        scores = f" label of {len(found.labels)}: {listed(found.labels, most=8)}"
    span = "" if balance.least == balance.most else f"{balance.least} to "
    say(
        out,
        f"{counted(facts.rows, 'judgment')}, {every} with a usable{scores}. {facts.cells:,} of "
        f"{balance.full:,.0f} cells of the full crossing, {span}{counted(balance.most, 'answer')} each"
        f"{': balanced' if balance.balanced else ''}.",
    )
    heading(out, "Facets")
    rows = [
        (one.name, one.column, f"{one.levels:,}", f"{kind}, inside {one.parent}" if one.parent else kind)
        for one in facts.facets
        for kind in ("fixed" if one.fixed else "random",)
    ]
    table(out, {"role": "left", "column": "left", "levels": "right", "taken as": "left"}, rows)
    roles = {facet.name for facet in facts.facets}
    others = [note.brief for note in found.notes if note.columns and note.role not in roles]
    if others:
        points(out, [f"other columns: {'; '.join(others)}"])
    said = [note for note in found.notes if not note.columns]
    if said:
        heading(out, "Read as")
        points(out, said)
    meetings = list(crossings(facts))
    if meetings:
        heading(out, "How they meet")
        points(out, meetings)
    if facts.answers < facts.rows:
        heading(out, f"Without a usable {'label' if found.labels else 'score'}")
        statuses = ", ".join(f"{one.rows:,} {one.name}" for one in facts.statuses)
        points(out, [f"by status: {statuses}", *missing(facts)])


def crossings(facts: Description) -> Iterator[str]:
    """Pairs of facets with two levels or more, those crossed completely together."""
    from quorate.wording import percent

    complete = [f"{one.a} × {one.b}" for one in facts.crossings if one.kind == "complete"]
    if complete:
        yield f"crossed completely: {', '.join(complete)}"
    for one in facts.crossings:
        if one.kind == "nested":
            yield f"nested: {one.a} in {one.b}"
        elif one.kind not in ("complete", "one level"):
            yield f"{one.kind}: {one.a} × {one.b}, {one.pairs:,} pairs ({percent(one.share)})"


def missing(facts: Description) -> Iterator[str]:
    """By facet, the levels at which most scores are missing."""
    from quorate.wording import percent

    for one in facts.missing:
        if len(one.levels) < 2:
            continue
        some = [level for level in range(len(one.levels)) if one.missing[level]]
        worst = sorted(some, key=lambda level, share=one.share: -share[level])[:MOST_LEVELS]  # type: ignore[misc]
        listed = ", ".join(f"{one.levels[level]} ({percent(one.share[level])})" for level in worst)
        rest = len(some) - len(worst)
        yield f"by {one.facet}: {listed}{f' and {rest:,} more' if rest else ''}"


def show_analyses(out: Console, found: Support) -> None:
    """Print what is possible, with the components on one line, and what is not, with shared reasons said once."""
    possible = [one for one in found.analyses if one.possible]
    terms = [one.name.removeprefix(TERM) for one in possible if one.name.startswith(TERM)]
    rows = [(one.name, one.reason) for one in possible if not one.name.startswith(TERM)]
    if possible:
        heading(out, "Possible")
        table(out, COLUMNS, [*rows, *([("components", ", ".join(terms))] if terms else [])])
    reasons: dict[str, list[str]] = {}
    for one in found.analyses:
        if not one.possible:
            reasons.setdefault(one.reason + (" (" + one.fix + ")" if one.fix else ""), []).append(one.name)
    if reasons:
        heading(out, "Not possible")
        points(out, (f"{', '.join(names)}: {in_options(reason)}" for reason, names in reasons.items()))


def show_votes(out: Console, found: VotesSupport, name: str, *, next_step: str) -> None:
    """Print what was read and found, and which analyses are possible."""
    possible = [one for one in found.analyses if one.possible]
    closed = [one for one in found.analyses if not one.possible]
    count = f"{len(possible)} of {len(found.analyses)} analyses of these votes are possible"
    say(out, f"{name} holds votes: {count}." if possible else f"{name} cannot be analysed as it is.", style="bold")
    columns = [note.brief for note in found.notes if note.columns]
    points(out, [*([f"columns: {'; '.join(columns)}"] if columns else []), *(n for n in found.notes if not n.columns)])
    if found.findings:
        heading(out, "Findings")
        table(out, COLUMNS, [(one.severity, in_options(one.sentence)) for one in found.findings])
    if possible:
        heading(out, "Possible")
        table(out, COLUMNS, [(one.name, one.reason) for one in possible])
    if closed:
        heading(out, "Not possible")
        points(
            out,
            (in_options(f"{one.name}: " + one.reason + (" (" + one.fix + ")" if one.fix else "")) for one in closed),
        )
    if found.ok:
        out.print()
        whole(out, f"Next: {next_step}")
