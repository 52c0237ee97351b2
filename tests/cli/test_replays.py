from __future__ import annotations

import numpy as np
import polars as pl
import pytest

HOSTILE = ("<b>", "=1+1", "\x1b[31m")


@pytest.fixture
def path(tmp_path):
    """Two dimensions, of noisy and of constant items; six judged by y too; the human score depends on the item."""
    rng = np.random.default_rng(1)
    lines = ["item,dimension,judge,replicate,score,human,by_dimension\n"]
    for dimension in ("noisy", "flat"):
        for item in range(30):
            for judge in "xy":
                for r in range(8):
                    noise = round(rng.normal(0, 0.1 + (item % 5 == 0))) if dimension == "noisy" else 0
                    lines.append(f"i{item},{dimension},{judge},{r},{3 + noise},{item % 4},{item}{len(dimension)}\n")
    path = tmp_path / "scores.csv"
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_one_study_with_people(run, path):
    ran = run(
        "plan",
        "--adaptive",
        path,
        "--budget",
        2000,
        "--only",
        "dimension=noisy",
        "--only",
        "judge=x",
        "--human",
        "human",
    )
    assert (ran.code, ran.err) == (0, "")
    assert "policy largest error sd saved, % 95% interval" in ran.said
    assert "not used: by_dimension" in ran.said


@pytest.mark.parametrize(("scale", "step"), [("0:9", 1), ("0,2.5,5,7", 2)])
@pytest.mark.slow
def test_the_floor_goes_by_the_declared_scale(run, path, scale, step):
    words = ("plan", "--adaptive", path, "--budget", 4000, "--only", "dimension=noisy", "--runs", 50)
    ran = run(*words, "--scale", scale, "--json")
    assert ran.json["studies"][0]["step"] == step
    assert ran.json["studies"][0]["notes"] == []


@pytest.mark.slow
def test_few_runs_have_no_interval(run, path):
    ran = run("plan", "--adaptive", path, "--budget", 4000, "--only", "dimension=noisy", "--runs", 19)
    assert ran.code == 2
    assert "ROBIN-HOOD  " in ran.out
    assert "95% interval" not in ran.out


@pytest.mark.slow
def test_rows_of_several_dimensions_are_not_mixed(run, path):
    ran = run("plan", "--adaptive", path, "--budget", 4000)
    assert (ran.code, ran.out) == (1, "")
    assert "480 rows repeat a key" in ran.err
    assert "name dimension, which tells them apart" in ran.err


def test_levels_side_by_side_and_one_that_cannot_be_studied(run, path):
    ran = run("plan", "--adaptive", path, "--budget", 4000, "--by", "dimension", "--runs", 10)
    assert ran.code == 2
    assert ran.said.startswith("noisy: ROBIN-HOOD needs")


@pytest.mark.slow
def test_a_panel_in_whole_cycles_with_other_constants(run, path):
    words = ("--budget", 4000, "--only", "dimension=noisy", "--cycle", "judge", "--sweep", "--runs", 5)
    ran = run("plan", "--adaptive", path, *words, "--json")
    assert ran.json["studies"][0]["cycles"]["rows"]


@pytest.mark.slow
def test_a_single_run_is_undecided(run, path):
    ran = run("plan", "--adaptive", path, "--budget", 2000, "--only", "dimension=noisy", "--runs", 1)
    assert ran.code == 2
    assert "1 runs" not in ran.out


def test_json_and_a_report_with_charts(run, path, tmp_path):
    words = ("plan", "--adaptive", path, "--budget", 2000, "--only", "dimension=noisy", "--runs", 5, "--seed", 3)
    found = run(*words, "--json", "--report", "page.html", "--charts", "charts").json
    assert found["studies"][0]["seed"] == 3
    assert found["studies"][0]["sweep"] is not None
    assert (tmp_path / "charts" / "curve.svg").exists()
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "quorate plan --adaptive" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "missing option '--budget'"),
        ("--budget 100 --only dimension=noisy", "budget: ROBIN-HOOD begins with 20 pulls"),
        ("--budget 2000 --by colour", 'no column "colour"'),
        ("--budget 2000 --by item", "by: a facet that is neither measured"),
        ("--budget 2000 --human by_dimension", "several values"),
        ("--budget 2000 --charts x", "--charts: they are those of the report"),
        ("--budget 2000 --by a=b", 'give that column a name: --facet NAME="a=b" --by NAME'),
        ("--budget 2000 --only dimension=noisy --seed -1", "seed"),
        ("--budget 2000 --scale low", '--scale: possible scores such as 1:5, or 0,0.5,1, got "low"'),
        ("--budget 2000 --scale 5:5", '--scale: possible scores such as 1:5, or 0,0.5,1, got "5:5"'),
        ("--budget 2000 --scale 1:9999999999", "--scale: possible scores such as"),
        (
            "--budget 2000 --only dimension=noisy --scale 20:30",
            "scale: possible scores from 20 to 30, but an answer is",
        ),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    assert says in run("plan", "--adaptive", path, *words.split()).refused()


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("item,score\n", "has no rows"),
        ("item,score\na,1\n", "2 arms or more"),
        ("item,replicate,score\na,1,1\nb,1,2\n", "2 arms or more"),
        ("item,score\na,1\nb,2\n", "every item was scored once: score items several times"),
        ("item,replicate,score\na,1,2\na,2,2\nb,1,2\nb,2,2\n", "always gave the same answer"),
        ("item,replicate,score\na,1,x\nb,1,2\n", "not a number"),
    ],
)
def test_files_in_which_there_is_nothing_to_allocate(run, tmp_path, content, says):
    path = tmp_path / "few.csv"
    path.write_text(content)
    assert says in run("plan", "--adaptive", path, "--budget", 1000).refused()


@pytest.mark.slow
def test_hostile_labels_stay_on_their_line(run, tmp_path):
    rows = [f'"{k}{i}","{k}",{r},{i * r * 7 % 5}\n' for k in HOSTILE for i in range(6) for r in range(6)]
    path = tmp_path / "scores.csv"
    path.write_text("item,kind,replicate,score\n" + "".join(rows))
    ran = run("plan", "--adaptive", path, "--budget", 1000, "--by", "kind", "--runs", 3, "--report", "page.html")
    assert "\x1b" not in ran.out
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>:" not in text
    assert "\x1b" not in text


@pytest.mark.slow
def test_real_panels(run, shared, tmp_path):
    path = tmp_path / "panels.parquet"
    whole = pl.scan_parquet(shared / "data" / "rewardbench2_judges_k8.parquet").filter(pl.col("prompt") == "base")
    whole.filter(pl.col("item").cast(pl.String).rank("dense") % 10 == 0).sink_parquet(path)
    words = ("--facet", "response=response", "--cycle", "judge", "--runs", 2, "--json")
    refused = run("plan", "--adaptive", path, "--budget", 200_000, *words)
    assert '"temperature" has levels that not every judge has' in refused.err
    assert "--facet temperature= --facet replicate= on the command line" in refused.err
    followed = ("--facet", "temperature=", "--facet", "replicate=")
    ran = run("plan", "--adaptive", path, "--budget", 200_000, *words, *followed)
    study = ran.json["studies"][0]
    single = [row for row in study["cycles"]["rows"] if row["design"] != "whole cycles"]
    assert study["calls_per_pull"] == 5
    assert min(row["bias_squared"] for row in single) > 100 * study["cycles"]["rows"][0]["bias_squared"]


def test_smaller_studies_of_the_same_votes(run, battles):
    ran = run("votes", "replay", battles, "--budgets", "50,200")
    assert ran.code == 0
    assert "50 independent" in ran.said
    assert "200 prompt" in ran.said
    assert all(one["wrong"] <= 0.1 for one in run("votes", "replay", battles, "--budgets", "200", "--json").json)


@pytest.mark.slow
def test_studies_larger_than_the_votes_are_left_out(run, battles):
    ran = run("votes", "replay", battles, "--budgets", "50,601")
    assert (ran.code, ran.err) == (0, "")
    assert "Left out: studies of 601 votes; no pair has more than 600 decisive votes." in ran.said
    aside = run("votes", "replay", battles, "--budgets", "50,601", "--json")
    assert {one["n"] for one in aside.json} == {50}
    assert aside.err.startswith("quorate: Left out: studies of 601 votes")


@pytest.mark.slow
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
    assert says in ran.said
    assert " 50 independent" in ran.said


def test_sizes_below_screening_are_left_out_and_heads_are_whole(run, battles):
    ran = run("votes", "replay", battles, "--a", "x", "--b", "y", "--budgets", "50,200,500,1000")
    assert (ran.code, ran.err) == (0, "")
    assert "Left out: studies of 50 and 1,000 votes; screening takes 56 votes of this pair, which has 600" in ran.said
    assert "votes spent and tested found 200 proportional" in ran.said


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


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(3)
    for name, margin, prompts, each in (("open", 0.05, 150, 1), ("curated", 0.3, 40, 4)):
        rows = [f"x,y,{'b' if rng.random() < 0.5 + margin else 'a'},p{p}" for p in range(prompts) for _ in range(each)]
        text = "\n".join(["model_a,model_b,winner,prompt", *(row.replace(",b,", ",model_b,") for row in rows)])
        (tmp_path / f"{name}.csv").write_text(text.replace(",a,", ",model_a,") + "\n", encoding="utf-8")
    return tmp_path / "open.csv", tmp_path / "curated.csv"


def test_two_files_are_compared_by_their_names(run, tables, tmp_path):
    ran = run("votes", "protocols", *tables, "--report", tmp_path / "page.md")
    assert (ran.code, ran.err) == (0, "")
    assert max(len(line) for line in ran.out.splitlines() if not line.startswith("Report: ")) <= 80
    assert ran.said.startswith("One vote under curated is worth")
    assert "votes that decide a pair" in ran.said
    assert "To rank or to ablate under a budget, take curated, if" in ran.said
    assert "Votes under open and under curated" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_everything_as_json(run, tables):
    found = run("votes", "protocols", *tables, "--names", "users,experts", "--budget", 50, "--json").json
    assert found["better"] == "experts"
    assert found["first"]["name"] == "users"
    assert found["budget"] == 50
    assert found["between"]["value"] is None


def test_no_pair_in_common_is_one_line(run, tables, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(tables[0].read_text().replace("y,", "w,"), encoding="utf-8")
    ran = run("votes", "protocols", tables[0], other)
    assert ran.code == 1
    assert "no pair of systems has 30 decisive votes under both (open 1 pair and other 1 pair)" in ran.err
    assert "--minimum" in ran.err
