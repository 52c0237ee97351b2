from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.estimate.test_nominal import frame

from quorate.cli.analyze import AnalysisFiles, page_name
from quorate.cli.options.output import Output
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("name", "page"), [("a.csv", "a-quorate.html"), ("x/b.v2.jsonl.gz", "b.v2-quorate.html"), (".csv", "-quorate.html")]
)
def test_the_report_is_named_after_the_file(name, page):
    assert page_name(Path(name)) == page


@pytest.mark.parametrize(("asked", "code", "says"), [("0.01", 2, "not enough"), ("100", 0, "enough")])
def test_a_question_is_answered_by_the_exit_code(run, scores, tmp_path, asked, code, says):
    before = set(tmp_path.iterdir())
    ran = run("analyze", scores, "--no-report", "--half-width", asked)
    assert ran.code == code
    assert set(tmp_path.iterdir()) == before
    assert says in ran.out
    if code == 0:
        assert run("analyze", scores, "--json", "--half-width", asked).json["answer"]["met"] is True


@pytest.mark.slow
def test_one_judge_is_said_to_be_one(run, crossed, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(crossed(judges=("a",)))
    ran = run("analyze", path, "--no-report")
    assert ran.code == 0
    assert "for this judge only" in ran.said
    assert ran.said.count("1 judge:") == 1
    assert "judges like these" not in ran.out


def scored(crossed, change):
    """The crossed judgments with every score changed, which is told its place among them."""
    header, *lines = crossed().splitlines()
    pairs = (line.rsplit(",", 1) for line in lines)
    return "\n".join([header, *(f"{key},{change(place, score)}" for place, (key, score) in enumerate(pairs))])


BAD = {
    "text scores": (
        lambda crossed: scored(crossed, lambda i, s: "oops" if i == 47 else s),
        'column "score" has 1 value that is not a number (first: "oops" in row 48)',
    ),
    "mixed types": (
        lambda crossed: scored(crossed, lambda i, s: "good" if i % 2 else s),
        '108 values that are not numbers (first: "good" in row 2)',
    ),
    "nan": (lambda crossed: scored(crossed, lambda i, s: "nan" if i == 5 else s), '(first: "nan" in row 6)'),
    "inf": (lambda crossed: scored(crossed, lambda i, s: "-inf" if i == 5 else s), '(first: "-inf" in row 6)'),
    "one item": (lambda crossed: crossed(items=1), "1 item: at least 2 are needed"),
    "duplicates": (lambda crossed: crossed() + "i0,a,x,0,5\ni0,b,x,0,5\n", "2 rows repeat a key, the first at item i0"),
    "empty": (lambda _: "", "is empty"),
    "header only": (lambda crossed: crossed(items=0), "has no rows"),
    "ragged": (lambda crossed: crossed() + "i1,a\n", "line 218: the header has 5 columns, this line 2"),
    "no such column": (lambda crossed: crossed().replace("score", "seconds"), "no column looks like a judgment"),
    "no item": (lambda crossed: crossed().replace("item", "c0"), "no name says that c0 is what is judged"),
    "binary": (lambda _: "\0\1\2" * 1000, "is binary"),
}


@pytest.mark.wide(6)
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_1(run, crossed, tmp_path, name):
    content, says = BAD[name]
    path = tmp_path / "bad.csv"
    path.write_text(content(crossed))
    assert says in run("analyze", path).refused()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scores.csv", "--facet", "item="], '"item" is not one of the facets ("prompt", "judge"); name it in --facet'),
        (["scores.csv", "--fixed", "rater"], 'fixed: "rater" is not one of the facets'),
        (["scores.csv", "--nested", "judge=family"], 'nested: no column "family"'),
        (["scores.csv", "--random", "item:rater"], 'no term "item:rater"'),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_1(run, scores, words, says):
    assert says in run("analyze", *words).refused()


MILLION = [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("rows", MILLION)
@pytest.mark.slow
def test_a_million_levels_of_a_fixed_facet_are_refused(run, tmp_path, rows):
    path = tmp_path / "many.csv"
    path.write_text("item,judge,score\n" + "\n".join(f"i{i % 50},j{i},{i % 7}" for i in range(rows)))
    assert f"judge has {rows:,} levels" in run("analyze", path, "--fixed", "judge").refused()


@pytest.mark.slow
@pytest.mark.parametrize("rows", MILLION)
def test_a_million_items_are_analysed(run, tmp_path, rows):
    path = tmp_path / "many.csv"
    path.write_text("item,score\n" + "\n".join(f"i{i},{i % 7}" for i in range(rows)))
    ran = run("analyze", path, "--no-report")
    assert ran.code == 0
    assert ran.out.startswith("Mean 3.0")


HOSTILE = ("[red]x[/red]", "\x1b[31mred\x1b[0m", "<script>alert(1)</script>", "\u202eevil", "two\nlines")


def test_hostile_labels_are_shown_as_they_are(run, tmp_path):
    path = tmp_path / "[bold]odd\x1b[1m.csv"
    rng = np.random.default_rng(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "judge", "prompt", "score"])
        writer.writerows((f"i{i}", j, p, rng.normal()) for i in range(6) for j in HOSTILE for p in HOSTILE)
    words = ["--facet", "item=item", "--facet", "judge=judge", "--facet", "\u202e<b>form</b>\a=prompt"]
    ran = run("analyze", path, *words)
    assert (ran.code, ran.err) == (0, "")
    assert r"\u202e<b>form</b>\x07" in ran.out
    assert r"Report: [bold]odd\x1b[1m-quorate.html" in ran.said
    assert not {"\x1b", "\u202e", "\a"} & set(ran.out)
    page = (tmp_path / "[bold]odd\x1b[1m-quorate.html").read_text(encoding="utf-8")
    assert not [label for label in ("<script>alert(1)", "<b>form", "\x1b", "\u202eevil") if label in page]
    assert run("analyze", path, *words, "--json").json["level"] == 0.95


@pytest.mark.wide(1)
@pytest.mark.parametrize(
    ("name", "query", "words", "says"),
    [
        (
            "rating_scale_human_llm",
            "SELECT * FROM file WHERE benchmark = 'MT-Bench' AND judge_type = 'llm'",
            ["--score", "score01", "--facet", "item=item", "--facet", "judge=judge", "--facet", "scale=scale_max"],
            "with these 6 judges",
        ),
        (
            "topical_chat_gpt35_replicates",
            "SELECT * FROM file WHERE dimension = 'coherence' AND replicate < 4",
            ["--facet", "judge=", "--facet", "system="],
            "prompt 90% add prompts",
        ),
    ],
)
def test_real_judgments(run, shared, tmp_path, name, query, words, says):
    import duckdb

    path = tmp_path / "real.parquet"
    with duckdb.connect() as connection:
        source = str(shared / "data" / f"{name}.parquet")
        connection.execute(f"CREATE VIEW file AS SELECT * FROM read_parquet('{source}')")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    ran = run("analyze", path, *words, "--no-report")
    assert (ran.code, ran.err) == (0, "")
    assert says in ran.said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--report", "nowhere/report.html"], "--report: nowhere/report.html cannot be written"),
        (["--report", "report.pdf"], "--report: must end in .html, .md or .json"),
        (["--report", "."], "--report: must end in"),
        (["--charts", "nowhere/charts"], "--charts: nowhere/charts cannot be written"),
        (["--charts", "scores.csv"], "--charts: scores.csv cannot be written (File exists)"),
        (["--study", "none.yaml"], "record: none.yaml cannot be read"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(run, scores, monkeypatch, words, says):
    monkeypatch.setattr("quorate.table.read.read", lambda *_, **__: pytest.fail("read"))
    assert says in run("analyze", "scores.csv", *words).refused()


def test_the_record_of_the_study_is_in_the_page_and_the_json(run, scores, tmp_path):
    (tmp_path / "study.yaml").write_text("parsing: first <b>number</b>\nprompts: {x: '<i>a', y: b, z: c}\n")
    ran = run("analyze", scores, "--study", "study.yaml", "--report", "report.html", "--json")
    checklist = {one["name"]: one["text"] for one in ran.json["checklist"]}
    assert checklist["from answer to score"] == "first <b>number</b>"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "first &lt;b&gt;number&lt;/b&gt;" in page
    assert "<pre><bdi>&lt;i&gt;a</bdi></pre>" in page


def test_all_pairs(run, battles):
    ran = run("analyze", battles, "--full")
    assert (ran.code, ran.err) == (0, "")
    board = run("rank", battles).said
    full = ran.said
    assert full.startswith(board[: board.index(" at once.") + 9])
    assert "that share pairs times wider 80% of pairs" in full
    assert "z: how many standard errors the share of votes in a study is from one half" in full


def test_all_pairs_as_json(run, battles):
    found = run("analyze", battles, "--json", "--cluster", "judge").json
    assert len(found["power"]) == 3
    assert [one["by"] for one in found["dependence"]] == ["judge"]
    assert found["near_ties"]["count"] == 1
    assert [one["votes"] for one in found["equal_budget"]] == [50, 100, 200, 500, 1000]
    assert found["stability"]["first"] == 50


@pytest.mark.slow
def test_the_verdict_on_two(run, battles):
    ran = run("compare", battles, "x", "y", "--cluster", "prompt")
    assert ran.code == 0
    assert ran.out.startswith("x is better than y: x wins ")
    assert run("compare", battles, "y", "x").code == 2
    open_ = run("compare", battles, "y", "z", "--price", 0.5)
    assert open_.code == 2
    assert open_.said.startswith("Undecided whether y or z is preferred")
    assert "no sign that they are alike" in open_.said
    assert "decisive votes in 25 judges" in open_.said
    alone = run("compare", battles, "y", "z", "--cluster", "none")
    assert "taken as independent" in alone.said


def test_what_is_claimed_decides_the_exit_code(run, battles):
    words = ["y", "z", "--margin", 0.15]
    assert run("compare", battles, *words, "--claim", "equivalent").code == 0
    assert run("compare", battles, *words, "--claim", "better").code == 2
    assert run("compare", battles, *words, "--json").json["outcome"] == "equivalent"


def test_a_system_that_is_written_otherwise_is_named(run, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("model_a,model_b,winner\n" + "".join(f"online-A.0,s{i},model_a\n" for i in range(9)))
    ran = run("compare", "--watch", path, "online-A", "s1")
    assert ran.err == (
        'quorate: A: no system "online-A"; did you mean "online-A.0"? '
        'there are "online-A.0", "s0", "s1", "s2", "s3" and 5 more\n'
    )


@pytest.mark.wide(10)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("votes replay --a x", "--a, --b: give both systems, or neither"),
        ("votes replay --a x --b q", '--b: no system "q"; there are "x", "y", "z"'),
        ("analyze --minimum 100000", "100,000"),
        (
            "votes replay --cluster colour",
            "which have prompt, prompt_type and judge; name its column: --role colour=COLUMN",
        ),
        (
            "votes replay --a x --b y --budgets 50",
            "--budgets: numbers from 57 to 600, got 50; screening takes 56 votes",
        ),
        ("analyze --margin .05", "--margin: is for two systems, as of quorate compare"),
        ("votes replay --by prompt_type", "--by: is for two systems"),
        ("votes replay --a x --b y --margin .1", "--margin: is for all pairs; leave out --a and --b"),
        ("votes replay --budgets 5000000", "--budgets: no pair has more than 600 decisive votes"),
        ("votes replay --a x --b Y", '--b: no system "Y"; did you mean "y"? there are'),
    ],
)
def test_what_is_refused_in_one_line(run, battles, words, says):
    place = 2 if words.startswith("votes") else 1
    assert says in run(*words.split()[:place], battles, *words.split()[place:]).refused()


@pytest.fixture
def labels_file(tmp_path):
    path = tmp_path / "w.csv"
    frame().write_csv(path)
    return path


def test_labels_and_the_items_for_people(run, labels_file, tmp_path):
    ran = run(
        "analyze", labels_file, "--score", "verdict", "--labels", "--no-report", "--to-people", "p.csv", "--most", "3"
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("The commonest of 3 labels is ")
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 4
    assert ran.out.endswith("For people: p.csv\n")


def test_labels_as_json_and_in_a_paragraph(run, labels_file):
    content = run("analyze", labels_file, "--score", "verdict", "--labels", "--json").json
    assert sum(one["share"] for one in content["shares"]) == pytest.approx(1)
    written = run("report", labels_file, "--score", "verdict", "--labels", "--json").json
    assert written["paragraph"].startswith("4 judges gave 160 labels")
    assert "Reporting checklist" not in run("report", labels_file, "--score", "verdict", "--labels").out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("analyze --half-width .1", "--half-width: is for scores, and these are labels"),
        ("analyze --interval robust", "--interval: is for scores, and these are labels"),
        ("report --price 1", "--price: is for scores, and these are labels"),
        ("plan --budget 100", "hold labels, which are no numbers"),
        ("analyze --label fine", "labels: takes every word as a label, and label says otherwise"),
    ],
)
def test_what_labels_do_not_have(run, labels_file, line, told):
    command, *rest = line.split()
    assert told in run(command, labels_file, "--score", "verdict", "--labels", *rest).refused()


def test_words_say_what_would_read_them(run, labels_file):
    ran = run("analyze", labels_file, "--score", "verdict")
    assert "read each as a label with --labels, the share of one with --label " in ran.err
    ran = run("analyze", labels_file, "--score", "verdict", "--label", "fine", "--most", "3")
    assert "--most: is for labels; read words as such with --labels" in ran.err


def test_the_page_is_where_it_is_said_unless_it_is_not_wanted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = AnalysisFiles(context=None)
    assert files.by_default("a.html", Output()).report == [Path("a.html")]
    assert files.by_default("a.html", Output(as_json=True)).report == []
    assert AnalysisFiles(context=None, no_report=True).by_default("a.html", Output()).report == []
    with pytest.raises(InvalidInput, match="--no-report: contradicts --report"):
        AnalysisFiles(context=None, no_report=True, report=[tmp_path / "b.html"])


@pytest.fixture(scope="module")
def noisy(tmp_path_factory) -> str:
    """A judge who is noisier than the others, and a column of times."""
    rng = np.random.default_rng(1)
    item, judge = (at.ravel() for at in np.indices((80, 4)))
    score = rng.normal(size=80)[item] + rng.normal(size=320) * np.where(judge == 2, 2.0, 0.5)
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    columns = {"item": item, "judge": [f"j{k}" for k in judge], "score": score, "day": np.arange(320)}
    pl.DataFrame(columns).write_csv(path)
    return str(path)


def test_what_stands_out_is_said_with_what_to_do(run, noisy):
    ran = run("analyze", "--check", noisy, "--resamples", "0", "--order", "day")
    assert ran.code == 2
    assert "noise of the judges (p < 0.001)" in ran.said
    assert "To do: give each judge noise of its own (residual_by)" in ran.said
    full = run("analyze", "--check", noisy, "--resamples", "0", "--full").out
    assert "Not looked at: odd-interaction (" in " ".join(full.split())


def test_the_doctor_looks_at_the_fit_too(run, noisy):
    ran = run("doctor", noisy, "--fit", "--json")
    assert "noise of the judges" in ran.json["diagnosis"]["sentence"]
    said = run("doctor", noisy, "--fit").said
    assert "looked at p among all verdict" in said
    assert ran.code == 0


@pytest.fixture(scope="module")
def files(crossed, tmp_path_factory):
    """A crossed pilot, and production in which every item meets one judge in turn."""
    folder = tmp_path_factory.mktemp("mean-from")
    (folder / "pilot.csv").write_text(crossed())
    head, *lines = crossed(items=30).splitlines()
    turn = dict(zip("abc", range(3), strict=True))
    kept = [one for one in lines if int(one.split(",")[0][1:]) % 3 == turn[one.split(",")[1]]]
    (folder / "production.csv").write_text("\n".join([head, *kept]) + "\n")
    return folder / "production.csv", folder / "pilot.csv"


def test_a_pilot_without_the_columns_is_named(run, files, tmp_path):
    production, pilot = files
    (tmp_path / "other.csv").write_text(pilot.read_text().replace("score", "seconds"))
    refused = run("analyze", production, "--pilot", "other.csv", "--score", "score").err
    assert "--pilot: other.csv is read as the production file is, and " in refused
    lines = pilot.read_text().splitlines()
    kept = [one.split(",") for one in lines if ",y," not in one and ",z," not in one]
    (tmp_path / "short.csv").write_text("\n".join(",".join([*one[:2], *one[3:]]) for one in kept) + "\n")
    assert 'the pilot has no facet "prompt"' in run("analyze", production, "--pilot", "short.csv").err
