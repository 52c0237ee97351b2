from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Verdicts of three judges under two prompts on 60 items, with the label of each item in a column."""
    rng = np.random.default_rng(3)
    truth, lines = rng.integers(0, 2, 60), []
    for i in range(60):
        for judge, share in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
            for prompt in "pq":
                said = truth[i] if rng.random() < share else 1 - truth[i]
                lines.append(f"i{i},{judge},{prompt},{said},{truth[i]}")
    path = tmp_path_factory.mktemp("against") / "scores.csv"
    path.write_text("item,judge,prompt,score,gold\n" + "\n".join(lines) + "\n")
    return path


def test_labels_beside_items_that_only_their_values_tell(run, tmp_path):
    path = tmp_path / "labels.csv"
    rows = [
        (
            f"d{i:02}",
            judge,
            "toxic" if (i + (judge == "b") * (i % 5 == 0)) % 2 else "safe",
            "toxic" if i % 2 else "safe",
        )
        for i in range(40)
        for judge in "ab"
    ]
    path.write_text("doc,annotator,label,human\n" + "".join(f"{','.join(row)}\n" for row in rows))
    found = run("judges", path, "--labels", "--score", "label", "--human-label", "human", "--json").json
    assert (found["items"], found["unit"]) == (40, "item")
    assert [one["right"]["value"] for one in found["rates"]] == [1.0, 0.8]


def test_people_are_named_once(run, scores, tmp_path):
    both = run("judges", scores, "--human", "a", "--human-label", "gold").err
    assert "one of the three" in both
    (tmp_path / "people.csv").write_text(scores.read_text().replace("score,gold", "mark,score"))
    theirs = run("judges", scores, "--people", "people.csv", "--json").json
    assert theirs["items"] == 60
    (tmp_path / "people.csv").write_text(scores.read_text().replace("score", "zebra"))
    assert "people.csv is read as the judges are, and " in run("judges", scores, "--people", "people.csv").err


def test_votes_stand_beside_the_votes_of_people(run, tmp_path):
    rng, lines = np.random.default_rng(8), []
    for prompt in range(60):
        truth = rng.choice(["model_a", "tie", "model_b"])
        for judge in "abc":
            said = truth if rng.random() < 0.7 else "model_a"
            lines += [f"{prompt},x,y,{judge},{variant},{said},{truth}" for variant in "pq"]
    path = tmp_path / "votes.csv"
    path.write_text("prompt,model_a,model_b,judge,variant,winner,people\n" + "\n".join(lines) + "\n")
    options = ("--splits", "20", "--resamples", "100", "--human-label", "people", "--facet", "variant=variant")
    ran = run("judges", path, *options)
    assert (ran.code, ran.err) == (0, "")
    said = ran.said
    assert "of 60 labelled battles" in said
    assert "configuration battles right" in said
    assert run("judges", path, "--human", "a", "--json", "--splits", "20").json["unit"] == "battle"
    mixed = run("judges", path, *options, "--score", "winner", "--winner", "people")
    assert "--winner: for votes, and --score is for scores" in mixed.err


def test_a_column_of_people_beside_columns_of_judges_and_a_bar(run, tmp_path):
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, 100)
    said = {
        f"judge_{name}": np.where(rng.random(100) < share, gold, 1 - gold) for name, share in (("a", 0.95), ("b", 0.6))
    }
    path = tmp_path / "judged.csv"
    pl.DataFrame({"item": range(100), **said, "human": gold}).write_csv(path)
    for option in ("--human", "--human-label"):
        ran = run("judges", path, option, "human", "--bar", "sensitivity=.7,specificity=.7", "--json")
        found = ran.json
        assert (ran.code, [one["judge"] for one in found["rates"]]) == (2, ["judge_a", "judge_b"])
        assert found["rates"][0]["right"]["value"] == pytest.approx(np.mean(said["judge_a"] == gold))
        assert found["sentence"].startswith(
            "By the bar of sensitivity 0.7 and specificity 0.7, judge_a is fit and judge_b is not"
        )
    assert run("judges", path).out == run("judges", path, "--human", "human").out
    assert "expects numbers such as sensitivity=.9" in run("judges", path, "--human", "human", "--bar", "high").err


@pytest.fixture
def path(tmp_path):
    """200 battles: judge a says what people say of 8 in 10, judge b of 6; half of the battles are hard."""
    draw = random.Random(1)
    lines = []
    for number in range(200):
        person = draw.choice(["model_a", "model_b"])
        other = "model_b" if person == "model_a" else "model_a"
        for judge, agrees in (("a", 8), ("b", 6)):
            said = person if number % 10 < agrees else other
            lines.append(f"x,y,p{number},{'hard' if number % 2 else 'easy'},{judge},{said},{person}\n")
    out = tmp_path / "votes.csv"
    out.write_text("".join(["model_a,model_b,prompt,prompt_type,judge,winner,person\n", *lines]))
    return out


def test_agreement_by_a_column_of_people(run, path):
    ran = run("judges", "--agree", path, "--human-label", "person", "--each", "judge", "--seed", 1)
    assert (ran.code, ran.err) == (0, "")
    assert "a with ties 200 80" in ran.said
    assert "b with ties 200 60" in ran.said
    assert "judges without 160 75" in ran.said
    assert "people = person" in ran.said
    assert "not used" not in ran.said


def test_single_cells_and_a_threshold(run, path):
    options = ["--human-label", "person", "--each", "judge", "--each", "prompt_type", "--threshold", 0.6]
    found = run("judges", "--agree", path, *options, "--json").json
    assert list(found["ties"]) == ["judges", "a, easy", "a, hard", "b, easy", "b, hard"]
    assert set(found["thresholds"].values()) == {0.6}
    assert set(found["ties"].values()) == {1.0}
    assert set(found["human_ties"].values()) == {0.0}


def test_people_among_the_judges(run, path):
    found = run("judges", "--agree", path, "--human", "a", "--by", "prompt_type", "--json").json
    rates = {(one["category"], one["kind"]): one["value"] for one in found["rates"]}
    assert rates["all", "overall"] == pytest.approx(0.8)
    assert {"easy", "hard"} <= {category for category, _ in rates}


@pytest.mark.wide(5)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "--human: name the judges who are people, or give --human-label"),
        ("--human a --human-label person", "--human: name the judges who are people, or give --human-label"),
        ("--human a --position", "which response was shown first is not known; read them with --role order=COLUMN"),
        ("--human nobody", "nobody"),
        ("--human-label nobody", 'no column "nobody"'),
        ("--human a --by colour", "colour"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    assert says in run("judges", "--agree", path, *words.split()).refused()


@pytest.fixture
def both_orders(tmp_path):
    """50 prompts of two pairs of systems each, before two judges in both orders; judge b takes what is first."""
    draw = random.Random(2)
    lines = []
    for number in range(50):
        for other in ("y", "z"):
            person = draw.choice(["model_a", "model_b"])
            for judge in ("a", "b"):
                for swapped in ("false", "true"):
                    first = "model_b" if swapped == "true" else "model_a"
                    said = person if judge == "a" or number % 2 else first
                    lines.append(f"x,{other},p{number},{judge},v{number % 2},{swapped},{said},{person}\n")
    out = tmp_path / "orders.csv"
    out.write_text("".join(["model_a,model_b,prompt,judge,wording,swapped,winner,person\n", *lines]))
    return out


def test_cells_position_and_a_report(run, both_orders):
    words = ["--human-label", "person", "--each", "judge", "--cells", "judge,wording", "--position"]
    ran = run(
        "judges", "--agree", both_orders, *words, "--facet", "wording=wording", "--report", "page.md", "--seed", 1
    )
    assert (ran.code, ran.err) == (0, "")
    assert "of 100 battles in 50 clusters by prompt as people do" in ran.said
    assert "b, v0 100 50" in ran.said
    assert "b 100 75" in ran.said  # b takes the first of every other prompt
    assert "Report: page.md" in ran.said
    assert "## Single judgments, cell by cell" in Path("page.md").read_text(encoding="utf-8")
    run("judges", "--agree", both_orders, *words, "--facet", "wording=wording", "--report", "page.json", "--seed", 3)
    assert json.loads(Path("page.json").read_text(encoding="utf-8"))["provenance"]["seed"] == "3"


def test_clusters_and_what_else_is_in_the_json(run, both_orders):
    words = ["--human-label", "person", "--facet", "wording=wording", "--cells", "judge,order", "--json"]
    found = run("judges", "--agree", both_orders, *words, "--cluster", "wording").json
    assert (found["cluster"], found["rates"][0]["clusters"]) == ("wording", 2)
    assert [one["code"] for one in found["caveats"]] == ["few-clusters"]
    assert len(found["cells"]["cells"]) == 4
    assert found["positions"] == []


def test_scores_beside_a_file_of_people(run, tmp_path):
    """Scores from 1 to 5 of both responses; people vote."""
    scores, votes = ["item,system,judge,score\n"], ["model_a,model_b,prompt,winner\n"]
    for number in range(30):
        better = "xy"[number % 2]
        scores += [f"p{number},{s},{j},{4 if s == better else 3 - j}\n" for s in "xy" for j in (0, 2)]
        votes.append(f"x,y,p{number},{better if number % 5 else 'tie'}\n")
    (tmp_path / "scores.csv").write_text("".join(scores))
    (tmp_path / "people.csv").write_text("".join(votes))
    words = ["scores.csv", "--people", "people.csv", "--threshold", 0.5]
    found = run("judges", "--agree", *words, "--json").json
    assert found["rates"][0]["value"] == pytest.approx(0.8)
    assert run("judges", "--agree", *words).code == 0
    ran = run("judges", "--agree", *words, "--cells", "judge")
    assert (ran.code, ran.err) == (1, "quorate: --cells: for votes, and this file has scores; leave it out\n")
    ran = run("judges", "--agree", "scores.csv", "--people", "people.csv")
    assert (ran.code, ran.err.count("--threshold 0.5 to keep it")) == (1, 1)


def test_people_in_a_file_of_their_own_beside_votes(run, path):
    found = run("judges", "--agree", path, "--people", path, "--human-label", "person", "--json").json
    assert (
        found["rates"][0]["value"]
        == run("judges", "--agree", path, "--human-label", "person", "--json").json["rates"][0]["value"]
    )


@pytest.fixture(scope="module")
def corrected_scores(tmp_path_factory):
    """200 items with scores by a judge that is half a point too kind; two people scored 40 of them."""
    rng = np.random.default_rng(4)
    truth = rng.normal(5, 1, 200)
    lines = [f"i{i},llm,{truth[i] + 0.5 + rng.normal(0, 0.4):.3f}" for i in range(200)]
    lines += [f"i{i},{'ann' if i % 2 else 'bob'},{truth[i]:.3f}" for i in range(40)]
    path = tmp_path_factory.mktemp("corrected") / "scores.csv"
    path.write_text("item,judge,score\n" + "\n".join(lines) + "\n")
    return path


def test_what_people_would_find(run, corrected_scores, tmp_path):
    page = tmp_path / "corrected.md"
    ran = run("compare", corrected_scores, "--human", "ann", "--human", "bob", "--cluster", "none", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    expected = q.agreement.corrected(q.read(corrected_scores, announce=False), ["ann", "bob"], cluster=())
    assert ran.said.startswith(expected.sentence)
    assert "labels alone" in ran.said
    assert "were chosen at random" in ran.said or "at random" in ran.said
    assert expected.sentence in page.read_text()
    found = json.loads(
        run("compare", corrected_scores, "--human", "ann", "--human", "bob", "--level", "0.9", "--json").out
    )
    assert (found["level"], found["cluster"]) == (0.9, ["judge"])


def test_people_in_a_file_of_their_own_and_what_is_refused(run, corrected_scores, tmp_path):
    lines = corrected_scores.read_text().splitlines()
    judges, people = tmp_path / "judges.csv", tmp_path / "people.csv"
    judges.write_text("\n".join([lines[0], *(one for one in lines if ",llm," in one)]) + "\n")
    people.write_text("\n".join([lines[0], *(one for one in lines if ",ann," in one or ",bob," in one)]) + "\n")
    apart = run("compare", judges, "--people", people, "--cluster", "none").out.split("Columns")[0]
    together = run("compare", corrected_scores, "--human", "ann", "--human", "bob", "--cluster", "none").out.split(
        "Columns"
    )[0]
    assert apart == together
    people.write_text(people.read_text().replace("score", "zebra"))
    refused = run("compare", judges, "--people", people).err
    assert "zebra taken for the score, the only column of marks" in refused
    assert (
        "a, b: a difference of scores is of two systems" in run("compare", corrected_scores, "x", "--human", "ann").err
    )


def test_a_column_of_labels_is_what_their_own_file_says(run, tmp_path):
    """A wide table: every judge's vote with the label of its battle beside it, on a part of the battles."""
    rng = np.random.default_rng(5)
    battles = [(i, *("xyz"[k] for k in rng.choice(3, 2, replace=False)), rng.random() < 0.5) for i in range(120)]
    lines, people = [], []
    for i, a, b, first in battles:
        said = "" if i % 3 else (a if first else b)
        people += [f"{i},{a},{b},ann,{said}"] if said else []
        for judge in ("i", "j"):
            vote = a if first ^ (rng.random() < 0.3) else b
            lines.append(f"{i},{a},{b},{judge},{vote},{said}")
    wide, own, alone = (tmp_path / name for name in ("wide.csv", "people.csv", "judges.csv"))
    wide.write_text("\n".join(["prompt,model_a,model_b,judge,winner,label", *lines]))
    alone.write_text("\n".join(["prompt,model_a,model_b,judge,winner", *(one.rpartition(",")[0] for one in lines)]))
    own.write_text("\n".join(["prompt,model_a,model_b,judge,winner", *people]))
    prices = ("--human-price", 1, "--price", 0.01, "--budget", 90)
    for words in (("compare", "x"), ("rank",), ("plan", "--a", "x", *prices)):
        command, *rest = words
        label = run(command, wide, *rest, "--human-label", "label", "--cluster", "prompt", "--json").json
        people_file = run(command, alone, *rest, "--people", own, "--cluster", "prompt", "--json").json
        assert label == people_file


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("board") / "votes.csv"
    labelled(frame(300, favour=3), 100).with_columns(chance=0.25).write_csv(path)
    return path


def test_a_board_that_tells_no_two_apart_is_undecided(run, tmp_path):
    path = tmp_path / "votes.csv"
    labelled(frame(20, favour=0), 10).write_csv(path)
    ran = run("rank", path, "--human", "person")
    assert (ran.code, ran.err) == (2, "")


def test_the_board_that_people_would_give(run, table, tmp_path):
    page = tmp_path / "board.md"
    ran = run("rank", table, "--human", "person", "--half-width", "0.3", "--price", "2", "--report", page)
    expected = q.agreement.corrected_ratings(q.read_votes(table, announce=False), "person")
    plan = q.agreement.plan_board_labels(expected, half_width=0.3, price=2)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith(expected.sentence)
    assert plan.sentence in ran.said
    assert "Judges alone rate s2 " in ran.said
    assert plan.sentence in page.read_text()
    by = run(
        "rank", table, "--human", "person", "--strata", "prompt_type", "--elo", "--ties", "half", "--json",
        "--sampling-probability", "chance",
    )  # fmt: skip
    found = by.json
    board = found["board"]
    assert (board["strata"], board["ratings"]["ties"], len(board["weights"])) == ("prompt_type", "half", 4)
    assert found["goal"] == "resolved"
    assert board["systems"][0]["rating"] > 900


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """400 answers, labelled by a judge that likes long ones, and every fourth or so by people."""
    rng = np.random.default_rng(8)
    length = rng.normal(size=400).round(3)
    chance = np.where(length > 0, 0.4, 0.2)
    right = rng.random(400) < 1 / (1 + np.exp(-0.3 * length))
    said = np.where(rng.random(400) < 1 / (1 + np.exp(2 - length)), True, right)
    label = [int(one) if rng.random() < p else None for one, p in zip(right, chance, strict=True)]
    columns = {"length": length, "kind": rng.choice(["code", "prose"], 400), "author": rng.integers(30, size=400)}
    frame = pl.DataFrame({**columns, "judge": said.astype(int), "person": label, "chance": chance})
    path = tmp_path_factory.mktemp("regress") / "answers.csv"
    frame.write_csv(path)
    return path, frame


def test_a_regression_of_a_file(run, rows, tmp_path):
    path, frame = rows
    given = ("--outcome", "judge", "--on", "length,kind", "--labels", "person", "--probability", "chance")
    page = tmp_path / "regression.md"
    ran = run("regress", path, *given, "--link", "logit", "--cluster", "author", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    found = q.regress(
        frame["judge"], frame[["length", "kind"]], frame["person"], frame["chance"],
        cluster={"author": frame["author"]}, link="logit",
    )  # fmt: skip
    assert ran.said.startswith(found.sentence)
    assert "kind=prose" in ran.out
    assert found.sentence in page.read_text()
    plain = run("regress", path, *given[:-1], "0.3", "--level", "0.9", "--json").json
    assert (plain["level"], plain["link"], plain["probability"]) == (0.9, None, [0.3, 0.3])
    part = run("regress", path, *given, "--where", "kind = 'code'", "--json").json
    assert part["n"] == (frame["kind"] == "code").sum()


def test_what_is_refused(run, rows):
    path, _ = rows
    given = ("--outcome", "judge", "--on", "length", "--labels", "person")
    assert 'source: no column "size"' in run("regress", path, *given, "--probability", "size").err
    assert "sampling_probability: numbers above 0" in run("regress", path, *given, "--probability", "0").err
    assert "--on: name a column" in run("regress", path, *given[:2], "--on", ",", *given[4:], "--probability", "1").err


def test_both_chances(run, tmp_path):
    page = tmp_path / "page.md"
    ran = run("regress", "--sign-flip", "--beta", "-0.2", "--se", "0.1", "--ratio", "0.5", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith(q.scores.sign_flip(-0.2, 0.1, ratio=0.5).sentence)
    assert "The coefficient -0.2 would have the other sign" in page.read_text(encoding="utf-8")
    found = run("regress", "--sign-flip", "--beta", "-0.2", "--se", "0.1", "--df", "8", "--json").json
    assert found["differs"] == q.scores.sign_flip(-0.2, 0.1, df=8).differs
    assert run("regress", "--sign-flip", "--beta", "0.2", "--se", "0").code == 1


def test_the_label_of_a_pilot(run, tmp_path):
    path = tmp_path / "pilot.csv"
    draw = np.random.default_rng(2).normal(0, 1, (20, 3, 2))
    rows = [(i, f"p{p}", r, i / 5 + draw[i, p, r]) for i in range(20) for p in range(3) for r in range(2)]
    pl.DataFrame(rows, schema=["item", "prompt", "replicate", "score"], orient="row").write_csv(path)
    options = ("--levels", "prompt=3", "--replicates", "2", "--drawn", "prompt", "--bias", "0.1")
    ran = run("regress", "--surrogate", path, *options, "--report", tmp_path / "page.md")
    assert (ran.code, ran.err) == (0, "")
    fit = q.decompose(q.read(path, announce=False))
    expected = q.scores.surrogate(fit, levels={"prompt": 3}, replicates=2, drawn=["prompt"], bias=0.1)
    assert ran.said.startswith(expected.sentence)
    assert expected.sentence[:60] in (tmp_path / "page.md").read_text(encoding="utf-8")
    found = run("regress", "--surrogate", path, *options, "--json").json
    assert found["variance"] == pytest.approx(expected.variance)
    assert found["parts"]["bias"] == 0.1


def test_people_are_named_by_their_column(run, tmp_path):
    rng = np.random.default_rng(1)
    human = rng.random(400) < 0.6
    judge = np.where(rng.random(400) < 0.85, human, True)
    rows = [f"{i},{int(judge[i])},{int(human[i]) if i % 4 == 0 else ''}" for i in range(400)]
    path = tmp_path / "rated.csv"
    path.write_text("item,judge,human\n" + "\n".join(rows) + "\n")
    named, column = (run("analyze", path, option, "human", "--json") for option in ("--human", "--human-label"))
    assert (named.code, column.code) == (0, 0)
    for ran in (named, column):
        found = ran.json
        low, high = (found["estimate"][name] for name in ("low", "high"))
        assert found["labels"] == 100
        assert low < 0.6 < high < low + 0.2  # the judge's column is no judge of the labels, who would be two clusters


def test_labels_are_named_by_their_column(run, tmp_path):
    said = ["toxic" if i % 3 else "fine" for i in range(60)]
    judged = [one if i % 7 else "fine" for i, one in enumerate(said)]
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,human,gpt\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(zip(said, judged, strict=True)))
    )
    both, agree = (sum(a == b for a, b in zip(said, judged, strict=True)), run("judges", path, "--human", "human"))
    assert agree.code == 0
    assert f"right on {100 * both / 60:.1f}%" in agree.said
