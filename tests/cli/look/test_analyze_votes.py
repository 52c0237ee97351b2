from __future__ import annotations

import pytest


def test_all_pairs(run, battles):
    ran = run("analyze", battles)
    assert (ran.code, ran.err) == (0, "")
    assert "1 of 3 pairs (33.3%" in " ".join(ran.out.split())
    full = " ".join(run("analyze", battles, "--full").out.split())
    assert "that share pairs times wider 80% of pairs" in full
    assert "z: how many standard errors the share of votes in a study is from one half" in full


def test_all_pairs_as_json(run, battles):
    found = run("analyze", battles, "--json", "--cluster", "judge").json
    assert len(found["power"]) == 3
    assert [one["by"] for one in found["dependence"]] == ["judge"]
    assert found["near_ties"]["count"] == 1
    assert [one["votes"] for one in found["equal_budget"]] == [50, 100, 200, 500, 1000]
    assert found["stability"]["first"] == 50


def test_a_report_on_all_pairs(run, battles, tmp_path):
    page = tmp_path / "votes.html"
    ran = run("analyze", battles, "--report", page)
    assert (ran.code, ran.err) == (0, "")
    assert "Report:" in ran.out
    assert page.read_text(encoding="utf-8").count("data-chart=") == 5
    text = tmp_path / "votes.md"
    assert run("analyze", battles, "--json", "--report", text).json["near_ties"]["count"] == 1
    assert "## Data health" in text.read_text(encoding="utf-8")
    assert "- command: quorate analyze" in text.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_report_on_two_with_charts_as_files(run, battles, tmp_path):
    page, charts = tmp_path / "two.html", tmp_path / "charts"
    ran = run("analyze", battles, "--a", "y", "--b", "z", "--report", page, "--charts", charts)
    assert (ran.code, ran.err) == (2, "")
    assert f"Report: {page}" in ran.out
    assert 'id="verdict"' in page.read_text(encoding="utf-8")
    assert {file.name for file in charts.iterdir()} >= {"verdict.svg", "stability.svg", "equal-budget.svg"}


@pytest.mark.slow
def test_the_verdict_on_two(run, battles):
    ran = run("analyze", battles, "--a", "x", "--b", "y", "--cluster", "prompt")
    assert ran.code == 0
    assert ran.out.startswith("x is better than y: x wins ")
    assert run("analyze", battles, "--a", "y", "--b", "x").code == 2
    open_ = run("analyze", battles, "--a", "y", "--b", "z", "--price", 0.5)
    assert open_.code == 2
    said = " ".join(open_.out.split())
    assert said.startswith("Undecided whether y or z is preferred")
    assert "no sign that they are alike" in said
    assert "decisive votes in 25 levels of judge" in said
    alone = run("analyze", battles, "--a", "y", "--b", "z", "--cluster", "none")
    assert "taken as independent" in " ".join(alone.out.split())


def test_what_is_claimed_decides_the_exit_code(run, battles):
    words = ["--a", "y", "--b", "z", "--margin", 0.15]
    assert run("analyze", battles, *words, "--claim", "equivalent").code == 0
    assert run("analyze", battles, *words, "--claim", "better").code == 2
    assert run("analyze", battles, *words, "--json").json["outcome"] == "equivalent"


def test_a_system_that_is_written_otherwise_is_named(run, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("model_a,model_b,winner\n" + "".join(f"online-A.0,s{i},model_a\n" for i in range(9)))
    ran = run("analyze", path, "--a", "online-A", "--b", "s1")
    assert ran.err == (
        'quorate: --a: no system "online-A"; did you mean "online-A.0"? '
        'there are "online-A.0", "s0", "s1", "s2", "s3" and 5 more\n'
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("analyze --a x", "--a, --b: give both systems, or neither"),
        ("analyze --a x --b q", '--b: no system "q"; there are "x", "y", "z"'),
        ("analyze --a x --b y --claim equivalent", "margin"),
        ("analyze --a x --b y --cluster colour", 'no role "colour"; there are'),
        ("analyze --minimum 100000", "100,000"),
        ("votes replay --budgets none", "--budgets: expects numbers such as"),
        (
            "votes replay --cluster colour",
            "which have prompt, prompt_type and judge; name its column: --role colour=COLUMN",
        ),
        (
            "votes replay --a x --b y --budgets 50",
            "--budgets: numbers from 57 to 600, got 50; screening takes 56 votes",
        ),
        ("analyze --margin .05", "--margin: is for two systems; name them as a and b"),
        ("analyze --ties half", "--ties: is for two systems"),
        ("votes replay --by prompt_type", "--by: is for two systems"),
        ("votes replay --a x --b y --margin .1", "--margin: is for all pairs; leave out --a and --b"),
        ("analyze --charts nowhere/charts", "--charts: nowhere/charts cannot be written"),
        ("analyze --report votes.txt", "--report: must end in .html, .md or .json"),
        ("analyze --within colour", '--within: no facet "colour"'),
        ("votes replay --budgets 5000000", "--budgets: no pair has more than 600 decisive votes"),
        ("votes replay --a x --b y --by colour", '--by: no facet "colour"'),
        ("votes replay --a x --b Y", '--b: no system "Y"; did you mean "y"? there are'),
    ],
)
def test_what_is_refused_in_one_line(run, battles, words, says):
    place = 2 if words.startswith("votes") else 1
    ran = run(*words.split()[:place], battles, *words.split()[place:])
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
