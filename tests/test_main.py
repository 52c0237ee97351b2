import builtins
import gc
import subprocess
import sys

import pytest

import quorate
from quorate.__main__ import main


@pytest.fixture(autouse=True)
def _collection():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_python_m_quorate_is_the_command():
    command = [sys.executable, "-m", "quorate", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"quorate {quorate.__version__}\n", "")


def test_nobody_reads_the_end_of_an_answer():
    """A pipe that is closed early: no traceback, and the code of a failure."""
    command = [sys.executable, "-m", "quorate", "--help"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=60) in (0, 1)
    assert said == ""


def test_ctrl_c_while_the_command_loads_is_one_line(monkeypatch, capsys):
    def interrupted(name, *rest):
        if name == "quorate.cli":
            raise KeyboardInterrupt
        return before(name, *rest)

    before = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", interrupted)
    code = main()
    monkeypatch.undo()
    assert (code, *capsys.readouterr()) == (130, "", "quorate: interrupted\n")


def test_cycles_are_looked_for_more_seldom(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["quorate", "--version"])
    assert main() == 0
    assert gc.isenabled()
    assert gc.get_threshold()[0] >= 100_000
