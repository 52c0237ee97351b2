"""Steps of a long computation on several workers: processes of this machine, joblib's backend, or those of Dask."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.util import find_spec
from multiprocessing import get_context
from typing import TypeAlias, TypeVar

from quorate.arguments import argument
from quorate.errors import InvalidInput

Step = TypeVar("Step")
Found = TypeVar("Found")
Jobs: TypeAlias = int | str

_MOST = 1024
_ADDRESS = re.compile(r"(tcp|tls|ucx|wss?|inproc)://\S+")


def checked_jobs(jobs: object) -> Jobs:
    """A number of processes, the word for joblib, or the address of a scheduler.

    Raises
    ------
    InvalidInput
        If it is none of them, or what it takes is not installed.
    """
    if isinstance(jobs, int) and not isinstance(jobs, bool) and 1 <= jobs <= _MOST:
        return jobs
    needs = None
    if isinstance(jobs, str):
        needs = "joblib" if jobs == "joblib" else "distributed" if _ADDRESS.fullmatch(jobs) else None
    if not isinstance(jobs, str) or needs is None:
        raise InvalidInput(
            argument("jobs")
            + f': a whole number from 1 to {_MOST:,}, "joblib" or the address of a Dask scheduler, such '
            f"as tcp://10.0.0.1:8786, is needed, got {jobs!r}"
        )
    if find_spec(needs) is None:
        raise InvalidInput(argument("jobs") + f": {needs} is not installed; pip install {needs}")
    return jobs


def spread(work: Callable[[Step], Found], steps: Sequence[Step], jobs: Jobs = 1) -> Iterator[tuple[int, Found]]:
    """What comes of every step, with its place, as they are done.

    Parameters
    ----------
    work : callable
        Of a module, since it is sent to the workers.
    steps : sequence
        What it is called with.
    jobs : int or str
        Processes of this machine; "joblib", whose `parallel_config` names backend and workers; or the address of a Dask
        scheduler, whose workers have this package.

    Raises
    ------
    InvalidInput
        If there is no scheduler at the address.
    """
    if not steps:
        return
    if jobs == 1:
        yield from enumerate(map(work, steps))
    elif jobs == "joblib":
        from joblib import Parallel, delayed

        found: Iterable[Found] = Parallel(return_as="generator")(delayed(work)(step) for step in steps)
        yield from enumerate(found)
    elif isinstance(jobs, str):
        yield from _by_dask(work, steps, jobs)
    else:
        with ProcessPoolExecutor(min(jobs, len(steps)), mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(work, step): place for place, step in enumerate(steps)}
            try:
                for done in as_completed(waiting):
                    yield waiting[done], done.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def _by_dask(work: Callable[[Step], Found], steps: Sequence[Step], address: str) -> Iterator[tuple[int, Found]]:
    from distributed import Client
    from distributed import as_completed as each

    try:
        client = Client(address, set_as_default=False)
    except OSError as error:
        raise InvalidInput(argument("jobs") + f": no Dask scheduler answers at {address}") from error
    with client:
        waiting = {one: place for place, one in enumerate(client.map(work, steps, pure=False))}
        for one, found in each(waiting, loop=client.loop, with_results=True):
            yield waiting[one], found
