"""The application: its pages, and errors as pages."""

from __future__ import annotations

from starlette.testclient import TestClient

from quorate.web.serve import PAGES


def test_the_pages_are_there(served):
    site = served()
    with TestClient(site.app) as client:
        for path in ("/static/site.css", "/static/task.js", "/static/icon.svg"):
            assert client.get(path).status_code == 200
        assert client.get("/static/../app.py").status_code == 404
        assert "There is nothing here" in client.get("/nowhere").text
    assert len(PAGES) >= 3
