"""Reproduction of published figures: the studies chosen, computed again and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.planning.designs.schemes import is_count
from quorate.reproduction.comparison import Compared, Ran, Reproduction, compared, held_together
from quorate.reproduction.data import Contents, contents
from quorate.reproduction.registry import chosen
from quorate.reproduction.samples import Chunk, Jobs, checked_jobs, chunks, collected, drawn
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Reanalysis
from quorate.streams import stream
from quorate.wording import listed

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
    jobs : int or "joblib"
        Processes; or ``"joblib"``, which takes the backend and the workers from `joblib.parallel_config`, such as those
        of a Dask or Ray cluster.
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
            outcome = Outcome({}) if missing else one.outcome(held, stream(seed, one.id))
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
