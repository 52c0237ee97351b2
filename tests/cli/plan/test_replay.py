from __future__ import annotations

import pytest


def test_smaller_studies_of_the_same_votes(run, battles):
    ran = run("votes", "replay", battles, "--budgets", "50,200")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "50 independent" in said
    assert "200 prompt" in said
    assert all(one["wrong"] <= 0.1 for one in run("votes", "replay", battles, "--budgets", "200", "--json").json)


def test_studies_larger_than_the_votes_are_left_out(run, battles):
    ran = run("votes", "replay", battles, "--budgets", "50,601")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "Left out: studies of 601 votes; no pair has more than 600 decisive votes." in said
    aside = run("votes", "replay", battles, "--budgets", "50,601", "--json")
    assert {one["n"] for one in aside.json} == {50}
    assert aside.err.startswith("quorate: Left out: studies of 601 votes")


def test_a_study_is_of_pairs_that_have_as_many_votes(run, tmp_path):
    rows = ["x,y,model_a", "x,y,model_b"] * 300 + ["y,z,model_a", "y,z,model_b"] * 100
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    ran = run("votes", "replay", path, "--budgets", "50,100,500", "--full")
    assert "40 studies of 2 pairs with 50 and 100 votes; 20 studies of 1 pair with 500 votes." in " ".join(
        ran.out.split()
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [((), "No prompt is known of these votes: they"), (("--cluster", ""), "Votes are drawn one by one")],
)
def test_without_prompts_votes_are_drawn_one_by_one(run, tmp_path, words, says):
    path = tmp_path / "bare.csv"
    path.write_text("model_a,model_b,winner\n" + "x,y,model_a\nx,y,model_b\n" * 150)
    ran = run("votes", "replay", path, "--budgets", "50", *words)
    assert (ran.code, ran.err) == (0, "")
    assert says in " ".join(ran.out.split())
    assert " 50 independent" in " ".join(ran.out.split())


def test_sizes_below_screening_are_left_out_and_heads_are_whole(run, battles):
    ran = run("votes", "replay", battles, "--a", "x", "--b", "y", "--budgets", "50,200,500,1000")
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "Left out: studies of 50 and 1,000 votes; screening takes 56 votes of this pair, which has 600" in said
    assert "votes spent and tested found 200 proportional" in said


def test_one_type_of_prompts_cannot_be_screened(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("model_a,model_b,winner,prompt_type\n" + "x,y,model_a,t\nx,y,model_b,t\ny,z,model_a,\n" * 150)
    ran = run("votes", "replay", path, "--a", "x", "--b", "y")
    assert (ran.code, ran.out) == (1, "")
    assert (
        "are of one prompt_type; there is nothing to screen; name a facet with several types with --by ROLE" in ran.err
    )
    none = run("votes", "replay", path, "--a", "y", "--b", "z")
    assert 'no decisive vote between "y" and "z" has a prompt_type; nothing can be screened' in none.err


def test_types_of_prompts_first(run, battles):
    words = ["votes", "replay", battles, "--a", "x", "--b", "y", "--budgets", "200,300"]
    assert len(run(*words, "--json").json["power"]["proportional"]) == 2
