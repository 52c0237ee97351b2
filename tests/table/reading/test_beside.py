"""People beside judges, places by jurors, users of one version, and columns whose neighbours say what they are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.table.judgments import Judgments
from quorate.table.reading.reading import Unsure
from quorate.table.votes import Votes

N = 60
RNG = np.random.default_rng(7)
TRUE = RNG.integers(1, 6, N)


def marks(shift=1):
    """Marks from 1 to 5 near the true ones."""
    return np.clip(TRUE + RNG.integers(-shift, shift + 1, N), 1, 5).tolist()


def words(*levels):
    return [levels[mark % len(levels)] for mark in marks()]


def asked(columns):
    with pytest.raises(Unsure) as found:
        q.read(pl.DataFrame(columns), announce=False)
    return found.value


IDS = {"id": [f"q{n}" for n in range(N)]}


@pytest.mark.parametrize(
    ("columns", "people", "judges"),
    [
        (IDS | {"human": marks(), "gpt4": marks()}, ("human",), ("gpt4",)),
        (IDS | {f"pathologist_{n}": marks() for n in "12"} | {"AI_grade": marks()}, None, ("AI_grade",)),
        (
            {"PMID": range(30_000, 30_000 + N)}
            | {f"Reviewer {n}": words("include", "exclude") for n in "12"}
            | {"GPT-4 decision": words("include", "exclude")},
            None,
            ("GPT-4 decision",),
        ),
        (IDS | {"rater1": marks(), "rater2": marks(), "claude": marks()}, ("rater1", "rater2"), ("claude",)),
    ],
)
def test_raters_beside_models_are_people(columns, people, judges):
    people = people or tuple(name for name in columns if name.startswith(("pathologist", "Reviewer")))
    way = asked(columns).beside_people("analyze")
    assert way.people == {"human": people}
    assert {*way.options["wide"]["judge"]} == {*people, *judges}
    assert q.agreement.against(q.read(pl.DataFrame(columns), announce=False, **way.options), people).judges == judges


def test_two_judges_who_may_both_be_models_are_no_people():
    assert asked(IDS | {"judge_a": marks(), "human": marks()}).beside_people("judges").people == {"human": ("human",)}
    table = q.read(pl.DataFrame(IDS | {"judge_a": marks(), "judge_b": marks()}), announce=False)
    assert table.facet("judge").levels == ("judge_a", "judge_b")


def test_what_is_right_beside_how_two_systems_did_is_nobodys_judgment():
    right = RNG.integers(0, 2, (2, N)).tolist()
    frame = pl.DataFrame(
        {"idx": range(N), "gold": RNG.integers(10, 99, N), "qwen_correct": right[0], "llama_correct": right[1]}
    )
    found = q.compare(frame, "qwen", "llama")
    assert found.difference.value == pytest.approx(np.mean(right[0]) - np.mean(right[1]))


def test_lists_of_people_beside_the_score_of_a_judge_are_asked_about():
    said = asked(
        IDS
        | {"judge.score": marks(), "human.ratings": [str([mark, mark, 3]) for mark in marks()]}
        | {"judge.model": "x"}
    )
    assert "human.ratings is what people said by name, judge.score what judges did" in said.problem


@pytest.mark.parametrize(
    ("score", "numbers"),
    [
        (["C", "I"] * (N // 2), [1, 0] * (N // 2)),
        (["Strong No", "No", "Yes", "Strong Yes"] * (N // 4), [1, 2, 3, 4] * (N // 4)),
        (["strong reject", "reject", "weak reject", "weak accept", "accept", "strong accept"] * (N // 6), None),
    ],
)
def test_words_in_order_are_numbers(score, numbers):
    table = q.read(pl.DataFrame(IDS | {"score": score}), announce=False)
    assert sorted(table.mean.tolist()) == sorted(numbers or [1, 2, 3, 4, 5, 6] * (N // 6))


def test_interviewers_judge():
    rows = {
        "Candidate": [f"c{n // 3}" for n in range(N)],
        "Interviewer": ["S. Okafor", "M. Chen", "J. Ruiz"] * (N // 3),
    }
    table = q.read(pl.DataFrame(rows | {"Rating": marks()}), announce=False)
    assert table.facet("judge").column == "Interviewer"


def test_how_sure_somebody_was_is_no_score():
    rows = {"study_id": [n // 3 for n in range(N)], "Radiologist": ["R1", "R2", "R3"] * (N // 3)}
    said = asked(
        rows | {"Finding": words("normal", "effusion", "nodule"), "Confidence": words("low", "moderate", "high")}
    )
    assert said.ways[0].options == {"score": "Finding", "facets": {"item": "study_id"}, "labels": True}


def test_sums_of_judges_are_left_out():
    columns = {"rater1_domain1": marks(), "rater2_domain1": marks()}
    total = [a + b for a, b in zip(*columns.values(), strict=True)]
    table = q.read(pl.DataFrame({"essay_id": range(N)} | columns | {"domain1_score": total}), announce=False)
    assert table.facet("judge").levels == tuple(columns)
    assert table.n_answers == 2 * N


def test_models_that_give_reasons_are_judges():
    models = ("gpt-4o", "claude-3-opus", "mixtral-8x22b")
    ratings = {
        f"{name}_{what}": marks() if what == "rating" else words("ok", "bad")
        for name in models
        for what in ("reason", "rating")
    }
    table = q.read(
        pl.DataFrame({"uid": range(N), "completion": [f"Text {n}" for n in range(N)]} | ratings), announce=False
    )
    assert table.n_levels("judge") == 3
    answers = {f"{name}_response": [f"{name} says {n}" for n in range(N)] for name in models}
    assert "do not say what they are" in asked({"uid": range(N)} | ratings | answers).problem
    criteria = {
        f"{name}_{what}": ratings[f"gpt-4o_{what}"]
        for name in ("helpfulness", "safety")
        for what in ("reason", "rating")
    }
    assert "judge" not in q.read(pl.DataFrame({"uid": range(N)} | criteria), announce=False).names


def test_counts_of_who_was_preferred_are_wins():
    old, new = RNG.integers(0, 5, (2, N))
    counts = {"prefers_old": old, "prefers_new": new, "no_preference": 9 - old - new}
    votes = q.read(pl.DataFrame({"prompt_id": [f"p{n}" for n in range(N)]} | counts), announce=False)
    assert isinstance(votes, Votes)
    assert (votes.wins("old", "new"), votes.wins("new", "old"), votes.n) == (old.sum(), new.sum(), 9 * N)


def test_the_best_is_ahead_of_all_that_was_shown_and_the_worst_behind():
    shown = [RNG.permutation(["ant", "bee", "cat", "dog", "eel"])[:4].tolist() for _ in range(N)]
    rows = {f"Item{n + 1}": [row[n] for row in shown] for n in range(4)}
    rows |= {"BestItem": [min(row[:2]) for row in shown], "WorstItem": [max(row[2:]) for row in shown]}
    votes = q.read(pl.DataFrame(rows), announce=False)
    assert isinstance(votes, Votes)
    assert votes.n == 5 * N  # of six pairs that of the two between was not compared
    best, worst = ([row[what] for row in pl.DataFrame(rows).to_dicts()] for what in ("BestItem", "WorstItem"))
    ahead = sum(
        {"ant", "dog"} <= {*row} and (one == "ant" or other == "dog")
        for row, one, other in zip(shown, best, worst, strict=True)
    )
    assert votes.wins("ant", "dog") == ahead
    alone = q.read(pl.DataFrame({name: rows[name] for name in ("BestItem", "WorstItem")}), announce=False)
    assert (alone.n, alone.wins("ant", "dog")) == (
        N,
        sum(pair == ("ant", "dog") for pair in zip(best, worst, strict=True)),
    )


def test_the_first_three_are_ahead_of_all_others_that_are_named():
    names = ["ant", "bee", "cat", "dog", "eel", "fox"]
    ballots = [RNG.permutation(names)[:3].tolist() for _ in range(N)]
    ballots[0][2] = None
    rows = {name: [row[n] for row in ballots] for n, name in enumerate(("1st choice", "2nd choice", "3rd choice"))}
    votes = q.read(pl.DataFrame({"voter": [f"v{n}" for n in range(N)]} | rows), announce=False)
    assert isinstance(votes, Votes)
    assert votes.n == (N - 1) * (2 + 1 + 3 * 3) + 1 + 2 * 4
    place = [{name: row.index(name) if name in row else 3 for name in names} for row in ballots]
    assert votes.wins("ant", "bee") == sum(one["ant"] < one["bee"] for one in place)


@pytest.mark.parametrize("mark", [">", "|"])
def test_marks_between_names_may_not_stand_in_them(mark):
    rows = {"best": ["ant", f"bee {mark} cat"] * 5, "worst": ["dog", "ant"] * 5}
    with pytest.raises(q.InvalidData, match="hold names with"):
        q.read_votes(pl.DataFrame(rows), rank="best>worst", cluster="row number", announce=False)


def test_jurors_whose_columns_are_places_rank_what_is_in_rows():
    jurors = {f"Juror {n}": RNG.permutation(np.arange(1, 9)).tolist() for n in range(5)}
    board = q.rank(pl.DataFrame({"Contestant": list("abcdefgh")} | jurors))
    assert {mean.value for mean in board.means} == set(np.mean(list(jurors.values()), axis=0))


def test_rows_are_compared_where_columns_are_judges():
    scores = {f"rater{n}": RNG.integers(1, 8, 12).tolist() for n in range(4)}
    board = q.rank(pl.DataFrame({"wine": [f"w{n}" for n in range(12)]} | scores))
    assert len(board.systems) == 12
    assert max(mean.value for mean in board.means) == np.max(np.mean(list(scores.values()), axis=0))


def test_users_of_one_version_each_are_drawn_and_turns_of_messages_left_out():
    user = RNG.integers(0, 20, N)
    rows = {
        "message_id": [f"m{n}" for n in range(N)],
        "user_id": user,
        "model_version": [f"v{one % 2}" for one in user],
    }
    rows |= {"turn": RNG.integers(1, 9, N), "feedback": ["thumbs_up" if mark > 2 else "thumbs_down" for mark in TRUE]}
    table = q.read(pl.DataFrame(rows), announce=False)
    assert isinstance(table, Judgments)
    assert "turn" not in table.names
    assert not table.facet("judge").fixed
    up = TRUE > 2
    found = q.compare(table, "v1", "v0")
    assert found.difference.value == pytest.approx(up[user % 2 == 1].mean() - up[user % 2 == 0].mean(), abs=0.02)
    assert np.isfinite(found.estimate.se)


def test_codes_of_a_choice_between_two_answers_are_no_scores():
    answers = {
        f"response_{side}": [f"{side} says {n} in a long sentence of its own." for n in range(N)] for side in "ab"
    }
    rows = {"pair_id": range(N)} | answers | {"choice": RNG.integers(0, 4, N), "worker": ["w1", "w2", "w3"] * (N // 3)}
    assert "perhaps which of the two is better" in asked(rows).problem


def test_columns_that_end_as_judges_are_judges():
    rows = {"patch_id": range(N)} | {f"{name}_judge": marks() for name in ("gpt4o", "sonnet", "gemini")}
    assert q.read(pl.DataFrame(rows), announce=False).n_levels("judge") == 3


def test_what_was_answered_is_nobody_beside_whether_it_passed():
    rows = {"task_id": [f"t{n // 6}" for n in range(N)], "model": ["a", "b"] * (N // 2)}
    rows |= {
        "completion_id": [n % 6 // 2 for n in range(N)],
        "completion": words("return 1", "return a"),
        "passed": TRUE > 2,
    }
    table = q.read(pl.DataFrame(rows), announce=False)
    assert (table.n_levels("item"), table.n_levels("system"), "judge" in table.names) == (10, 2, False)


def test_thumbs_are_a_judgment_by_what_they_are():
    rows = {"trace_id": [f"t{n}" for n in range(N)], "feedback": words("thumbs_up", "thumbs_down", None)}
    table = q.read(pl.DataFrame(rows), announce=False)
    assert set(np.unique(table.mean[table.n > 0])) == {0.0, 1.0}


def test_an_id_that_comes_back_in_each_system_is_what_is_judged():
    half = N // 2
    rows = {"id": [f"ex{n % half}" for n in range(N)], "text": [f"ticket {n % 7}" for n in range(N)]}
    rows |= {"system": ["old"] * half + ["new"] * half, "prediction": words("billing", "other"), "is_correct": TRUE > 2}
    assert q.read(pl.DataFrame(rows), announce=False).facet("item").column == "id"


def test_items_that_are_numbered_anew_in_each_task_are_both_together():
    task, doc, model = (
        one.ravel() for one in np.meshgrid(["arc", "mmlu", "gsm"], range(10), ["x", "y"], indexing="ij")
    )
    rows = {"model": model, "task": task, "doc_id": doc.astype(int), "acc": RNG.integers(0, 2, N)}
    table = q.read(pl.DataFrame(rows), announce=False)
    assert (table.facet("item").column, table.n_levels("item"), table.n_cells) == ("task*doc_id", 30, N)
    assert "task" not in table.names
