import runpy
import sys

import pytest

import quorate


def test_python_m_quorate_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quorate", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("quorate", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"quorate {quorate.__version__}\n"
