from pathlib import Path
from types import SimpleNamespace

import pytest

from quorate.cli.console import console
from quorate.cli.look.analysis import AnalysisFiles, show
from quorate.cli.options.output import Output
from quorate.errors import InvalidInput
from quorate.plan.search.whatif import WhatIf


def analysis(**parts):
    """As much of an analysis as the terminal shows."""
    empty = {
        "sources": (),
        "what_if": (),
        "purchases": (),
        "caveats": (),
        "answer": None,
        "price": None,
        "missing": None,
        "latent": None,
        "latent_reason": "",
        "diagnosis": SimpleNamespace(standing_out=()),
    }
    reasons = {"others": None, "others_reason": "", "readings": (SimpleNamespace(scope=""),)}
    return SimpleNamespace(**{"sentence": "Mean 1.", **empty, **reasons, **parts})


def shown(capsys, **parts):
    show(console(), analysis(**parts))
    return capsys.readouterr().out


def test_nothing_is_said_where_there_is_nothing_to_say(capsys):
    out = shown(capsys)
    assert out.startswith("Mean 1.\n\nWhere the uncertainty comes from\n")
    assert "What to do next\n  - These data do not say" in out
    assert "Caveats" not in out


@pytest.mark.parametrize(
    ("n", "lines", "last"), [(6, 6, "s5  1%  add s5"), (7, 6, "2 others  3%"), (9, 6, "4 others  10%")]
)
def test_at_most_six_sources_and_the_rest_together(capsys, n, lines, last):
    sources = tuple(SimpleNamespace(component=f"s{i}", share=(n - i) / 100, advice=f"add s{i}") for i in range(n))
    table = shown(capsys, sources=sources).split("\n\n")[1].splitlines()[2:]
    assert len(table) == lines
    assert table[-1].split() == last.split()


def test_designs_from_nothing_are_named_where_there_are_any(capsys):
    found = {"design": {"item": 74, "judge": 6, "replicate": 1}, "per_item": None, "places": None}
    best = SimpleNamespace(
        own=SimpleNamespace(se=0.14),
        same_cost=SimpleNamespace(se=0.104, calls=1680, layout="cyclic", **found),
        same_se=SimpleNamespace(se=0.138, calls=1, layout="latin", **found),
    )
    rows = (WhatIf("as it is", SimpleNamespace(se=0.14, calls=1800, cost=None), 0.0, 0, None),)
    out = shown(capsys, what_if=rows, optimum=best, priced=False)
    assert "- for the same number of calls: 74 items, 6 judges, one judge per item in turn; 1,680 calls, SE 0.104" in (
        " ".join(out.split())
    )
    assert "in turn; 1 call, SE 0.138" in " ".join(out.split())
    assert "A design from nothing" not in shown(capsys, what_if=rows, optimum=None, priced=False)


def test_the_page_is_where_it_is_said_unless_it_is_not_wanted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = AnalysisFiles(context=None)
    assert files.pages("a.html", Output()) == [Path("a.html")]
    assert files.pages("a.html", Output(as_json=True)) == []
    assert AnalysisFiles(context=None, no_report=True).pages("a.html", Output()) == []
    with pytest.raises(InvalidInput, match="--no-report: contradicts --report"):
        AnalysisFiles(context=None, no_report=True, report=[tmp_path / "b.html"])
