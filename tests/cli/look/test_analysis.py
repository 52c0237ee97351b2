from pathlib import Path

import pytest

from quorate.cli.analyze import AnalysisFiles
from quorate.cli.options.output import Output
from quorate.errors import InvalidInput


def test_the_page_is_where_it_is_said_unless_it_is_not_wanted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = AnalysisFiles(context=None)
    assert files.by_default("a.html", Output()).report == [Path("a.html")]
    assert files.by_default("a.html", Output(as_json=True)).report == []
    assert AnalysisFiles(context=None, no_report=True).by_default("a.html", Output()).report == []
    with pytest.raises(InvalidInput, match="--no-report: contradicts --report"):
        AnalysisFiles(context=None, no_report=True, report=[tmp_path / "b.html"])
