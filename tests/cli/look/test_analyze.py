import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

import quorate as q
from quorate.cli.analyze import page_name
from quorate.errors import InvalidInput


def test_the_report_is_where_it_is_said(run, scores, tmp_path):
    ran = run("analyze", scores, "--report", "here.html", "--report", "here.md", "--json")
    assert ran.json["level"] == 0.95
    page = (tmp_path / "here.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert f"quorate analyze {scores}" in page
    assert "Mean " in (tmp_path / "here.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "page"),
    [("a.csv", "a-quorate.html"), ("x/b.v2.jsonl.gz", "b.v2-quorate.html"), (".csv", "-quorate.html")],
)
def test_the_report_is_named_after_the_file(name, page):
    assert page_name(Path(name)) == page


def test_json_is_the_analysis_and_nothing_else(run, scores, tmp_path):
    before = set(tmp_path.iterdir())
    ran = run("analyze", scores, "--json", "--level", "0.9")
    assert set(tmp_path.iterdir()) == before
    fit = q.decompose(q.read(scores))
    assert ran.err == ""
    assert ran.json["setup"]["value"] == pytest.approx(fit.mean.value, rel=1e-12)
    assert [ran.json["setup"][end] for end in ("low", "high")] == pytest.approx(fit.mean.at(0.9).ends, rel=1e-9)
    assert ran.json["others"]["se"] == pytest.approx(fit.mean_for(judge="population", prompt="population").se, rel=1e-9)


@pytest.mark.parametrize(("asked", "code", "says"), [("0.01", 2, "not enough"), ("100", 0, "enough")])
def test_a_question_is_answered_by_the_exit_code(run, scores, tmp_path, asked, code, says):
    before = set(tmp_path.iterdir())
    ran = run("analyze", scores, "--no-report", "--half-width", asked)
    assert ran.code == code
    assert set(tmp_path.iterdir()) == before
    assert says in ran.out
    if code == 0:
        assert run("analyze", scores, "--json", "--half-width", asked).json["answer"]["met"] is True


def test_every_model_option_reaches_the_fit(run, scores):
    words = ["--random", "item", "--random", "item:judge", "--method", "ml", "--residual-by", "judge"]
    ran = run("analyze", scores, "--json", *words)
    fit = q.decompose(q.read(scores), random=["item", "item:judge"], method="ml", residual_by="judge")
    assert ran.json["criterion"] == pytest.approx(fit.criterion, rel=1e-12)
    assert ran.json["method"] == "ml"
    covariate = run("analyze", scores, "--json", "--covariate", "prompt").json
    assert covariate["criterion"] == pytest.approx(q.decompose(q.read(scores), covariates=["prompt"]).criterion)


@pytest.mark.slow
def test_nothing_is_lost_when_the_disk_is_full(run, scores, monkeypatch):
    def full(path, *_):
        raise InvalidInput(f"path: {path} cannot be written (No space left on device); choose another place")

    monkeypatch.setattr("quorate.reporting.report.write_whole", full)
    ran = run("analyze", scores, "--report", "there.md")
    assert ran.code == 1
    assert ran.out == run("analyze", scores, "--no-report").out
    assert ran.err == ("quorate: path: there.md cannot be written (No space left on device); choose another place\n")


@pytest.mark.slow
def test_byte_order_mark_and_crlf_change_nothing(run, scores, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_bytes(b"\xef\xbb\xbf" + scores.read_bytes().replace(b"\n", b"\r\n"))
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(scores.read_bytes()))
    plain, *others = (run("analyze", path, "--no-report").out.replace(path.name, "") for path in (scores, odd, packed))
    assert others == [plain, plain]


def test_one_judge_is_said_to_be_one(run, crossed, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(crossed(judges=("a",)))
    ran = run("analyze", path, "--no-report")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "for this judge only" in said
    assert said.count("1 judge:") == 1
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
    "no such column": (lambda crossed: crossed().replace("score", "zebra"), "no name says that zebra is the score"),
    "no item": (lambda crossed: crossed().replace("item", "thing"), "no name says that thing is what is judged"),
    "binary": (lambda _: "\0\1\2" * 1000, "is binary"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_1(run, crossed, tmp_path, name):
    content, says = BAD[name]
    path = tmp_path / "bad.csv"
    path.write_text(content(crossed))
    ran = run("analyze", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("quorate: ")
    assert says in ran.err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["none.csv"], "no such file none.csv"),
        (["scores.csv", "--score", "points"], 'score: no column "points"; the data have "item"'),
        (["scores.csv", "--facet", "item="], '"item" is not one of the facets ("prompt", "judge"); name it in --facet'),
        (["scores.csv", "--fixed", "rater"], 'fixed: "rater" is not one of the facets'),
        (["scores.csv", "--nested", "judge=family"], 'nested: no column "family"'),
        (["scores.csv", "--random", "item:rater"], 'no term "item:rater"'),
        (["scores.csv", "--level", "95"], "level: must lie between 0 and 1, got 95"),
        (["scores.csv", "--half-width", "0"], "--half-width: must be above 0"),
        (["scores.csv", "--price", "-1"], "price: must be at least 0"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_1(run, scores, words, says):
    ran = run("analyze", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


MILLION = [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("rows", MILLION)
@pytest.mark.slow
def test_a_million_levels_of_a_fixed_facet_are_refused(run, tmp_path, rows):
    path = tmp_path / "many.csv"
    path.write_text("item,judge,score\n" + "\n".join(f"i{i % 50},j{i},{i % 7}" for i in range(rows)))
    ran = run("analyze", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert f"judge has {rows} levels" in ran.err


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
        writer.writerows((f"i{i}", j, p, rng.normal()) for i in range(12) for j in HOSTILE for p in HOSTILE)
    words = ["--facet", "item=item", "--facet", "judge=judge", "--facet", "\u202e<b>form</b>\a=prompt"]
    ran = run("analyze", path, *words)
    assert (ran.code, ran.err) == (0, "")
    assert r"\u202e<b>form</b>\x07" in ran.out
    assert r"Report: [bold]odd\x1b[1m-quorate.html" in " ".join(ran.out.split())
    assert not {"\x1b", "\u202e", "\a"} & set(ran.out)
    page = (tmp_path / "[bold]odd\x1b[1m-quorate.html").read_text(encoding="utf-8")
    assert not [label for label in ("<script>alert(1)", "<b>form", "\x1b", "\u202eevil") if label in page]
    assert run("analyze", path, *words, "--json").json["level"] == 0.95


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
    assert says in " ".join(ran.out.split())


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
    ran = run("analyze", "scores.csv", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


def test_charts_are_written_into_a_folder(run, scores, tmp_path):
    folder = tmp_path / "charts"
    folder.mkdir()
    ran = run("analyze", scores, "--no-report", "--charts", folder)
    names = {path.stem for path in folder.iterdir()}
    assert {path.suffix for path in folder.iterdir()} == {".svg"}
    assert {"intervals", "components", "what-if", "effects-judge", "means", "single", "flagged"} <= names
    assert f"Charts: {len(names)} files in {folder}" in ran.out


def test_the_record_of_the_study_is_in_the_page_and_the_json(run, scores, tmp_path):
    (tmp_path / "study.yaml").write_text("parsing: first <b>number</b>\nprompts: {x: '<i>a', y: b, z: c}\n")
    ran = run("analyze", scores, "--study", "study.yaml", "--report", "report.html", "--json")
    checklist = {one["name"]: one["text"] for one in ran.json["checklist"]}
    assert checklist["from answer to score"] == "first <b>number</b>"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "first &lt;b&gt;number&lt;/b&gt;" in page
    assert "<pre><bdi>&lt;i&gt;a</bdi></pre>" in page
