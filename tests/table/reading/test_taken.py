"""Tables that are read by themselves: by names, by a look, or not without an answer."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from known_headers import headed_tables
from known_roles import Known, tables

import quorate as q
from quorate.errors import InvalidInput, QuorateError
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at
from quorate.table.judgments import Judgments
from quorate.table.reading.paired import pair_of
from quorate.table.reading.reading import Unsure
from quorate.table.votes import Votes

ROWS = [(f"i{i}", f"j{j}", 1 + (3 * i + i * j) % 5) for i in range(12) for j in range(3)]
FRAME = pl.DataFrame(ROWS, schema=["item", "who", "score"], orient="row")


def test_a_column_that_tells_rows_apart_is_a_facet_and_said(logged):
    table = q.read(FRAME)
    assert table.names == ("item", "who")
    assert logged[-1] == ("WARNING", "who tells apart rows that would repeat: taken as a facet")


def test_names_that_say_everything_are_quiet(logged, capsys):
    q.read(FRAME.rename({"who": "judge"}))
    assert [level for level, _ in logged] == ["INFO"]
    assert not capsys.readouterr().err


def test_what_somebody_said_is_asked_for_nothing():
    assert q.read(FRAME, facets={"item": "item"}).names == ("item",)
    assert q.read(FRAME, recognise=True).names == ("item",)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_are_read_as_files_are(tmp_path, library):
    frame = pl.DataFrame({f"rater{j}": [1 + (i * i + j * i) % 5 for i in range(20)] for j in (1, 2, 3)})
    frame.write_csv(tmp_path / "matrix.csv")
    own = {"polars": lambda: frame, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow}[library]()
    tables = [q.read(source, announce=False) for source in (own, tmp_path / "matrix.csv")]
    assert [table.n_levels("item") for table in tables] == [20, 20]
    assert tables[0].facet("judge").levels == ("rater1", "rater2", "rater3")
    assert q.analyze(tables[0]).sentence == q.analyze(tables[1]).sentence
    wide = q.read(own, wide={"judge": ["rater1", "rater2"]}, facets={"item": "row number"}, recognise=True)
    assert wide.n_cells == 40


def test_a_lazy_frame_is_looked_at_as_one_in_memory_is():
    frame = FRAME.rename({name: {"item": "essay_id", "score": "marks"}.get(name, name) for name in FRAME.columns})
    tables = [q.read(source, announce=False) for source in (frame, frame.lazy())]
    assert tables[0].names == tables[1].names
    assert q.analyze(frame).sentence == q.analyze(frame.lazy()).sentence


def test_what_is_judged_is_looked_for_where_the_rest_is_said(tmp_path):
    sheet = pl.DataFrame({"msg": range(9), "maria": [1, 2, 3] * 3, "tom": [1, 1, 3] * 3})
    wide = q.read(sheet, wide={"judge": ["maria", "tom"]}, announce=False)
    assert (wide.names, wide.n_cells) == (("item", "judge"), 18)
    passed = pl.DataFrame({"q": range(9), "correct": [1] * 9})
    assert q.read(passed, score="correct", announce=False).n_levels("item") == 9
    marks = pl.DataFrame({"essay": list("aabbccdd"), "teacher": list("xy") * 4, "mk": [1, 2, 3, 4, 1, 3, 2, 4]})
    with pytest.raises(Unsure, match="rows repeat unless teacher is a facet; it may be meant as: score=") as caught:
        q.read(marks, score="mk")
    assert caught.value.ways[0].options["facets"] == {"item": "essay", "teacher": "teacher"}
    with pytest.raises(InvalidInput, match='object: "prompt" is not one of the facets'):
        q.read(passed, score="correct", object="prompt")


def test_rows_of_a_frame_that_is_not_in_memory_have_no_numbers():
    with pytest.raises(InvalidInput, match="collect it first"):
        q.read(FRAME.lazy(), facets={"item": "row number"}, score="score")


def test_what_a_look_does_not_explain_is_refused_as_before(tmp_path):
    with pytest.raises(Unsure, match="perhaps who is one"):
        q.read(FRAME.drop("score").lazy())
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nx,y,7\ny,x,9\n")
    with pytest.raises(Unsure, match="no column says which won"):
        q.read(tmp_path / "votes.csv")


def test_nothing_judged():
    with pytest.raises(Unsure, match="no column looks like a judgment"):
        q.read(FRAME.select(note=pl.lit("x"), text=pl.col("item") + pl.col("who")))


def outcome(known: Known, said: list[tuple[str, str]]) -> tuple[str, str]:
    """Right, asked or wrong, and how it was read; what a line admits to have left out is wrong all the same."""
    said.clear()
    try:
        table = q.read(known.frame)
    except QuorateError as error:
        return "asked", str(error)
    found, how = judged(known, table)
    return found, how + "; ".join(message for level, message in said if level == "WARNING")


def judged(known: Known, table: Judgments | Votes) -> tuple[str, str]:
    """Whether a table was read as what is known of it says."""
    notes = [note for note in table.notes if note.role]
    read = {
        note.role: tuple(column for one in notes if one.role == note.role for column in one.columns) for note in notes
    }
    told = ", ".join(f"{role}={'+'.join(columns)}" for role, columns in read.items())
    if known.kind == "votes" or not isinstance(table, Judgments):
        same = isinstance(table, Votes) and read.get("winner") == known.score and known.kind == "votes"
        return ("right" if same else "wrong"), told
    facets = {facet.name: facet.column for facet in table.facets}
    columns = {*facets.values(), *read.get("count", ())}
    if known.wide:
        right = {*read.get(known.wide, ())} - {known.wide} == {*known.score} and known.wide in facets
    else:
        right = table.origin is not None and table.origin.roles.score == known.score[0]
    right &= known.facets <= columns and (known.wide == "item" or same_items(known, facets["item"]))
    return ("right" if right else "wrong"), told


def same_items(known: Known, column: str) -> bool:
    """Whether a column tells apart what is judged as the one that says it does."""
    rows = known.frame.height
    found = rows if column == "row number" else known.frame[column].n_unique()
    wanted = rows if known.item is None else known.frame[known.item].n_unique()
    both = (
        found if column == "row number" or known.item is None else known.frame.select({column, known.item}).n_unique()
    )
    return found == wanted == both


def rates(n: int, seed: int, said: list[tuple[str, str]]) -> tuple[Counter[str], list[str]]:
    """How many tables were right, asked about or wrong, by kind of name; and those that were wrong."""
    rng = np.random.default_rng(seed + 1)
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for known in (*tables(n // 2, seed), *headed_tables(n - n // 2, seed)):
        neutral = known.neutral()
        for names, one in (("telling", known), ("neutral", neutral)):
            found, how = outcome(one, said)
            count[f"{names} {found}"] += 1
            if found == "wrong":
                wrong.append(f"{names}: {one.frame.columns} {one.frame.row(0)}: {how}")
            again, how_again = outcome(one.shuffled(rng), said)
            if again != found:
                count["changed by order"] += 1
                wrong.append(f"{names}, shuffled: {one.frame.columns}: {found}, {how} | {again}, {how_again}")
    return count, wrong


def test_tables_of_known_roles_are_not_read_wrong(logged):
    count, wrong = rates(16, 11, logged)
    assert not wrong
    assert count["telling right"] >= 5


@pytest.mark.slow
def test_one_in_five_hundred_at_most(logged):
    count, wrong = rates(2_000, 12, logged)
    assert count["telling wrong"] + count["neutral wrong"] <= 4_000 / 500, wrong
    assert count["changed by order"] == 0, wrong


def proposed(**columns):
    with looked_at(pl.DataFrame(columns), Rows()) as table:
        found = pair_of(table)
        return None if found is None else dict(found.options)


SIDES = {"left": ["ann", "bob", "cleo"], "right": ["bob", "cleo", "ann"]}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({**SIDES, "best": ["ann", "cleo", "tie"]}, {"winner": "best"}),
        ({**SIDES, "res": [1, -1, 1]}, {"winner": "res", "outcomes": {"a": 1, "b": -1}}),
        (
            {**SIDES, "best": ["A is better", "B is better", "about the same"]},
            {"winner": "best", "outcomes": {"a": "A is better", "b": "B is better", "tie": "about the same"}},
        ),
        ({**SIDES, "res": [1, 2, 0]}, {"winner": "res", "outcomes": {"a": 1, "b": 2, "tie": 0}}),
        ({**SIDES, "left_wins": [3, 4, 9], "right_wins": [1, 2, 3]}, {"wins": ("left_wins", "right_wins")}),
    ],
)
def test_outcomes(columns, options):
    assert proposed(**columns) == {"model_a": "left", "model_b": "right"} | options


@pytest.mark.parametrize(
    "columns",
    [
        {"a": ["x", "y"], "b": ["p", "q"], "winner": ["x", "y"]},
        {"good": ["yes", "no"], "short": ["no", "yes"], "score": [1, 2]},
        {**SIDES, "note": ["fine", "bad", "odd"]},
    ],
)
def test_no_votes(columns):
    assert proposed(**columns) is None


def test_judges_side_by_side_who_often_agree_are_no_sides():
    words = ["benign", "harmful", "unclear", "benign", "harmful"]
    assert proposed(gpt=words, gemini=words[::-1], grok=words) is None


def test_truths_beside_sides_are_no_reason_to_stop():
    assert proposed(**SIDES, safe=[True, False, True], res=[1, 2, 1]) == {
        "model_a": "left",
        "model_b": "right",
        "winner": "res",
        "outcomes": {"a": 1, "b": 2},
    }


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_several_columns_of_winners_are_what_judges_said(tmp_path, library):
    frame = pl.DataFrame(
        {
            "model_a": ["x", "y"] * 12,
            "model_b": ["y", "z"] * 12,
            **{f"winner{k}": [("a", "b", "tie")[(i * k) % 3] for i in range(24)] for k in (1, 2)},
        }
    )
    frame.write_csv(tmp_path / "a.csv")
    votes = q.read(tmp_path / "a.csv", announce=False)
    assert votes.facet("judge").levels == ("winner1", "winner2")
    assert (votes.n, len(votes.facet("prompt").levels)) == (48, 24)
    own = frame if library == "polars" else frame.to_pandas()
    same = q.read(own, winner=["winner1", "winner2"], facets={"prompt": "row number"}, announce=False)
    assert same.wins("x", "y") == votes.wins("x", "y")


def test_people_beside_judges_who_say_who_won_are_asked_about(tmp_path):
    names = ("human_winner", "gpt-4o", "claude-3")
    winners = {name: [("a", "b", "tie")[(i * k) % 3] for i in range(24)] for k, name in enumerate(names, 1)}
    frame = pl.DataFrame({"model_a": ["x", "y"] * 12, "model_b": ["y", "z"] * 12, **winners})
    with pytest.raises(InvalidInput, match=r'winner=\("human_winner", "gpt-4o", "claude-3"\), .*judges against people'):
        q.read(frame)
