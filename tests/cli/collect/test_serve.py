"""`quorate serve`: the links first, then the pages."""

from __future__ import annotations

import json

import pytest

STUDY = """\
items: items.jsonl
judges:
  ana: {kind: person}
  raters: {kind: people, seats: 2}
prompts: [score]
budget: {calls: 100}
"""


@pytest.fixture
def listened(tmp_path, monkeypatch):
    """Where it would have listened."""
    (tmp_path / "items.jsonl").write_text(json.dumps({"id": "q1", "prompt": "p", "response": "r"}))
    (tmp_path / "study.yaml").write_text(STUDY)
    places = []

    def listen(app, host, port):
        app.state.site.desk.close()
        places.append((host, port))

    monkeypatch.setattr("quorate.web.serve.listen", listen)
    return places


def test_links_are_shown_once(run, listened):
    ran = run("serve", "study.yaml", "--port", "9001")
    assert (ran.code, ran.err, listened) == (0, "", [("127.0.0.1", 9001)])
    assert [line.split(": ")[0].strip() for line in ran.out.splitlines()[1:5]] == [
        "owner",
        "ana",
        "raters 1",
        "raters 2",
    ]
    assert "/link/" not in run("serve", "study.yaml").out
    one = run("serve", "study.yaml", "--link", "raters 2", "--link", "owner")
    assert [line.split(": ")[0].strip() for line in one.out.splitlines()[1:3]] == ["owner", "raters 2"]
    assert (
        'links: nobody is called "raters 9"; there are owner, ana'
        in run("serve", "study.yaml", "--link", "raters 9").err
    )
    again = run("serve", "study.yaml", "--links", "--public", "--host", "0.0.0.0")
    assert again.out.count("/link/") == 4
    assert "Those from before end." in again.out
    assert "not encrypted" in again.out


def test_another_host_needs_a_word(run, listened):
    ran = run("serve", "study.yaml", "--host", "0.0.0.0")
    assert (ran.code, listened) == (1, [])
    assert ran.err.startswith("quorate: host: other machines can reach 0.0.0.0")
