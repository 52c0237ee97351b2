from __future__ import annotations

import pytest


@pytest.fixture
def path(tmp_path):
    lines = [
        f"x,y,{winner},p{i % 40},a{i % 7}" for i, winner in enumerate(["model_a", "model_b", "model_a", "tie"] * 30)
    ]
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,winner,prompt,judge\n" + "\n".join(lines) + "\n")
    return out


def test_what_votes_support(run, path):
    ran = run("doctor", path)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "Read as: model_a; model_b" in said
    full = " ".join(run("doctor", path, "--full").out.split())
    assert "margin of each pair 1 of 1 pair with 30 decisive votes or more" in full
    assert run("doctor", path, "--json").json["ok"] is True


def test_few_votes_are_a_finding(run, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_a\n")
    assert run("doctor", path).code == 2


def test_other_columns_and_labels(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,result\n" + "x,y,L\ny,x,R\nx,y,draw\n" * 20)
    words = ["--model-a", "left", "--model-b", "right", "--winner", "result"]
    labels = ["--outcome", "a=L", "--outcome", "b=R", "--outcome", "tie=draw"]
    ran = run("doctor", path, *words, *labels, "--json")
    assert ran.code == 0
    assert ran.json["facts"]
