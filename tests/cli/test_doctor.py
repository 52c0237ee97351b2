from __future__ import annotations

import pytest

from quorate.simulate.demo import write_demo


@pytest.fixture
def demo(tmp_path):
    return write_demo(tmp_path / "demo.csv")


def test_a_file_that_can_be_analysed(run, demo):
    ran = run("doctor", demo.name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("demo.csv can be analysed: ")
    lines = [" ".join(line.split()) for line in run("doctor", demo.name, "--full").out.splitlines()]
    assert "item item_id 60 random, inside category" in lines
    assert "judge judge_model 3 fixed" in lines
    assert "nested item in category" in lines
    assert "by status 1,773 ok, 12 unparsed, 15 refused" in lines
    assert "by judge judge-a (1.8%), judge-b (1.8%), judge-c (0.8%)" in lines
    assert "yes 60 items: enough for a pilot (30)" in lines
    assert "yes mean for judges like these 3 judges, 2 degrees of freedom for their" in lines
    assert "\n  quorate analyze demo.csv\n" in ran.out


def test_the_next_step_repeats_the_options(run, scores):
    words = "--facet item=item --facet judge=judge --fixed ''"
    ran = run("doctor", scores, "--facet", "item=item", "--facet", "judge=judge", "--fixed", "")
    assert f"\n  quorate analyze {scores} {words}\n" in ran.out


def test_what_is_not_possible_is_said_with_the_reason(run, crossed, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(crossed(judges=["a"]))
    ran = run("doctor", path, "--full")
    assert ran.code == 0
    assert "no component item, component only the sum item + item:judge" in ran.said
    assert "one level" not in ran.said
    assert "without a usable score" not in ran.said


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lambda crossed: crossed(items=1), "1 item: there is nothing to vary between."),
        (
            lambda crossed: crossed() + "i0,a,x,0,5\n",
            "1 row repeats the facets and replicate of another row, the first at item i0, prompt x, judge a.",
        ),
        (lambda _: "item,judge,score\n1,a,\n1,b,\n2,a,\n", "none of the 3 judgments has a usable score."),
    ],
    ids=["one item", "duplicates", "no scores"],
)
def test_an_error_found_is_exit_2(run, crossed, tmp_path, content, says):
    path = tmp_path / "bad.csv"
    path.write_text(content(crossed))
    ran = run("doctor", path)
    assert (ran.code, ran.err) == (2, "")
    assert ran.said.startswith(f"bad.csv cannot be analysed as it is: {says}")
    assert "error" in ran.said
    assert "quorate analyze" not in ran.said
    assert run("doctor", path, "--json").json["ok"] is False


@pytest.mark.wide(1)
@pytest.mark.parametrize("name", ["score", "passed"])
def test_scores_that_are_all_alike_have_a_bound(run, tmp_path, name):
    path = tmp_path / "alike.csv"
    path.write_text(f"item,{name}\n" + "".join(f"{i},1\n" for i in range(40)))
    told = run("doctor", path)
    assert (told.code, "quorate analyze" in told.out) == (0, True)
    assert run("analyze", path, "--json").json["share"] == pytest.approx(0.05 ** (1 / 40))


@pytest.mark.parametrize("content", ["", "item,score\n1,a\n2,b\n", "\0\0"], ids=["empty", "text", "binary"])
def test_a_file_that_cannot_be_read_is_exit_1(run, tmp_path, content):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    run("doctor", path).refused()


def test_findings_speak_of_options(run, tmp_path):
    path = tmp_path / "loose.csv"
    path.write_text(
        "item,judge,team,score\n" + "".join(f"{i},{j},t{j % 2},{i * j % 5}\n" for i in range(9) for j in range(4))
    )
    ran = run("doctor", path, "--facet", "item=item", "--facet", "judge=judge", "--facet", "team=team")
    assert "declare --nested judge=team" in ran.said


def test_hostile_labels_are_shown_as_they_are(run, tmp_path):
    path = tmp_path / "hostile.csv"
    labels = ["[red]x[/red]", "\x1b[31m", "\u202eevil"]
    rows = [f"{i},{j},{i * len(j) % 4 if i else ''}\n" for i in range(6) for j in labels]
    path.write_text("item,judge,score\n" + "".join(rows), encoding="utf-8")
    ran = run("doctor", path, "--full")
    assert ran.code == 0
    assert "[red]x[/red] (16.7%)" in ran.said
    assert not {"\x1b", "\u202e"} & set(ran.out)


def test_what_a_format_took_for_granted_is_no_column(run, tmp_path):
    path = tmp_path / "batch.csv"
    lines = [f"h{i // 3},w{i % 3},{1 + (i * i + i // 3) % 5}" for i in range(36)]
    path.write_text("\n".join(["HITId,WorkerId,Answer.rating,Approve", *lines]) + "\n")
    assert "Read as: Mechanical Turk: score = answer rating; item = HITId;" in run("doctor", path).said


def test_labels(run, tmp_path):
    path = tmp_path / "words.csv"
    words = ("up", "off", "gone")
    rows = [f"{i},{j},{words[(i + i * k % 2) % 3]}\n" for i in range(9) for k, j in enumerate("xyz")]
    path.write_text("item,judge,score\n" + "".join(rows), encoding="utf-8")
    ran = run("doctor", path, "--labels", "--full")
    assert (ran.code, ran.err) == (0, "")
    assert "27 judgments, all with a usable label of 3: gone, off and up." in ran.said
    assert "words.csv --labels" in ran.said
    assert "are labels" in run("doctor", path, "--labels", "--fit").err


@pytest.mark.parametrize("spelled", [["--save", "how.yaml"], ["--save=how.yaml"]])
def test_the_next_step_has_no_option_that_it_does_not_take(run, scores, spelled):
    ran = run("doctor", *spelled, scores)
    assert ran.code == 0
    assert f"\n  quorate analyze {scores}\n" in ran.out


def test_what_was_typed_is_saved(run, demo, tmp_path):
    ran = run("doctor", demo, "--facet", "item=item_id", "--save", tmp_path / "how.yaml")
    assert ran.code == 0
    assert "item_id" in (tmp_path / "how.yaml").read_text()


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
    assert (ran.code, ran.err) == (0, "")
    assert "Read as: model_a; model_b" in ran.said
    full = run("doctor", path, "--full").said
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
