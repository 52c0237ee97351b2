"""Replicates of studies: drawn in chunks, each replicate from its own random numbers, over cores, and kept."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, TypeAlias, cast

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, QuorateError
from quorate.planning.designs.schemes import is_count
from quorate.reproduction.registry import by_id
from quorate.reproduction.study import MonteCarlo
from quorate.streams import stream
from quorate.writing import write_file

Jobs: TypeAlias = int | Literal["joblib"]


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
    jobs : int or "joblib"
        Processes of this machine; or the backend and the workers that `joblib.parallel_config` names.
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
    for chunk, numbers in _computed(left, jobs):
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


def checked_jobs(jobs: object) -> Jobs:
    """A number of processes, or the word for joblib.

    Raises
    ------
    InvalidInput
        If it is neither, or joblib is not installed.
    """
    if jobs == "joblib":
        from importlib.util import find_spec

        if find_spec("joblib") is None:
            raise InvalidInput(argument("jobs") + ": joblib is not installed; pip install joblib")
        return "joblib"
    if not is_count(jobs, 1024):
        raise InvalidInput(argument("jobs") + f': a whole number from 1 to 1,024 or "joblib" is needed, got {jobs!r}')
    return int(jobs)  # type: ignore[call-overload, no-any-return]  # a count


def _computed(asked: Sequence[Chunk], jobs: Jobs) -> Iterator[tuple[Chunk, Floats]]:
    if not asked:
        return
    if jobs == "joblib":
        from joblib import Parallel, delayed  # type: ignore[import-not-found, import-untyped, unused-ignore]

        found: Iterable[Floats] = Parallel(return_as="generator")(delayed(Chunk.draw)(chunk) for chunk in asked)
        yield from zip(asked, found, strict=True)
    elif jobs == 1:
        for chunk in asked:
            yield chunk, chunk.draw()
    else:
        with ProcessPoolExecutor(min(jobs, len(asked)), mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(chunk.draw): chunk for chunk in asked}
            try:
                for done in as_completed(waiting):
                    yield waiting[done], done.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


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
