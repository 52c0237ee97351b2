"""Reproduction of published figures: the studies chosen, computed again and compared."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, QuorateError, UnknownTerm
from quorate.frozen import dataclass
from quorate.planning.designs.schemes import is_count
from quorate.reproduction.comparison import Compared, Ran, Reproduction, compared, held_together
from quorate.reproduction.studies import archive, budget, cyclic, lee
from quorate.reproduction.studies.tee import components, coverage, printed, scoring
from quorate.reproduction.study import AnyStudy, Contents, Drawing, MonteCarlo, Reanalysis, Results, contents
from quorate.streams import stream
from quorate.wording import listed
from quorate.workers import Jobs, checked_jobs, spread
from quorate.writing import write_file

# The studies, in the order of their papers; one more is an entry in a file of ``studies/`` and a line here.


STUDIES: tuple[AnyStudy, ...] = (
    *(printed.SAFETY, printed.FRONTIER, printed.LIKERT, printed.PAIRWISE, printed.MMLU, printed.LOG_ODDS),
    *(printed.SINGLE, printed.BEST_OF, printed.PROPAGANDA),
    *(archive.PILOT, archive.TABLE_14, archive.SAFETY, archive.LIKERT, archive.FIG_4, archive.FIG_5, archive.TABLE_17),
    *(archive.FIG_21, archive.FIG_23, archive.FIG_6),
    *(components.CONVERGENCE, components.ADDITIVITY, components.HETEROSCEDASTIC, components.FEW_PROMPTS),
    *(components.EDGE, components.PORTABILITY, components.MISSPECIFIED),
    *(scoring.SCORING, scoring.PATHOLOGIES),
    *(coverage.STAIRCASE, coverage.AMBIGUITY, coverage.ARENA),
    *(cyclic.TABLE_1, cyclic.TABLE_2, cyclic.F, cyclic.STRATEGIES),
    *(lee.TABLES, lee.TWO_STAGES, lee.RISK, lee.CHATS, lee.WMT15, lee.REPLAY),
    *(budget.BOUNDS, budget.WORST_CASE, budget.PEOPLE),
)


def by_id(name: str) -> AnyStudy:
    """The study of this name."""
    return next(one for one in STUDIES if one.id == name)


def chosen(ids: Sequence[str]) -> tuple[AnyStudy, ...]:
    """Studies by their names, or by the first part of these; all without any.

    Raises
    ------
    InvalidInput
        If there is no such study.
    """
    for asked in ids:
        if not any(_is(one, asked) for one in STUDIES):
            raise UnknownTerm(asked, [one.id for one in STUDIES], "study")
    return tuple(one for one in STUDIES if not ids or any(_is(one, asked) for asked in ids))


def _is(study: AnyStudy, asked: str) -> bool:
    return study.id == asked or study.id.split(".")[0] == asked


# Replicates of studies: drawn in chunks, each replicate from its own random numbers, over cores, and kept.


@dataclass(frozen=True)
class Chunk:
    """Replicates of one law of a study, in a row: what a worker is asked for, wherever it is.

    Parameters
    ----------
    study, law : str
        Names.
    first, count : int
        The first replicate, and how many.
    seed : int
        Root of their random numbers.
    """

    study: str
    law: str
    first: int
    count: int
    seed: int

    def draw(self) -> Floats:
        """Its numbers, of shape (replicates, numbers); a replicate that could not be estimated is a row of nan."""
        made = _monte_carlo(self.study)
        rows: list[Floats] = []
        for replicate in range(self.first, self.first + self.count):
            rng = stream(self.seed, f"{self.study}/{self.law}/{replicate}")
            try:
                rows.append(np.asarray(made.replicate(made.laws[self.law], rng), dtype=float))
            except QuorateError:
                rows.append(np.full(1, np.nan))
        width = max(len(row) for row in rows)
        return np.array([row if len(row) == width else np.full(width, np.nan) for row in rows])

    def file(self, folder: Path) -> Path:
        """Where it is kept: under another name once the source of the study is another."""
        asked = f"{_source(self.study)}/{self.law}/{self.first}/{self.count}/{self.seed}"
        return folder / f"{self.study}-{hashlib.sha256(asked.encode()).hexdigest()[:20]}.npy"


def chunks(study: MonteCarlo, reps: int, seed: int) -> list[Chunk]:
    """All replicates of a study, cut the same way however many workers there are."""
    return [
        Chunk(study.id, law, first, min(study.chunk, reps - first), seed)
        for law in study.laws
        for first in range(0, reps, study.chunk)
    ]


def drawn(asked: Sequence[Chunk], jobs: Jobs = 1, folder: Path | None = None) -> Iterator[tuple[Chunk, Floats]]:
    """Chunks as they are done, those that are kept first.

    Parameters
    ----------
    asked : sequence of Chunk
        What is needed.
    jobs : int or str
        As for `reproduce`.
    folder : path, optional
        Where chunks are kept, each in a file of its own, written whole.
    """
    left = []
    for chunk in asked:
        numbers = None if folder is None else _kept(chunk.file(folder), chunk.count)
        if numbers is None:
            left.append(chunk)
        else:
            yield chunk, numbers
    for place, numbers in spread(Chunk.draw, left, jobs):
        chunk = left[place]
        if folder is not None:
            _keep(chunk.file(folder), numbers)
        yield chunk, numbers


def collected(study: MonteCarlo, parts: Mapping[Chunk, Floats]) -> dict[str, Floats]:
    """The numbers of all replicates of a study, by law, in order.

    Raises
    ------
    NotEstimable
        If no replicate of a law could be estimated.
    """
    out = {}
    for law in study.laws:
        own = [parts[chunk] for chunk in sorted(parts, key=lambda one: one.first) if chunk.law == law]
        width = max(part.shape[1] for part in own)
        padded = [part if part.shape[1] == width else np.full((len(part), width), np.nan) for part in own]
        out[law] = np.concatenate(padded)
        if np.all(np.isnan(out[law])):
            raise NotEstimable(f"{study.id}: no replicate of {law} could be estimated")
    return out


def _kept(path: Path, count: int) -> Floats | None:
    """Numbers of a file; None where there is none, or what there is was not written by us."""
    try:
        numbers = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = numbers.ndim == 2 and len(numbers) == count and numbers.dtype == float
    return numbers if whole else None


def _keep(path: Path, numbers: Floats) -> None:
    write_file(path, lambda part: np.save(part, numbers), "resume", mark=b"\x93NUMPY")


def _monte_carlo(name: str) -> MonteCarlo:
    return cast("MonteCarlo", by_id(name))  # chunks are made of such studies alone


@cache
def _source(name: str) -> str:
    """Digest of the file that a study is written in."""
    module = import_module(_monte_carlo(name).replicate.__module__)
    return hashlib.sha256(inspect.getsource(module).encode()).hexdigest()


_FEWEST = 10


def reproduce(
    ids: Sequence[str] = (),
    *,
    reps: int | None = None,
    quick: bool = False,
    seed: int = 1,
    data: str | Path | None = None,
    jobs: Jobs = 1,
    resume: str | Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Compute figures of the papers behind this package again, and say of each whether it agrees.

    Parameters
    ----------
    ids : sequence of str
        Studies, such as ``tee.safety``, or all of a paper: ``tee``, ``mc`` (its simulations), ``cyclic``, ``lee``,
        ``budget``. All of them by default, which takes many minutes; ``quick=True`` takes a few.
    reps : int, optional
        Replicates of every simulation, in place of those of the paper.
    quick : bool
        A tenth of the paper's replicates.
    seed : int
        Root of the random numbers; every replicate has its own, so that results are the same on any number of cores.
    data : path, optional
        Folder with files that are published elsewhere and are not part of the package, such as the replication archive
        of a paper; nothing is downloaded. A study whose files are not there says which it needs.
    jobs : int or str
        Processes; or the address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``, whose workers have this package;
        or ``"joblib"``, which takes the backend and the workers from `joblib.parallel_config`.
    resume : path, optional
        Folder in which replicates are kept as they are done: a run that was killed goes on there.
    on_progress : callable, optional
        Told how many chunks of replicates are done, and of how many.

    Returns
    -------
    Reproduction

    Raises
    ------
    InvalidInput
        If there is no such study, an argument is out of range, or a file of ``data`` is not what its name says.

    Notes
    -----
    A figure agrees if ours is within ``sqrt(t^2 + 9 e^2)``: t is the rounding of the paper or what it leaves open, e
    the Monte Carlo standard error of ours, with that of the paper's where it is known. Of some 200 simulated figures
    one may lie outside by chance. It is called a miss if it is too far off for any of them (Holm), or if more are
    outside than chance leaves; the two happen in at most 1 of 100 runs in which nothing is wrong, if figures are
    independent. Otherwise its verdict is "within chance": look at it with another seed, or more replicates. With
    several processes a script needs ``if __name__ == "__main__":``.

    References
    ----------
    Messing (2026), arXiv:2604.11581; Zhu et al. (2026), arXiv:2603.01865; Lee (2026); Saha et al. (2026),
    arXiv:2602.15481.

    Examples
    --------
    >>> import quorate as q
    >>> found = q.reproduce(["tee.safety"])
    >>> len(found.unexplained)
    0
    """
    studies = chosen([ids] if isinstance(ids, str) else ids)
    jobs = checked_jobs(jobs)
    if reps is not None and (quick or not is_count(reps) or reps < _FEWEST):
        raise InvalidInput(argument("reps") + f": a whole number of at least {_FEWEST} without quick, got {reps!r}")
    folder = None if resume is None else Path(resume)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    held = contents([need for one in studies if isinstance(one, Reanalysis) for need in one.needs], data)
    counts = {one.id: reps or (one.quick if quick else one.reps) for one in studies if isinstance(one, MonteCarlo)}
    asked = [chunk for one in studies if isinstance(one, MonteCarlo) for chunk in chunks(one, counts[one.id], seed)]
    parts: dict[str, dict[Chunk, Floats]] = {name: {} for name in counts}
    for done, (chunk, numbers) in enumerate(drawn(asked, jobs, folder), start=1):
        parts[chunk.study][chunk] = numbers
        if on_progress is not None:
            on_progress(done, len(asked))
    figures: list[Compared] = []
    runs: list[Ran] = []
    drawings: list[Drawing] = []
    for one in studies:
        failed, missing = 0, ""
        if isinstance(one, MonteCarlo):
            draws = collected(one, parts[one.id])
            failed = sum(int(np.isnan(numbers).all(axis=1).sum()) for numbers in draws.values())
            outcome = one.outcome(draws)
        elif isinstance(one, Reanalysis):
            missing = lacking(one, held)
            outcome = Results({}) if missing else one.outcome(held, stream(seed, one.id))
        else:
            outcome = one.outcome(stream(seed, one.id))
        figures += compared(one, outcome, missing, counts.get(one.id, 0))
        drawings += outcome.drawings
        runs.append(Ran(one.id, one.title, counts.get(one.id, 0), failed, missing))
    return Reproduction(held_together(figures), tuple(runs), seed, tuple(drawings))


def lacking(study: Reanalysis, held: Contents) -> str:
    """What a study needs that is not here, and how to give it; empty if all is."""
    missing = held.missing(study.needs)
    by_source = {one.source: [other.name for other in missing if other.source == one.source] for one in missing}
    files = "; ".join(f"{listed(names)} of {source}" for source, names in by_source.items())
    return "needs " + files + "; give " + argument("data", ...) if missing else ""
