"""`quorate doctor`: what a file supports."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from quorate.cli.console import heading, points, say, whole
from quorate.cli.options import File, Group, Output, Reading, command, option
from quorate.cli.options.reading import save_options
from quorate.cli.spelling import as_command, in_options, place, shell
from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.diagnostics.diagnose import Diagnosis
    from quorate.estimate.doctor.support import Proposal, Support, VotesSupport
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

FOUND = 2


@dataclass(frozen=True, kw_only=True)
class Kept(Group):
    """What is kept of a proposal."""

    save: Path | None = option(
        "FILE",
        "Keep how the file is read, for --roles of every command: .yaml. One that is called .quorate.yaml, "
        "beside the file, is taken up by itself.",
        writable=True,
    )


@dataclass(frozen=True, kw_only=True)
class Further(Group):
    """What is looked at beyond what the file holds."""

    fit: bool = option(
        "",
        "Fit the default model too, and say what in it stands out; quorate analyze --check has more.",
        default=False,
        of="scores",
    )

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
    from quorate.estimate.doctor.support import doctor as support
    from quorate.reporting.page import Step
    from quorate.reporting.report import page_of
    from quorate.table.reading.reading import Unsure
    from quorate.table.reading.taken import beside

    plain = reading.roles is None and not (reading.given("scores") or reading.given("votes") or reading.status)
    given = context.obj if kept.save is None else _without_save(context.obj)
    command_line = given.replace("quorate doctor", "quorate analyze", 1)
    read: Judgments | Votes | None = None
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
        options = reading.kept()
        if plain:
            options = beside(file, reading.opening()) or getattr(proposal or proposed(file, reading), "options", {})
        save_options(options, kept.save)
    if found is not None:
        more: dict[str, Any] = {} if proposal is None else {"proposal": proposal.to_dict()}
        more |= {} if fitted is None else {"diagnosis": fitted.to_dict()}
        step = Step("To go on:", command_line) if found.ok else None
        also = () if fitted is None else page_of(fitted).sections
        out.show(found, source=read, also=also, next_step=step, **more)
    if proposal is not None and (found is None or not out.as_json):
        out.typeset(proposal, lambda console, one: _show_proposal(console, one, file, problem), error=problem)
    return 0 if found is not None and found.ok else FOUND


def _without_save(command_line: str) -> str:
    """The command as it was typed, without the option that no other command has."""
    words = shlex.split(command_line)
    place = next(at for at, word in enumerate(words) if word.partition("=")[0] == "--save")
    return shlex.join(words[:place] + words[place + (1 if "=" in words[place] else 2) :])


def proposed(file: Path, reading: Reading) -> Proposal | None:
    """How the file can be read otherwise; None if not otherwise than it was."""
    from quorate.errors import QuorateError
    from quorate.estimate.doctor.support import propose

    rows = {
        name: value for name, value in reading.arguments().items() if name in ("where", "partitions", "part", "format")
    }
    try:
        found = propose(file, **rows)
    except InvalidInput as error:
        if str(error).startswith("source: "):  # what the table holds is known, and cannot be read
            raise
        return None
    except QuorateError:  # said already, by who read it as it is
        return None
    return found if found.options != rows or found.kind is None else None


def _show_proposal(out: Console, found: Proposal, file: Path, problem: str) -> None:
    """Print how a file can be read, why, and the commands to copy."""
    from quorate.table.exchange.postgres.address import title_of
    from quorate.table.reading.reading import offered
    from quorate.table.reading.taken import BESIDE

    if problem:
        said = in_options(problem)
        say(out, f"{title_of(file)} cannot be read as it is: {said}" + "." * (said[-1:] not in "?."), style="bold")
    heading(out, f"It may hold {'labels' if found.options.get('labels') else found.kind}; read so")
    if found.problem:
        whole(out, f"  quorate doctor {place(file)} {shell(found.arguments)}")
        say(out, f"  Even so: {in_options(found.problem)}.")
    else:
        for way in offered(found.ways):
            whole(out, f"  {as_command(way, 'analyze', file, found.kind)}" + (f"  ({way.what})" if way.what else ""))
        whole(out, f"  quorate doctor {place(file)} --save {BESIDE}  (the first, kept for every command on such files)")
    whole(out, f"  {found.python}")
    points(out, [in_options(reason) for reason in found.reasons])
