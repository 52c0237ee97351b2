import builtins
import gc
import runpy
import sys

import pytest

import quorate
from quorate.__main__ import main


@pytest.fixture(autouse=True)
def _collection():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_python_m_quorate_is_the_command(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "quorate.__main__")
    monkeypatch.setattr(sys, "argv", ["quorate", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("quorate", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"quorate {quorate.__version__}\n"


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
