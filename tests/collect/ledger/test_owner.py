import subprocess
import sys

import pytest

from quorate.collect.budget import Budget
from quorate.collect.ledger import lease as ledger_owner
from quorate.collect.ledger.lease import here, is_gone

pytestmark = pytest.mark.skipif(not ledger_owner._PROC.joinpath("self/stat").exists(), reason="needs /proc")
SCRIPT = "from quorate.collect.ledger.lease import here; print(here(), flush=True); input()"


@pytest.fixture
def other():
    call = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_a_process_is_gone_when_it_is_killed_and_not_before(other):
    name = other.stdout.readline().strip()
    assert name != here()
    assert not is_gone(name)
    other.kill()
    assert other.wait() != 0
    assert is_gone(name)
    assert not is_gone(here())


def test_a_number_that_another_process_got_is_told_by_its_start():
    assert is_gone(f"{here()}1")


@pytest.mark.parametrize("name", ["elsewhere:1", "another/1:1:77", "host:12"])
def test_what_cannot_be_known_is_not_taken_as_gone(name):
    assert not is_gone(name)


def test_without_proc_nobody_is_known_to_be_gone(monkeypatch, tmp_path):
    name = here()
    monkeypatch.setattr(ledger_owner, "_PROC", tmp_path)
    assert here().count(":") == 1
    assert not is_gone(name)


def test_leases_of_a_process_that_is_gone_are_free_at_once(planned):
    ledger = planned(3)
    runner = ledger.enlist(1e6)
    ledger.lease(runner, "a", 2, Budget())
    assert ledger.expire() == 0
    ledger._connection.execute("UPDATE runners SET name = ?", (f"{here()}1",))
    assert ledger.expire() == 2
