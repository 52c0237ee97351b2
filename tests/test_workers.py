"""What comes of steps is the same on any workers; Dask is met where it is installed (`make engines`)."""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from types import ModuleType

import pytest

from quorate.errors import InvalidInput
from quorate.workers import checked_jobs, spread

STEPS = [5, 3, 8, 1, 9]
INSTALLED = ["dask"] if find_spec("distributed") else []


def done(jobs):
    return dict(spread(math.factorial, STEPS, checked_jobs(jobs)))


@pytest.fixture
def address(request):
    if request.param != "dask":
        yield request.param
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, processes=False, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.mark.parametrize("address", [1, 2, *INSTALLED], indirect=True)
def test_each_step_is_done_once_whoever_does_it(address):
    assert done(address) == {place: math.factorial(step) for place, step in enumerate(STEPS)}
    assert dict(spread(math.factorial, [], address)) == {}


def test_joblib_takes_its_own_backend(monkeypatch):
    """Steps are handed to `joblib.Parallel` without a number of jobs: its configuration has that."""
    module = ModuleType("joblib")

    class Parallel:
        def __init__(self, **options):
            assert options == {"return_as": "generator"}

        def __call__(self, tasks):
            return (function(step) for function, step in tasks)

    module.Parallel, module.delayed = Parallel, lambda function: lambda step: (function, step)
    module.__spec__ = object()
    monkeypatch.setitem(sys.modules, "joblib", module)
    assert done("joblib") == done(1)


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch):
    module = ModuleType("distributed")

    def refused(address, **_):
        raise OSError(address)

    module.Client, module.as_completed, module.__spec__ = refused, None, object()
    monkeypatch.setitem(sys.modules, "distributed", module)
    with pytest.raises(InvalidInput, match="jobs: no Dask scheduler answers at tcp://"):
        done("tcp://10.0.0.1:8786")


def test_jobs(monkeypatch):
    assert checked_jobs(3) == 3
    for wrong in (0, -1, 1.5, "dask", "//10.0.0.1", None, True, 1025):
        with pytest.raises(
            InvalidInput, match='jobs: a whole number from 1 to 1,024, "joblib" or the address of a Dask'
        ):
            checked_jobs(wrong)
    for missing, asked in (("joblib", "joblib"), ("distributed", "tls://10.0.0.1:8786")):
        monkeypatch.setitem(sys.modules, missing, None)
        with pytest.raises(InvalidInput, match=f"{missing} is not installed"):
            checked_jobs(asked)
