"""A judge's key is sent to the judge and is nowhere else, whatever the endpoint does with it."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

CANARY = "sk-canary/5f2e+9d=="
FORMS = (CANARY, quote(CANARY, safe=""), base64.b64encode(CANARY.encode()).decode(), CANARY.encode().hex())
ECHOES = (
    *("echo", "echo-error", "echo-401", "echo-escaped", "echo-base64", "echo-redirect", "echo-long"),
    *("huge-headers", "half-body", "reset", "no-http", "bad-status"),
)
LOGGED = """
import logging, sys
logging.basicConfig(level=logging.DEBUG)
from quorate.cli import main
sys.exit(max(main(words) for words in (["run", sys.argv[1], "--yes", "--debug"], ["status", sys.argv[1], "--json"])))
"""


@pytest.mark.slow
def test_it_is_in_no_file_and_in_no_line(panel, serve, start, ended, command, tmp_path):
    server = serve("hostile.py", "--seconds", 120)
    settings = {"params": {"max_tokens": 20}, "key_env": "QUORATE_CANARY", "kind": "endpoint"}
    judges = {
        name: {**settings, "base_url": f"http://127.0.0.1:{server.port}/{name}/v1", "model": name} for name in ECHOES
    }
    path = panel(server.port, 3, temperatures=None, prompts=["score"], tries=1, budget={"calls": 60}, judges=judges)
    ran = ended(start(path, code=LOGGED, QUORATE_CANARY=CANARY))
    assert ran.code == 2
    sent = [said for said in server.ask("headers") if said.get("authorization") == f"Bearer {CANARY}"]
    assert len(sent) == sum(server.ask("stats")["done"].values()) > 20
    assert "httpcore2" in ran.err
    analysed = command("analyze", path.with_suffix(".db"), "--report", tmp_path / "report.html")
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    said = ran.out + ran.err + analysed.out + analysed.err
    for form in FORMS:
        assert form not in said
        assert form.encode() not in kept
    assert {file.suffix for file in tmp_path.iterdir()} >= {".db", ".yaml", ".jsonl"}


@pytest.mark.parametrize("value", ["", "sk-canary 5f2e9d", "sk-canary\n5f2e9d", "sk-canary-\u00fc"])
def test_what_is_no_key_is_said_before_the_price_and_not_shown(panel, command, monkeypatch, value):
    monkeypatch.setenv("QUORATE_CANARY", value)
    path = panel(9, 3, judge={"key_env": "QUORATE_CANARY"})
    ran = command("run", path, "--debug")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[-1].startswith('quorate: judge "a": the environment variable QUORATE_CANARY ')
    assert "canary" not in ran.err
    assert command("run", path, "--quote").code == 0
