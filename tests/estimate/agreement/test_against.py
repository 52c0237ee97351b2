from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm

JUDGES = (("x", 0.9), ("y", 0.7))
RIGHT = {"good": 0.9, "fair": 0.75, "copy": 0.75, "poor": 0.45}


@pytest.fixture(scope="module")
def frame():
    """Four judges under two prompts, twice, of which "copy" says what "fair" says; an annotator on most items."""
    rng = np.random.default_rng(7)
    truth, rows = rng.integers(0, 2, 120), []
    for i in range(120):
        said = {}
        for judge, share in RIGHT.items():
            own = said["fair"] if judge == "copy" else np.where(rng.random() < share, truth[i], 1 - truth[i])
            said[judge] = own
            for prompt in "pq":
                for again in range(2):
                    flip = rng.random() < (0.05 if prompt == "p" else 0.2)
                    rows.append((f"i{i}", judge, prompt, again, int(1 - own if flip else own)))
        if i < 100:
            rows.append((f"i{i}", "ann", "p", 0, int(truth[i])))
    return pl.DataFrame(rows, schema=["item", "judge", "prompt", "replicate", "score"], orient="row")


@pytest.fixture(scope="module")
def found(frame):
    return q.agreement.against(q.read(frame, announce=False), "ann", splits=50, resamples=200)


def table(frame, judge, prompt):
    """Share of right answers of every labelled item of one configuration."""
    label = frame.filter(pl.col("judge") == "ann").select("item", truth="score")
    own = frame.filter(pl.col("judge") == judge, pl.col("prompt") == prompt).join(label, on="item")
    right = own.group_by("item").agg((pl.col("score") == pl.col("truth")).mean()).sort("item")
    return right["score"].to_numpy()


def test_every_configuration_and_the_majority_are_what_counting_says(frame, found):
    each = {(j, p): table(frame, j, p) for j in RIGHT for p in "pq"}
    assert found.roles == ("prompt", "judge")
    assert {one.levels: one.value for one in found.configurations} == pytest.approx(
        {(p, j): own.mean() for (j, p), own in each.items()}
    )
    share = np.mean(list(each.values()), axis=0)
    majority = (share > 0.5 + 1e-9) + 0.5 * (np.abs(share - 0.5) < 1e-9)
    assert found.majority.value == pytest.approx(majority.mean())
    assert found.average.value == pytest.approx(share.mean())
    gaps = np.array([majority.mean() - own.mean() for own in each.values()])
    assert found.beaten.value == np.mean((gaps > 1e-9) + 0.5 * (np.abs(gaps) <= 1e-9))
    r = np.corrcoef(2 * share * (1 - share), share)[0, 1]
    assert found.disagreement.value == pytest.approx(r)
    assert (found.items, found.unlabelled, found.undecided) == (100, 20, 0)
    assert sum(one.n for one in found.tertiles) == 100
    assert found.tertiles[0].average.value > found.tertiles[-1].average.value


def test_the_panel_is_worth_fewer_judges_and_may_do_without_one(frame, found):
    by_judge = np.column_stack([(table(frame, j, "p") + table(frame, j, "q")) / 2 for j in sorted(RIGHT)])
    own = np.cov(by_judge.T)
    assert found.worth.value == pytest.approx(np.diag(own).mean() / by_judge.mean(axis=1).var(ddof=1))
    assert found.worth.low < found.worth.value < found.worth.high < 4
    assert found.judges == ("copy", "fair", "good", "poor")
    assert {one.judge for one in found.drops} == set(RIGHT)
    without = np.mean([table(frame, j, p) for j in RIGHT if j != "good" for p in "pq"], axis=0)
    right = (without > 0.5 + 1e-9) + 0.5 * (np.abs(without - 0.5) < 1e-9)
    good = next(one for one in found.drops if one.judge == "good")
    assert good.gain.value == pytest.approx(right.mean() - found.majority.value)
    for one in found.drops:
        assert (one.more == 0) == (one.gain.low > 0 or one.gain.high < 0)


def test_rewording_flips_more_than_asking_again(frame, found):
    """Chances of flipping are .05 and .2, so that verdicts differ by .05 .95 2 and .2 .8 2 again, .23 between."""
    assert found.flips.rerun.value == pytest.approx((0.095 + 0.32) / 2, abs=0.04)
    assert found.flips.reworded.value == pytest.approx(0.05 * 0.8 + 0.95 * 0.2, abs=0.04)
    assert found.flips.excess.value == pytest.approx(found.flips.reworded.value - found.flips.rerun.value)


def test_the_answer_is_one_sentence(found):
    said = found.sentence
    assert "4 judges are worth" in said
    assert "Nobody is seen to be better left out: without copy" in said
    assert "Rewording flips" in said
    assert "asking again" in said
    assert [one.code for one in found.caveats] == []


def test_two_judges_have_no_majority():
    rng = np.random.default_rng(8)
    truth, rows = rng.integers(0, 3, 90), []
    for judge, share in (("ada", 0.8), ("bly", 0.6)):
        said = np.where(rng.random(90) < share, truth, (truth + 1) % 3)
        rows += [(f"i{i}", judge, "xyz"[one]) for i, one in enumerate(said)]
    frame = pl.DataFrame(rows + [(f"i{i}", "ann", "xyz"[one]) for i, one in enumerate(truth)], orient="row")
    frame.columns = ["item", "judge", "score"]
    found = q.agreement.against(q.read(frame, labels=True, announce=False), "ann", splits=20, resamples=50)
    right = {one.levels[-1]: one.value for one in found.configurations}
    said = f"Of 90 labelled items ada is right on {right['ada']:.1%}, bly on {right['bly']:.1%}."
    assert found.sentence.startswith(said)


@pytest.mark.slow
def test_labels_are_words_too_and_people_may_have_a_table(frame, found):
    words = frame.with_columns(score=pl.col("score").replace_strict({0: "no good", 1: "fine"}, return_dtype=pl.String))
    people = pl.col("judge") == "ann"
    judged, human = (q.read(words.filter(one), labels=True, announce=False) for one in (~people, people))
    same = q.agreement.against(judged, human, splits=50, resamples=200)
    assert same.majority == found.majority
    assert same.drops == found.drops


def test_what_cannot_be_compared_is_refused_by_name(frame):
    judgments = q.read(frame, announce=False)
    with pytest.raises(UnknownTerm, match="bob"):
        q.agreement.against(judgments, "bob")
    with pytest.raises(InvalidInput, match="judges and people are both needed"):
        q.agreement.against(judgments, ["ann", *RIGHT])
    other = q.read(frame.with_columns(item=pl.lit("z") + pl.col("item")), announce=False)
    with pytest.raises(NotEstimable, match="none is of what was judged; items are matched"):
        q.agreement.against(judgments, other)
    halves = q.read(frame.with_columns(score=pl.col("score") + 0.25), announce=False)
    with pytest.raises(InvalidInput, match="most labels are verdicts that no judge gives"):
        q.agreement.against(judgments, halves)
    with pytest.raises(InvalidInput, match="splits: must be a whole number of at least 20"):
        q.agreement.against(judgments, "ann", splits=3)


@pytest.fixture(scope="module")
def battles():
    """Two judges, two wordings, both orders, on three pairs of systems for every prompt; people's votes beside."""
    rng, rows = np.random.default_rng(5), []
    for prompt in range(40):
        for a, b in (("x", "y"), ("z", "x"), ("y", "z")):
            truth = rng.choice(["model_a", "model_b", "tie"], p=[0.45, 0.4, 0.15])
            for judge, share in (("good", 0.8), ("poor", 0.5)):
                for variant in "pq":
                    for turned in (False, True):
                        said = truth if rng.random() < share else rng.choice(["model_a", "model_b", "tie"])
                        other = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
                        sides = (b, a, other[said], other[truth]) if turned else (a, b, said, truth)
                        rows.append((prompt, *sides, judge, variant, "model_a", int(turned)))
    names = ["prompt", "model_a", "model_b", "winner", "people", "judge", "variant", "first", "again"]
    return pl.DataFrame(rows, schema=names, orient="row")


def read_battles(frame, winner="winner"):
    return q.read_votes(frame, winner=winner, facets={"variant": "variant"}, announce=False)


def test_votes_are_verdicts_on_battles(battles):
    found = q.agreement.against(read_battles(battles), read_battles(battles, "people"), splits=50, resamples=100)
    assert (found.unit, found.items, found.clusters) == ("battle", 120, 40)
    assert set(found.roles) == {"judge", "variant"}
    assert "120 labelled battles" in found.sentence
    right = battles.with_columns(right=pl.col("winner") == pl.col("people"))
    each = right.group_by("judge", "variant").agg(pl.col("right").mean())
    by_name = {frozenset(row[:2]): row[2] for row in each.rows()}
    assert {frozenset(one.levels): one.value for one in found.configurations} == pytest.approx(by_name)
    assert found.flips is not None  # between the two wordings
    assert found.worth.value == pytest.approx(
        q.agreement.against(*as_labels(battles), splits=50, resamples=100).worth.value
    )


def as_labels(frame):
    """The same as labels of items: the system that won, by name."""
    won = [
        pl.when(pl.col(column) == "tie").then(pl.lit("tie"))
        .when((pl.col(column) == "model_a") == (pl.col("model_a") < pl.col("model_b"))).then(pl.lit("first"))
        .otherwise(pl.lit("second")).alias(name)
        for column, name in (("winner", "said"), ("people", "label"))
    ]  # fmt: skip
    pair = pl.concat_str(
        pl.col("prompt"), pl.min_horizontal("model_a", "model_b"), pl.max_horizontal("model_a", "model_b")
    )
    frame = frame.with_columns(*won, item=pair)
    facets = {"item": "item", "judge": "judge", "prompt": "variant", "replicate": "again"}
    return [q.read(frame, facets=facets, score=one, labels=True, announce=False) for one in ("said", "label")]


def test_the_order_of_showing_is_a_facet_where_both_were_tried(battles):
    votes = q.read_votes(battles, facets={"variant": "variant"}, order="first", announce=False)
    found = q.agreement.against(votes, read_battles(battles, "people"), splits=20, resamples=100)
    assert found.roles[-1] == "order"
    assert len(found.configurations) == 8


def test_people_among_those_who_voted_and_what_has_no_meaning(battles):
    people = battles.with_columns(winner=pl.col("people"), judge=pl.lit("ann"))
    votes = read_battles(pl.concat([battles, people]))
    assert q.agreement.against(votes, "ann", splits=20, resamples=100).judges == ("good", "poor")
    with pytest.raises(InvalidInput, match="judgments hold votes and people's labels; read both alike"):
        q.agreement.against(read_battles(battles), as_labels(battles)[1])
    with pytest.raises(InvalidInput, match="key: no item says which votes are of one battle"):
        q.agreement.against(votes, "ann", key="item")
    with pytest.raises(UnknownTerm, match="bob"):
        q.agreement.against(votes, "bob")


def test_one_judge_and_three_kinds_of_answers():
    """Cohen (1960), Table 1: 200 diagnoses of three kinds, kappa .492."""
    counts = {"personality": (88, 14, 18), "neurosis": (10, 40, 10), "psychosis": (2, 6, 12)}
    pairs = [
        (one, other) for one, row in counts.items() for other, n in zip(counts, row, strict=True) for _ in range(n)
    ]
    frame = pl.DataFrame(pairs, schema=["ann", "gpt"], orient="row").with_row_index("item")
    judged = q.read(frame.select("item", score="gpt"), labels=True, announce=False)
    people = q.read(frame.select("item", score="ann"), labels=True, announce=False)
    found = q.agreement.against(judged, people, splits=20, resamples=20)
    [(judge, kappa)] = found.kappas.items()
    assert kappa.value == pytest.approx(0.492, abs=5e-4)
    assert kappa.low < 0.492 < kappa.high
    assert found.sentence.startswith("The judge is right on 70.0% (")
    assert "of 200 items, kappa 0.49 (" in found.sentence
    assert judge == "the judge"


def test_kinds_of_answers_neither_pass_nor_fail():
    rng = np.random.default_rng(5)
    truth = rng.choice(["ham", "spam"], 80)
    said = np.where(rng.random(80) < 0.8, truth, rng.choice(["ham", "spam"], 80))
    items = [f"i{i}" for i in range(80)]
    judged, people = (
        q.read(pl.DataFrame({"item": items, "score": own}), labels=True, announce=False) for own in (said, truth)
    )
    found = q.agreement.against(judged, people, splits=20, resamples=20)
    assert 'It says "spam" of ' in found.sentence
    assert "pass" not in found.sentence


def test_where_people_labelled_the_response_of_each_system_that_is_right_or_wrong():
    draw = np.random.default_rng(4)
    truth = {(item, system): int(draw.random() < 0.5) for item in range(30) for system in ("new", "old")}
    rows = [(*cell, "ann", mark) for cell, mark in truth.items()]
    rows += [(*cell, j, mark if draw.random() < p else 1 - mark) for cell, mark in truth.items() for j, p in JUDGES]
    found = q.agreement.against(scores_table(rows, "item system judge score"), "ann")
    assert (found.items, found.clusters, found.unit, found.roles) == (60, 30, "response", ("judge",))
    right = {j: np.mean([mark == truth[i, s] for i, s, judge, mark in rows if judge == j]) for j, _ in JUDGES}
    assert {one.levels[0]: one.value for one in found.configurations} == pytest.approx(right)
    assert {one.name for one in found.segments if one.by == "system"} == {"new", "old"}
