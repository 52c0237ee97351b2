from __future__ import annotations

import json

import quorate as q


def test_both_chances(run, tmp_path):
    page = tmp_path / "page.md"
    ran = run("regress", "--sign-flip", "--beta", "-0.2", "--se", "0.1", "--ratio", "0.5", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    assert " ".join(ran.out.split()).startswith(q.scores.sign_flip(-0.2, 0.1, ratio=0.5).sentence)
    assert "The coefficient -0.2 would have the other sign" in page.read_text(encoding="utf-8")
    found = json.loads(run("regress", "--sign-flip", "--beta", "-0.2", "--se", "0.1", "--df", "8", "--json").out)
    assert found["differs"] == q.scores.sign_flip(-0.2, 0.1, df=8).differs
    assert run("regress", "--sign-flip", "--beta", "0.2", "--se", "0").code == 1
