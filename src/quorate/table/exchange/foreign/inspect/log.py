"""Logs of Inspect AI: one row for each grader of each attempt at a sample."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quorate import caveats
from quorate.caveats import Caveat
from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.foreign.inspect.attempts import HEADER, JOURNAL, Attempt, Log, read
from quorate.table.exchange.foreign.inspect.marks import ABSENT, FAILED, GRADES, MARKED_SINCE, OK, Mark, Scorer, Vote
from quorate.table.exchange.foreign.records import Records, beside, chosen
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


VERDICT = ".verdict"
"""What follows a scorer's name where what its panel came to is meant."""
_COLUMNS = ("item", "generation", "system", "judge", "prompt", "replicate", "score", "status", "task")
_SHOWN = 5


@dataclass(frozen=True)
class Part:
    """Scores that are read together: of one scorer, or under one key of its dictionary.

    Parameters
    ----------
    scorer : Scorer
        Who gives them.
    key : str
        The key, with a dot before it; empty if there is none.
    width : int
        Members of its panel whose scores are known one by one.
    verdict : bool
        Whether it is what a panel came to.
    dealt : bool
        Whether it is of Quorate's own panel, whose votes say whose they are: who has none was not asked.
    """

    scorer: Scorer
    key: str = ""
    width: int = 1
    verdict: bool = False
    dealt: bool = False

    @property
    def name(self) -> str:
        """As `part=` says it."""
        return f"{self.scorer.name}{self.key}{VERDICT if self.verdict else ''}"

    @property
    def hidden(self) -> int:
        """Members of a panel of which only what they came to is known."""
        return len(self.scorer.graders) if self.width == 1 and len(self.scorer.graders) > 1 else 0

    def judges(self) -> tuple[str, ...]:
        """Who gave the scores, one for each of a panel."""
        if self.width > 1:
            known = len(self.scorer.graders) == self.width
            return self.scorer.graders if known else tuple(f"{self.scorer.name} {k + 1}" for k in range(self.width))
        if self.hidden:
            return (f"panel of {self.hidden} ({self.scorer.reducer})",)
        return (f"{self.scorer.name} (panel)",) if self.verdict else self.scorer.graders or (self.scorer.name,)

    def marks(self, attempt: Attempt) -> tuple[Mark, ...] | None:
        """The marks of an attempt, one for each judge; None if it cannot be told whose they are."""
        given = attempt.given.get(self.scorer.name)
        if self.dealt:
            return tuple(vote.mark for vote in given.votes) if given and given.votes else None
        if given is None:
            return (Mark(ABSENT.score, FAILED if attempt.failed else OK),) * self.width
        if self.verdict:
            return (given.verdicts.get(self.key) or given.verdicts.get("", ABSENT),)
        return given.of(self.key, self.width)

    def votes(self, attempt: Attempt, judges: Sequence[str], several: bool) -> Iterator[Vote]:
        """The votes on an attempt: of everyone, or of those whom a panel that deals its judges asked.

        Parameters
        ----------
        judges : sequence of str
            Names of those who gave the scores, where the votes do not say.
        several : bool
            Whether judges of other parts may have the same names.
        """
        if not self.dealt:
            marks = self.marks(attempt) or (ABSENT,) * self.width
            yield from (Vote(judge, mark, None, attempt.epoch) for judge, mark in zip(judges, marks, strict=True))
        elif self.scorer.name in attempt.given:
            for vote in attempt.given[self.scorer.name].votes:
                yield vote._replace(judge=f"{vote.judge} ({self.name})") if several else vote


def claims(glance: Glance) -> bool:
    """Whether it is an archive with the members of a log, or JSON with the keys of one."""
    if not glance.block.startswith(b"PK\3\4"):
        record = glance.record
        return not glance.array and {"status", "eval"} <= record.keys() and bool({"plan", "results"} & record.keys())
    try:
        with zipfile.ZipFile(glance.path) as archive:
            return not {HEADER, JOURNAL}.isdisjoint(archive.namelist())
    except Exception:  # noqa: BLE001  cut off or damaged, in whatever way: what its first member is called decides
        return glance.block[30:].startswith((HEADER.encode(), JOURNAL.encode()))


def _read_log(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """The rows of a log: item, system, judge, replicate, score, status, task, its arguments and short metadata.

    Parameters
    ----------
    part : str, optional
        Scorers, or keys of their dictionaries (``rubric.helpful``), with commas; ``scorer.verdict`` for what a
        panel came to.

    Raises
    ------
    InvalidData
        If the log is not complete, or has no samples or no scores.
    InvalidInput
        If there are several scorers and none is named.
    """
    log = read(path)
    attempts = [attempt for attempt in log.attempts if not attempt.invalid]
    parts = {one.name: one for one in _parts(log, attempts, verdicts=part is not None)}
    found = {
        name: [mark.score for attempt in attempts for mark in one.marks(attempt) or (ABSENT,) * one.width]
        for name, one in parts.items()
    }
    taken = [parts[name] for name in chosen(part, found, "scorer")]
    words = {one.name for one in taken for attempt in attempts for mark in one.marks(attempt) or () if mark.foreign}
    extra = _extra(attempts)
    told = {key.casefold(): key for key in log.arguments if key.isprintable()}  # as DuckDB tells names apart
    arguments = {f"task_args.{key}": log.arguments[key] for key in told.values()}
    rows = Records(*_COLUMNS, *extra.values(), *arguments)
    labels = _labels(taken)
    unknown = Counter[str]()
    several_epochs = len({attempt.epoch for attempt in attempts}) > 1
    for attempt in attempts:
        also = {column: attempt.labels.get(key) for key, column in extra.items()} | arguments
        for one in taken:
            unknown[one.name] += one.marks(attempt) is None
            for vote in one.votes(attempt, labels[one.name], len(taken) > 1):
                rows.add(
                    item=attempt.item,
                    generation=attempt.epoch if one.dealt and several_epochs else None,
                    system=log.model,
                    judge=vote.judge,
                    prompt=vote.prompt,
                    replicate=vote.replicate,
                    score=(one.name in words and vote.mark.word) or vote.mark.score,
                    status=vote.mark.status,
                    task=log.task,
                    **also,
                )
    said = _caveats(log, taken, unknown)
    return rows.opened(connection, "scores", caveats=said, notes=_notes(log, attempts, taken))


def _parts(log: Log, attempts: Sequence[Attempt], *, verdicts: bool) -> Iterator[Part]:
    """What the attempts have scores of, in the order of the log's scorers."""
    widths: dict[tuple[str, str], int] = {}
    scored: set[tuple[str, str]] = set()
    panels: set[tuple[str, str]] = set()
    listed: set[str] = set()
    dealt: set[str] = set()
    for attempt in attempts:
        for name, given in attempt.given.items():
            listed |= {name} if given.listed else set()
            dealt |= {name} if given.votes else set()
            panels |= {(name, key) for key in given.verdicts}
            for key, marks in given.marks.items():
                widths[name, key] = max(widths.get((name, key), 1), len(marks))
                scored |= {(name, key)} if any(not mark.absent for mark in marks) else set()
    if not widths:
        raise _nothing(log, attempts)
    keyed = {name for name, key in widths if key}
    order = list(log.scorers)
    for name, key in sorted(widths, key=lambda one: order.index(one[0]) if one[0] in order else len(order)):
        if not key and name in keyed and (name, key) not in scored:
            continue  # attempts without a score have no keys
        known = log.scorers.get(name) or log.scorers.get(name.rsplit("/", 1)[-1]) or Scorer(name)
        scorer = replace(known, name=name)
        if name in dealt:
            yield Part(scorer, dealt=True)
        else:
            yield Part(scorer, key, max(widths[name, key], len(scorer.graders) if name in listed else 1))
        if verdicts and (name, key) in panels:
            yield Part(scorer, key, verdict=True)


def _nothing(log: Log, attempts: Sequence[Attempt]) -> InvalidData:
    """The error of a log in which there is nothing to read."""
    if not log.attempts:
        return InvalidData(f"{log.path}: has no samples: only its header was written (log_samples=False, or a copy)")
    if not attempts:
        return InvalidData(f"{log.path}: all of its {len(log.attempts):,} samples were declared invalid")
    if all(attempt.failed for attempt in attempts):
        return InvalidData(f"{log.path}: has no score: all of its {len(attempts):,} samples ended by an error")
    return InvalidData(f"{log.path}: has no score: run with no scorer, or not scored yet; run inspect score on it")


def _labels(taken: Sequence[Part]) -> dict[str, tuple[str, ...]]:
    """Names of the judges of each part; where two parts have the same, the part's name tells them apart."""
    counted = Counter(judge for part in taken for judge in part.judges())
    return {
        part.name: tuple(
            judge if counted[judge] == 1 else part.name if part.width == 1 else f"{judge} ({part.name})"
            for judge in part.judges()
        )
        for part in taken
    }


def _extra(attempts: Sequence[Attempt]) -> dict[str, str]:
    """The column of each key of the samples' metadata that says less than the id does."""
    levels: dict[str, set[str]] = {}
    for attempt in attempts:
        for key, value in attempt.labels.items():
            levels.setdefault(key, set()).add(value)
    items = len({attempt.item for attempt in attempts})
    return beside([key for key, values in levels.items() if len(values) < items], "metadata")


def _caveats(log: Log, taken: Sequence[Part], unknown: Mapping[str, int]) -> Iterator[Caveat]:
    if log.status != "success" or len(log.attempts) < log.planned:
        yield caveats.unfinished_log(log.status, len(log.attempts), log.planned)
    for part in taken:
        if part.hidden:
            yield caveats.only_the_verdict(part.scorer.name, part.hidden, part.scorer.reducer)
        if unknown[part.name] and part.dealt:
            yield caveats.judged_by_nobody(part.name, unknown[part.name], len(log.attempts))
        elif unknown[part.name]:
            yield caveats.votes_of_nobody(part.name, unknown[part.name], len(log.attempts))
    if log.version < MARKED_SINCE and any(part.scorer.graded for part in taken):
        yield caveats.failures_as_grades(".".join(map(str, log.version)))


def _notes(log: Log, attempts: Sequence[Attempt], taken: Sequence[Part]) -> Iterator[Note]:
    """What became what, and what was left out or is not as it was."""
    version = ".".join(map(str, log.version))
    epoch = "generation" if all(part.dealt for part in taken) else "replicate"
    yield Note(f"log of Inspect AI{version and f' {version}'}: item = id of the sample, {epoch} = epoch")
    for part in taken:
        if part.width > 1 and len(part.scorer.graders) != part.width:
            yield Note(f"the log does not name the {part.width} graders of {part.scorer.name}: numbered in its order")
        if part.verdict:
            yield Note(f"{part.name} is what {part.scorer.name} came to, no judgment of one judge")
    words = Counter(mark.word for one in taken for attempt in attempts for mark in one.marks(attempt) or ())
    if grades := [f"{word} = {GRADES[word]:g}" for word in GRADES if words[word]]:
        yield Note(f"grades: {', '.join(grades)}")
    if words["N"]:
        yield Note(f"{words['N']:,} grades are N, no answer: 0, as Inspect counts them")
    yield from _kept_and_left(log, attempts, taken)


def _kept_and_left(log: Log, attempts: Sequence[Attempt], taken: Sequence[Part]) -> Iterator[Note]:
    """Attempts that are not as the others are."""
    names = {part.scorer.name for part in taken}
    panels = {part.scorer.name for part in taken if part.width > 1}
    if limits := Counter(attempt.limit for attempt in attempts if attempt.limit):
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in limits.most_common())
        yield Note(f"attempts that met a limit, kept as they were scored: {kinds}")
    for of, now in ((names - panels, "count as they are now"), (panels, "are verdicts of a panel whose votes stay")):
        if edited := [who for attempt in attempts for name, who in attempt.editors.items() if name in of]:
            by = ", ".join(sorted({one for who in edited for one in who})[:_SHOWN])
            yield Note(f"scores changed after the run (by {by}), which {now}: {len(edited):,}")
    if kept := sum(attempt.failed and not names.isdisjoint(attempt.given) for attempt in attempts):
        yield Note(f"attempts that ended by an error and were scored all the same, kept: {kept:,}")
    if invalid := len(log.attempts) - len(attempts):
        yield Note(f"attempts declared invalid, left out: {invalid:,}")
    if log.repeated:
        yield Note(f"attempts that the log has twice, of which the last counts: {log.repeated:,}")


SIGHT = ("PK\3\4", '"eval"')
FORMAT = Format("inspect", _read_log, claims=claims, tool=True, holds=lambda _: "scores")
