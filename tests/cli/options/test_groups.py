from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated

import pytest
import typer

import quorate as q
from quorate.cli import main
from quorate.cli.options.declared import MODEL, of
from quorate.cli.options.designs import Targets, source
from quorate.cli.options.groups import (
    For,
    Group,
    Prices,
    command,
    counts,
    grid,
    names,
    numbers_of_words,
    only,
    options_of,
    pairs,
    spelled,
)
from quorate.cli.options.output import Files, Output
from quorate.cli.options.people import People
from quorate.cli.options.reading import Reading, ScoreReading, VoteReading
from quorate.cli.options.systems import Pair, Within, check_facet
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.published import Components


@dataclass(frozen=True, kw_only=True)
class Size(Group):
    n_items: Annotated[int, typer.Option(metavar="N", help="Items.")] = 3
    deep: Annotated[bool, For("votes"), typer.Option("--deep")] = False


@dataclass(frozen=True, kw_only=True)
class Named(Group):
    name: Annotated[str, typer.Option("--called")]
    n_items: Annotated[int, typer.Option(metavar="N", help="Items.")] = 3


@command
def run(place: Annotated[str, typer.Argument()], size: Size, named: Named) -> int:
    """Run it."""
    typer.echo(f"{place} {size} {named}")
    return 5


@command
def part(size: Annotated[Size, only("n_items")]) -> int:
    """A part of a group."""
    typer.echo(str(size))
    return 0


def made(*commands):
    app = typer.Typer(add_completion=False)
    for one in commands:
        app.command()(one)
    return app


def test_groups_become_options_and_come_back_as_values(capsys):
    app = made(run)
    code = app(["here", "--n-items", "7", "--deep", "--called", "x"], standalone_mode=False)
    assert code == 5
    assert capsys.readouterr().out == "here Size(n_items=7, deep=True) Named(name='x', n_items=7)\n"
    app(["--help"], standalone_mode=False)
    text = capsys.readouterr().out
    assert text.count("--n-items") == 1
    assert "Run it." in text


def test_an_option_without_a_default_is_required():
    with pytest.raises(Exception, match="name"):
        made(run)(["here"], standalone_mode=False)


def test_a_command_may_have_a_part_of_a_group(capsys):
    assert made(part)(["--n-items", "2"], standalone_mode=False) == 0
    assert capsys.readouterr().out == "Size(n_items=2, deep=False)\n"
    with pytest.raises(Exception, match="--deep"):
        made(part)(["--deep"], standalone_mode=False)


def test_what_is_given_and_for_what():
    assert Size().given() == {}
    assert Size(n_items=3, deep=True).given() == {"deep": True}
    assert Size(n_items=4, deep=True).given("votes") == {"deep": True}
    Size(n_items=4).refuse("votes", "for votes")
    Size(deep=True).refuse("votes", "for votes", but=("deep",))
    with pytest.raises(InvalidInput, match=r"^--deep: for votes$"):
        Size(deep=True).refuse("votes", "for votes")


def test_how_an_option_is_written():
    assert list(options_of(Size)) == ["n_items", "deep"]
    assert [spelled(Size, "n_items"), spelled(Named, "name")] == ["--n-items", "--called"]


def test_pairs_are_split_at_the_first_sign():
    assert pairs("--facet", ["judge=judge_model", " item = a=b "], "") == {"judge": "judge_model", "item": "a=b"}
    assert pairs("--facet", None, "") == {}


@pytest.mark.parametrize("value", ["judge", "=x", "judge=", ""])
def test_half_a_pair_is_an_error(value):
    with pytest.raises(InvalidInput, match=r"^--facet: expects a pair such as judge=who, got "):
        pairs("--facet", [value], "judge=who")


def test_a_role_given_twice_is_an_error():
    with pytest.raises(InvalidInput, match=r'^--facet: "judge" is given twice, as a and b; give it once$'):
        pairs("--facet", ["judge=a", "judge=b"], "")


def test_an_empty_column_is_a_pair_only_where_it_means_something():
    assert pairs("--facet", ["judge="], "judge=who", empty=True) == {"judge": ""}
    for value in ("judge", "=x"):
        with pytest.raises(InvalidInput, match=r"^--facet: expects a pair"):
            pairs("--facet", [value], "judge=who", empty=True)


@pytest.mark.parametrize(("text", "found"), [("", ()), ("a", ("a",)), (" a, b ,", ("a", "b"))])
def test_names_stand_between_commas(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("7", [7]), ("20,30", [20, 30]), ("1-4", [1, 2, 3, 4]), ("5, 10-30:10", [5, 10, 20, 30]), ("3-3", [3])],
)
def test_numbers_and_ranges(text, wanted):
    assert grid("--items", text) == wanted


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-5:0", "1,,2", "-3", "1.5", "1-2-3", "9" * 11, "=1+1"])
def test_what_is_no_number(text):
    with pytest.raises(InvalidInput, match=r"--items: expects numbers such as 20,30 or 1-5 or 20-200:10, got"):
        grid("--items", text)


def test_more_numbers_than_anyone_needs():
    with pytest.raises(InvalidInput, match=r"--items: stands for more than 1,000,000 numbers"):
        grid("--items", "1-9999999999")


def test_counts_are_whole_numbers():
    assert counts("--levels", ["annotator=4"], "") == {"annotator": 4}
    with pytest.raises(InvalidInput, match=r'^--levels: annotator must be a whole number, got "few"$'):
        counts("--levels", ["annotator=few"], "")


@pytest.mark.parametrize("text", ["bad", "bad=", "=1", "bad=x", "bad=nan", "bad=1,bad=2"])
def test_words_without_a_number_are_refused(text):
    with pytest.raises(InvalidInput, match="--numbers: "):
        numbers_of_words(text)


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,prompt\nAnt,bee,model_a,p\nAnt,bee,model_b,q\n")
    return VoteReading().votes(path)


def test_two_systems_or_none(votes):
    assert Pair().systems is None
    assert Pair(a="Ant", b="bee").of(votes) is votes
    with pytest.raises(InvalidInput, match="--a, --b: give both systems, or neither"):
        Pair(a="Ant")


def test_a_name_that_is_written_otherwise_is_meant(votes):
    with pytest.raises(InvalidInput, match='--a: no system "ant"; did you mean "Ant"\\? there are "Ant", "bee"'):
        Pair(a="ant", b="bee").of(votes)


def test_a_facet_that_is_not_there_can_be_named(votes):
    check_facet(votes, "--cluster", "prompt")
    check_facet(votes, "--cluster", None)
    with pytest.raises(
        InvalidInput, match=r"--cluster: no facet .*which have prompt; name its column: --role judge=COLUMN"
    ):
        check_facet(votes, "--cluster", "judge")


@pytest.mark.parametrize(
    ("call", "judges", "more", "found"),
    [
        (None, None, {}, None),
        (0.01, [], {"item": None}, {"call": 0.01}),
        (None, ["gpt=0.02", "a=b=0.5"], {"item": 1.0}, {"item": 1.0, "judge": {"gpt": 0.02, "a=b": 0.5}}),
        (None, None, {"generation": 2.0}, {"generation": 2.0, "call": 1.0}),
    ],
)
def test_prices_as_the_library_takes_them(call, judges, more, found):
    options = {f"{name}_price": price for name, price in more.items()}
    assert Prices(price=call, judge_price=judges, **options).prices() == found


@pytest.mark.parametrize(
    ("call", "judges", "message"),
    [
        (1.0, ["a=1"], "--price: give it or --judge-price, not both"),
        (None, ["a"], "--judge-price: expects a judge and a price"),
        (None, ["a=1", "a=2"], "each judge once"),
        (None, ["=1"], "expects a judge and a price"),
        (None, ["a=dear"], 'a must be an amount such as 0.01, got "dear"'),
    ],
)
def test_prices_that_are_none(call, judges, message):
    with pytest.raises(InvalidInput, match=message):
        Prices(price=call, judge_price=judges).prices()


RANK = of("quorate.estimate.ratings.rank:rank")


@pytest.fixture
def systems_votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,topic\nx,y,model_a,s\nx,y,model_b,t\n")
    return Reading(role=["prompt_type=topic"]).votes(path)


def test_systems_are_told_apart_by_a_facet_or_its_column(systems_votes):
    assert Within().told_apart(systems_votes) is systems_votes
    assert set(Within(within="topic").told_apart(systems_votes).models) == set(
        systems_votes.within("prompt_type").models
    )
    with pytest.raises(UnknownTerm):
        Within(within="nowhere").told_apart(systems_votes)


def test_columns_stand_for_roles_and_text_for_values(systems_votes):
    assert RANK(cluster=["topic"]).arguments(systems_votes) == {"cluster": ("prompt_type",)}
    assert RANK(cluster=["none"], by="topic").arguments(systems_votes) == {"cluster": (), "by": "prompt_type"}
    assert RANK(targets=["judge=panel"]).arguments() == {"targets": {"judge": "panel"}}
    assert RANK(position=True, random=["item", "judge,item:judge"]).arguments() == {
        "position": True,
        "random": ("item", "judge", "item:judge"),
    }
    assert RANK().arguments() == {}


@pytest.fixture
def people_votes(tmp_path):
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,prompt,winner,person\nx,y,p,model_a,model_b\nx,y,q,model_b,model_b\n")
    return out


@pytest.fixture
def scored(tmp_path):
    out = tmp_path / "scores.csv"
    out.write_text("item,system,score\np,x,1\np,y,5\n")
    return out


def test_people_are_a_column_a_judge_or_a_file(people_votes, scored):
    judged, people = People(human_label="person").sources(people_votes, Reading(), "prompt")
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    assert People(human=["ann"]).sources(people_votes, Reading(), "prompt")[1] == ["ann"]
    assert People().sources(people_votes, Reading(), "prompt")[1] is None
    judged, people = People(people=people_votes).sources(scored, Reading(), "prompt")
    assert isinstance(judged, q.Judgments)
    assert people.wins("x", "y") == 1
    judged, people = People(people=people_votes, human_label="person").sources(people_votes, Reading(), "prompt")
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    with pytest.raises(InvalidInput, match="one of the three"):
        People(people=people_votes, human=["ann"]).sources(people_votes, Reading(), "prompt")


def test_scores_need_no_people_unless_agreement_with_them_is_asked(people_votes, scored):
    judged, people = People().sources(scored, Reading(), "prompt")
    assert isinstance(judged, q.Judgments)
    assert people is None
    assert isinstance(People().sources(people_votes, Reading(), "prompt")[0], q.Votes)
    with pytest.raises(InvalidInput, match="--human: name the judges who are people"):
        People().sources(people_votes, Reading(), "prompt", needed=True)


def test_options_of_the_other_kind_are_refused(people_votes, scored):
    with pytest.raises(InvalidInput, match="--winner: for votes, and this file has scores; leave it out"):
        People().sources(scored, Reading(winner="person"), "prompt")
    with pytest.raises(InvalidInput, match="--missing: for scores, and this file has votes; leave it out"):
        People(human=["ann"]).sources(people_votes, Reading(missing=["x"]), "prompt")


def test_components_come_from_json_and_from_judgments(tmp_path, scores):
    path = tmp_path / "c.json"
    path.write_text('{"random": {"item": 1.0}}')
    assert isinstance(source(path, ScoreReading(), MODEL()), Components)
    assert source(scores, ScoreReading(), MODEL()).judgments.n_cells == 108


def test_targets_are_as_they_are_asked():
    assert Targets(target=["judge=panel"]).asked() == {"judge": "panel"}
    assert Targets(target=["judge=pool(20)"]).asked() == {"judge": q.pool(20)}
    assert Targets().asked() == {}


def test_places_that_can_be_written_are_taken(tmp_path):
    Files(context=None, report=[tmp_path / "a.html"], charts=tmp_path / "charts")
    Files(context=None)


@pytest.mark.parametrize(
    ("report", "charts", "said"),
    [("a.pdf", None, "--report"), ("nowhere/a.html", None, "--report"), (None, "taken", "--charts")],
)
def test_others_are_refused_by_the_name_of_their_option(tmp_path, report, charts, said):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InvalidInput, match=said):
        Files(context=None, report=report and [tmp_path / report], charts=charts and tmp_path / charts)


def test_what_was_written_is_said_unless_json_is_printed(tmp_path, capsys):
    from quorate.estimate.ratings.rank import rank

    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_a\nx,y,model_b\n")
    table = Reading().table(path)
    page, context = tmp_path / "page.md", SimpleNamespace(obj="quorate")
    for as_json in (False, True):
        files = Files(context=context, report=[page], charts=tmp_path / "charts")
        Output(as_json=as_json).show(rank(table), files, table)
        assert ("Charts: 2 files" in capsys.readouterr().out) is not as_json
    assert "- input: " in page.read_text(encoding="utf-8")


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    "words",
    [
        *("analyze {scores}", "doctor {scores}", "judges {scores}", "plan {scores} --budget 100 --draws 0"),
        *("plan --design {scores} --items 24", "rank {battles}", "analyze {battles}", "compare {battles} x y"),
    ],
)
def test_a_screen_is_enough_for_the_usual_answers(run, scores, battles, words):
    ran = run(*words.format(scores=scores, battles=battles).split())
    lines = ran.out.splitlines()
    assert ran.code in (0, 2)
    assert len(lines) <= 25
    assert max(len(line) for line in lines if not line.startswith(("  quorate", "Report: "))) <= 80


def scores(path, systems):
    rows = [
        f"i{i},j{j},{s},{(i * i * 7 + j * 3 + (s == 'a')) % 11}" for i in range(30) for j in range(3) for s in systems
    ]
    path.write_text("item,judge,system,score\n" + "\n".join(rows), encoding="utf-8")
    return str(path)


def test_analyze_prints_what_such_intervals_do(tmp_path, capsys):
    path = scores(tmp_path / "scores.csv", "a")
    assert main(["analyze", path, "--certify", "40", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["certificate"]
    assert found["subject"] == "mean"
    assert "40 studies drawn like yours" in found["sentence"]
    assert main(["analyze", path, "--certify", "40", "--no-report"]) == 0
    assert "hold the truth" in capsys.readouterr().out


def test_compare_and_rank_certify_what_they_say(tmp_path, capsys):
    path = scores(tmp_path / "scores.csv", "ab")
    main(["compare", path, "a", "b", "--certify", "40", "--json"])
    assert json.loads(capsys.readouterr().out)["certificate"]["subject"] == "difference"
    main(["rank", path, "--certify", "40", "--full"])
    assert "all pairs at once" in " ".join(capsys.readouterr().out.split())
    three = scores(tmp_path / "three.csv", "abc")
    assert main(["compare", three, "--certify", "40"]) != 0
    assert "--certify: is for two systems" in capsys.readouterr().err
