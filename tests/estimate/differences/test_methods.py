import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.differences import methods
from quorate.estimate.differences.methods import by_system, follow_scores, joint_means, pairs, two_systems
from quorate.estimate.means import mean
from quorate.estimate.means.mean import by_reach
from quorate.numerics.mixed import information
from quorate.numerics.mixed.information import variance_parts


def test_means_are_plain_means_where_all_is_complete(judged):
    judgments = judged({"item": 12, "judge": 4, "system": 3}, fixed=())
    means = joint_means(judgments)
    plain = [judgments.only("system", name).mean.mean() for name in means.systems]
    assert np.allclose(means.value, plain)
    assert np.allclose(means.value, [means.contrast(row).value for row in np.eye(3)])


def test_two_systems_on_the_same_cells_are_as_sure_as_their_paired_difference(judged):
    judgments = judged({"item": 30, "judge": 6, "system": 2}, fixed=(), sd={"item:judge": 0.4})
    joint = by_reach(joint_means(judgments).contrast([1, -1]))
    apart = q.decompose(pairs(judgments, "system0000", "system0001").judgments).mean
    assert joint.value == pytest.approx(apart.value)
    assert joint.se == pytest.approx(apart.se, rel=1e-4)
    assert joint.df == pytest.approx(apart.df, rel=1e-3)


def test_items_of_each_system_give_the_pooled_two_sample_t_test():
    rng = np.random.default_rng(5)
    score = rng.normal(size=30)
    frame = pl.DataFrame({"system": ["a"] * 12 + ["b"] * 18, "item": range(30), "score": score})
    found = joint_means(q.read(frame, announce=False)).contrast([1, -1])
    pooled = (11 * score[:12].var(ddof=1) + 17 * score[12:].var(ddof=1)) / 28
    assert found.value == pytest.approx(score[:12].mean() - score[12:].mean())
    assert found.se == pytest.approx(np.sqrt(pooled * (1 / 12 + 1 / 18)))
    assert found.df == pytest.approx(28)


def test_labels_that_start_again_in_each_system_are_items_of_their_own(judged):
    judgments = judged({"system": 2, "item": 20, "judge": 3}, fixed=())
    frame = pl.DataFrame(
        {
            "system": [judgments.facet("system").levels[i] for i in judgments.column("system")],
            "item": [judgments.facet("item").levels[i] for i in judgments.column("item")],
            "judge": [judgments.facet("judge").levels[i] for i in judgments.column("judge")],
            "score": judgments.mean,
        }
    )
    nested = q.read(frame, announce=False, fixed=(), nested={"item": "system"})
    renamed = q.read(frame.with_columns(item=pl.col("system") + pl.col("item")), announce=False, fixed=())
    one, two = joint_means(nested).contrast([1, -1]), joint_means(renamed).contrast([1, -1])
    assert (one.value, one.se) == pytest.approx((two.value, two.se))
    assert joint_means(nested).fit.judgments.n_levels("item") == 40


@pytest.mark.slow
def test_judges_as_a_panel_leave_no_judge_variance(judged):
    judgments = judged({"item": 30, "judge": 4, "system": 2}, fixed=())
    drawn = joint_means(judgments).contrast([1, -1])
    panel = joint_means(judgments, targets={"judge": "panel"}).contrast([1, -1])
    assert panel.value == pytest.approx(drawn.value)
    assert panel.se < drawn.se
    assert "judge:system" in drawn.shares
    assert not any("judge" in name and "item" not in name for name in panel.shares)
    assert joint_means(judged({"item": 30, "judge": 4, "system": 2})).contrast([1, -1]).se == pytest.approx(panel.se)


def test_a_facet_that_names_the_system_again_is_left_out():
    rows = {
        "system": list("aabbcc"),
        "family": list("xxxxyy"),
        "item": [1, 2] * 3,
        "score": [1.0, 3.0, 2.0, 5.0, 4.0, 4.5],
    }
    facets = {"system": "system", "family": "family", "item": "item"}
    means = joint_means(q.read(pl.DataFrame(rows), facets=facets, fixed=(), announce=False))
    assert means.fit.judgments.names == ("system", "item")


def test_a_facet_with_one_level_stands_for_itself(judged):
    means = joint_means(judged({"item": 20, "judge": 3, "prompt": 1, "system": 2}, fixed=()))
    one = means.contrast([1, 0])
    assert "one-level" in [caveat.code for caveat in one.caveats]
    assert one.target["prompt"] == "panel"
    assert not any("prompt" in name for name in one.shares)
    assert one.se > means.contrast([0.5, 0.5]).se


@pytest.mark.wide(2)
@pytest.mark.parametrize("judges", [1, 3], ids=["judge alone", "judges drawn"])
@pytest.mark.parametrize("items", [1, 12], ids=["item of each prompt", "shared items"])
def test_several_contrasts_at_once_are_those_of_each(judged, items, judges):
    table = judged({"item": items * 4, "judge": judges, "prompt": 2, "system": 4}, keep=0.9, fixed=(), seed=items)
    means = joint_means(table)
    weights = np.vstack([np.eye(4), np.eye(4) - 0.25])
    for at_once, own in zip(means.contrasts(weights), (means.contrast(row) for row in weights), strict=True):
        for name in ("value", "se", "df"):
            assert getattr(at_once, name) == pytest.approx(getattr(own, name), rel=1e-10, abs=1e-10)
        assert at_once.shares == pytest.approx(dict(own.shares), rel=1e-10, abs=1e-12)
        assert [str(one) for one in at_once.caveats] == [str(one) for one in own.caveats]


@pytest.mark.parametrize("fixed", [(), ("judge",)])
def test_systems_that_the_design_does_not_tell_apart_share_their_variance(judged, fixed, monkeypatch):
    facets = {"item": 8, "judge": 3, "system": 4}
    assert not joint_means(judged(facets, keep=0.9, fixed=fixed)).exchangeable
    means = joint_means(judged(facets, fixed=fixed))
    assert means.exchangeable
    weights = np.vstack([np.eye(4), np.eye(4) - 0.25, [[1, -1, 0, 0], [0, 0, -1, 1]]])
    seen = []
    monkeypatch.setattr(mean, "variance_parts", lambda *given: seen.append(len(given[2])) or variance_parts(*given))
    for at_once, own in zip(means.contrasts(weights), (means.contrast(row) for row in weights), strict=True):
        for name in ("value", "se", "df"):
            assert getattr(at_once, name) == pytest.approx(getattr(own, name), rel=1e-9, abs=1e-10)
    assert seen == [3]


def test_information_by_the_rows_of_a_unit_is_that_of_all_fixed_effects(judged, monkeypatch):
    fit = joint_means(judged({"item": 8, "judge": 3, "system": 6}, fixed=("judge",))).fit
    problem, solved = fit.assembled.problem, fit.point.solved
    by_rows = information.information(problem, solved)
    monkeypatch.setattr(information, "_few_rows", lambda *_: None)
    np.testing.assert_allclose(by_rows, information.information(problem, solved), rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"facet": "model"}, UnknownTerm, 'no facet "model"'),
        ({"facet": "item"}, InvalidInput, "is the object of measurement"),
        ({"targets": {"judge": "sensitivity"}}, InvalidInput, 'one of "population", "panel", got'),
        ({"targets": {"item": "finite"}}, InvalidInput, "is for a paired comparison"),
        ({"targets": {"system": "population"}}, InvalidInput, "systems stand for themselves"),
        ({"targets": {"prompt": "panel"}}, UnknownTerm, 'no facet "prompt"'),
    ],
)
def test_what_cannot_be_asked_is_refused(judged, options, error, words):
    with pytest.raises(error, match=words):
        joint_means(judged({"item": 5, "judge": 2, "system": 2}, fixed=()), **options)


def test_one_system_is_refused(judged):
    with pytest.raises(NotEstimable, match="at least 2 are needed to compare them, got 1"):
        joint_means(judged({"item": 5, "judge": 2, "system": 1}, fixed=()))


def test_a_single_item_for_every_system_is_too_few():
    rows = {"system": ["a", "b", "c"], "item": [1, 2, 3], "score": [1.0, 2.0, 4.0]}
    with pytest.raises(NotEstimable, match="item: every system has 1 item; at least 2 of one are needed"):
        joint_means(q.read(pl.DataFrame(rows), announce=False))


@pytest.fixture(scope="module")
def ordered():
    """Three systems of 16 items by 3 judges, a shown first in 2 of 3 cells and the others in 1, which adds 2."""
    rng, rows = np.random.default_rng(3), []
    items, judges = rng.normal(0, 1, 16), rng.normal(0, 0.05, (3, 3))
    for s, name in enumerate("abc"):
        for i in range(16):
            for j in range(3):
                first = (i + j) % 3 < (2, 1, 1)[s]
                score = 5 + 0.3 * s + items[i] + judges[s, j] + 2 * first + rng.normal(0, 0.2)
                rows.append((name, f"i{i}", f"j{j}", "first" if first else "later", score))
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "place", "score"], orient="row")
    facets = {name: name for name in ("system", "item", "judge", "place")}
    return q.read(frame, facets=facets, fixed=(), announce=False)


def test_a_covariate_is_taken_out_of_means_and_errors(ordered):
    told = joint_means(ordered, covariates=["place"])
    assert "place" not in {name for term in told.fit.variances for name in term.split(":")}
    first, last = (ordered.mean[ordered.column("system") == s].mean() for s in (0, 2))
    assert first - last == pytest.approx(-0.6 + 2 / 3, abs=0.15)
    assert told.contrast([1, 0, -1]).value == pytest.approx(-0.6, abs=0.15)
    lone = joint_means(ordered, covariates=["place"], random=["item", "judge"])
    terms = {frozenset(name.split(":")) for name in lone.fit.variances}
    assert {frozenset(one) for one in ({"item"}, {"item", "system"}, {"judge"}, {"judge", "system"})} <= terms
    with pytest.raises(InvalidInput, match='covariates: "system" is what is compared'):
        joint_means(ordered, covariates=["system"])


def test_boards_and_comparisons_take_the_model_and_say_where_they_cannot(ordered):
    model = {"covariates": ["place"], "random": ["item", "judge"]}
    contrast = joint_means(ordered, **model).contrast([1, 0, -1])
    board = q.rank(ordered, **model)
    assert board.difference("a", "c").se == pytest.approx(by_reach(contrast).se)
    assert board.model == model
    two = ordered.without("system", "b")
    found = q.compare(two, "a", "c", **model)
    same = by_reach(joint_means(two, **model).contrast([1, -1]))
    assert (found.difference.method, found.difference.se) == ("joint", pytest.approx(same.se))
    assert q.compare(two, **model).difference.se == pytest.approx(same.se)
    assert not joint_means(ordered, residual_by="system").exchangeable
    with pytest.raises(InvalidInput, match="covariates: is of one model for all scores"):
        q.compare(two, "a", "c", method="paired", covariates=["place"])
    with pytest.raises(UnknownTerm):
        q.rank(ordered, random=["annotator"])


def test_by_system():
    assert by_system(["item", "item:system", "cell"], "system") == ["item", "item:system", "cell"]


def read(rows, **reading):
    return q.read(pl.DataFrame(rows), announce=False, **{"fixed": (), **reading})


def crossed(**columns):
    """Two systems, three items, two judges; all cells answered."""
    rows = [(s, i, j) for s in "ab" for i in range(3) for j in "xy"]
    system, item, judge = zip(*rows, strict=True)
    score = [float(4 * (s == "a") + 2 * i + 10 * (j == "y")) for s, i, j in rows]
    return {"system": list(system), "item": list(item), "judge": list(judge), "score": score, **columns}


def test_what_both_share_cancels():
    found = pairs(read(crossed()), "a", "b")
    assert found.judgments.names == ("item", "judge")
    assert found.judgments.mean.tolist() == [4.0] * 6
    assert pairs(read(crossed()), "b", "a").judgments.mean.tolist() == [-4.0] * 6
    assert not found.caveats


def test_replicates_are_averaged_and_their_variances_added():
    rows = {
        "system": ["a"] * 4 + ["b"] * 5,
        "item": [1, 1, 2, 2, 1, 1, 2, 2, 2],
        "score": [1.0, 3.0, 5.0, 5.0, 0.0, 4.0, 1.0, 2.0, 3.0],
    }
    found = pairs(read(rows), "a", "b")
    assert found.judgments.mean.tolist() == [0.0, 3.0]
    assert found.judgments.n.tolist() == [2, 2]  # the harmonic mean of 2 and 3 is 2.4
    assert found.judgments.ss.tolist() == [2.0 + 8.0, 0.0 + 1.0]
    assert [one.code for one in found.caveats] == ["unequal-answers"]


def test_cells_of_one_system_alone_are_left_out_and_counted():
    rows = crossed()
    kept = [not (s == "b" and i == 2) for s, i in zip(rows["system"], rows["item"], strict=True)]
    found = pairs(
        read({name: [x for x, k in zip(column, kept, strict=True) if k] for name, column in rows.items()}), "a", "b"
    )
    assert found.left_out == (2, 0)
    assert found.judgments.n_levels("item") == 2
    assert "2 cells of a and 0 cells of b, next to 4" in found.caveats[0].sentence


def test_missing_scores_are_counted_for_these_two_systems():
    rows = crossed()
    rows["score"][0] = None
    assert [one.code for one in pairs(read(rows), "a", "b").caveats] == ["missing", "unpaired-cells"]


def test_a_facet_that_names_the_system_again_does_not_keep_cells_apart():
    rows = crossed(family=["one"] * 6 + ["two"] * 6)
    facets = {"system": "system", "family": "family", "item": "item", "judge": "judge"}
    assert pairs(read(rows, facets=facets), "a", "b").judgments.names == ("item", "judge")


def test_items_nested_in_systems_are_never_shared():
    judgments = read(crossed(), nested={"item": "system"})
    assert len(two_systems(judgments, "a", "b").shared[0]) == 0
    with pytest.raises(NotEstimable, match=r'no cell in common .* method="joint"'):
        pairs(judgments, "a", "b")


def test_cells_are_matched_by_their_labels(judged):
    judgments = judged({"item": 7, "judge": 3, "prompt": 2, "system": 3}, fixed=(), keep=0.8)
    found = pairs(judgments, "system0002", "system0000")
    by_hand = {}
    for code, value in zip(judgments.codes.tolist(), judgments.mean.tolist(), strict=True):
        labels = {f.name: f.levels[c] for f, c in zip(judgments.facets, code, strict=True)}
        by_hand[labels.pop("system"), tuple(sorted(labels.items()))] = value
    shared = {key for system, key in by_hand if system == "system0002"} & {
        key for system, key in by_hand if system == "system0000"
    }
    expected = sorted(by_hand["system0002", key] - by_hand["system0000", key] for key in shared)
    assert np.allclose(np.sort(found.judgments.mean), expected)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("a", "a"), InvalidInput, 'two different levels of system are compared, got "a" twice'),
        (("a", "c"), UnknownTerm, 'no system "c"; there are "a", "b"'),
    ],
)
def test_bad_systems_are_refused_in_one_line(arguments, error, words):
    with pytest.raises(error, match=words):
        pairs(read(crossed()), *arguments)


def test_bad_facets_are_refused_in_one_line():
    with pytest.raises(UnknownTerm, match='no facet "model"'):
        pairs(read(crossed()), "a", "b", facet="model")
    with pytest.raises(InvalidInput, match='"system" is the object of measurement'):
        pairs(read(crossed(), object="system"), "a", "b")
    with pytest.raises(InvalidInput, match=r"read it first"):
        pairs("scores.csv", "a", "b")


def test_a_system_without_scores_is_named():
    rows = crossed()
    rows["score"][6:] = [None] * 6
    with pytest.raises(NotEstimable, match="system b: none of its judgments has a usable score"):
        pairs(read(rows), "a", "b")


def test_repeated_keys_are_still_refused_by_a_fit():
    rows = {name: column * 2 for name, column in crossed(replicate=[1] * 12).items()}
    with pytest.raises(q.InvalidData, match="repeat a key"):
        q.decompose(pairs(read(rows), "a", "b").judgments)


def test_a_cell_counts_for_the_harmonic_mean_of_its_answers_and_spans_all_their_differences():
    rows = {
        "system": ["a"] * 4 + ["b"] * 12,
        "item": [1, 1, 2, 2, *[1] * 6, *[2] * 6],
        "score": [1.0, 3.0, 5.0, 5.0, *[0.0, 4.0, 2.0, 2.0, 2.0, 2.0], *[1.0, 2.0, 3.0, 2.0, 2.0, 2.0]],
    }
    found = pairs(read(rows), "a", "b").judgments
    assert found.n.tolist() == [3, 3]
    assert (found.low.tolist(), found.high.tolist()) == ([1.0 - 4.0, 5.0 - 3.0], [3.0 - 0.0, 5.0 - 1.0])


def test_a_single_item_for_either_system_is_too_few():
    rows = {"system": ["a", "b"], "item": [1, 2], "score": [1.0, 2.0]}
    with pytest.raises(NotEstimable, match="item: either system has 1 item; at least 2 of one are needed"):
        pairs(read(rows), "a", "b")


def apart(lacks, seed=0, items=60, judges=3):
    """Systems alike; of the second, the cells are gone that ``lacks`` says, given the scores of the first."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0, 1, (items, 1)) + rng.normal(0, 0.7, (2, items, judges))
    keep = np.stack([np.ones((items, judges), bool), ~lacks(score[0])])
    system, item, judge = (axis[keep] for axis in np.indices(score.shape))
    columns = {"system": np.array(["a", "b"])[system], "item": item, "judge": judge, "score": score[keep]}
    return two_systems(q.read(pl.DataFrame(columns), announce=False), "a", "b")


@pytest.mark.parametrize(
    "lacks",
    [
        lambda x: x < np.quantile(x, 0.2),  # cells
        lambda x: np.broadcast_to(x.mean(axis=1, keepdims=True) < -0.5, x.shape),  # items
        lambda x: x == x.min(axis=1, keepdims=True),  # a cell of every item
    ],
)
def test_cells_that_a_score_chose_are_seen(lacks):
    found = apart(lacks)
    assert follow_scores(found)


@pytest.mark.calibration
@pytest.mark.parametrize("whole", [False, True])
def test_cells_that_chance_chose_are_seldom_suspected(whole):
    rng = np.random.default_rng(2)
    shape = (60, 1) if whole else (60, 3)
    found = [
        follow_scores(apart(lambda x: np.broadcast_to(rng.random(shape) < 0.3, x.shape), seed)) for seed in range(200)
    ]
    assert sum(found) <= 7  # 2 expected at 1%


def test_cells_are_suspected_by_students_tests_held_together(monkeypatch):
    """SciPy's, of two groups or one; of the four of two systems each has a fourth of the chance."""
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=7), rng.normal(0.5, 2, 12)
    assert methods._t_test(one, two) == pytest.approx(stats.ttest_ind(one, two).pvalue)
    assert methods._t_test(two) == pytest.approx(stats.ttest_1samp(two, 0).pvalue)
    some = apart(lambda x: np.zeros(x.shape, bool))
    for p, suspected in ((0.0026, False), (0.0025, True)):
        monkeypatch.setattr(methods, "_t_test", lambda *_, p=p: p)
        assert follow_scores(some) is suspected


@pytest.mark.parametrize(("alone", "said"), [(10, False), (11, True)])
def test_more_than_a_tenth_of_the_cells_of_a_system_left_out_by_pairing_are_said(alone, said):
    items = [*range(90 + alone), *range(90)]
    rows = {"system": ["a"] * (90 + alone) + ["b"] * 90, "item": items, "score": [float(i % 7) for i in items]}
    assert ("unpaired-cells" in [one.code for one in pairs(read(rows), "a", "b").caveats]) is said


def test_nothing_missing_shows_nothing():
    assert not follow_scores(apart(lambda x: np.zeros(x.shape, bool)))


def test_items_that_one_of_two_systems_lacks_do_not_move_the_names_of_others():
    """Items and judges as they come in: the first item is only y's, and a judge has not seen x."""
    rows = [("q0", "y", "late", 5.0)]
    rows += [(f"q{n}", name, "a", n + (n == 3 and name == "x")) for n in range(1, 5) for name in "xy"]
    frame = pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row", strict=False)
    found = q.compare(q.read(frame, announce=False), "x", "y").difference
    assert [one.item for one in found.changed()] == ["q3"]
    assert [one.item for one in found.by_item][:1] == ["q3"]
    assert len(found.means) == 2
