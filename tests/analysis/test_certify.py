import pickle

import numpy as np
import polars as pl
import pytest
from scipy.special import nctdtr
from tables import scores_table

import quorate as q
from quorate.analysis import certify as certificates
from quorate.analysis.certify import Certificate, LatentLaw, Redrawn, _Kind, _table, errors_of_complete, summary
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.mean import readings
from quorate.estimate.ratings import leaderboard, pair_errors
from quorate.numerics.distributions import t_quantile


def scores(items=60, judges=4, prompts=2, *, categories=1, systems=1, shift=0.5, binary=False, seed=1):
    rng = np.random.default_rng(seed)
    own, of_judge = rng.normal(size=items), 0.3 * rng.normal(size=judges)
    rows = []
    for i in range(items):
        for j in range(judges):
            for p in range(prompts):
                for s in range(systems):
                    score = own[i] + of_judge[j] + shift * s + rng.normal()
                    score = float(score > -1) if binary else score
                    rows.append((f"i{i:03}", f"c{(i * i) % categories}", f"j{j}", f"p{p}", f"s{s}", score))
    return pl.DataFrame(rows, schema=["item", "category", "judge", "prompt", "system", "score"], orient="row")


def read(frame, **shape):
    return q.read(frame.select(name for name in frame.columns if frame[name].n_unique() > 1), announce=False, **shape)


@pytest.mark.wide(1)
@pytest.mark.parametrize(("categories", "binary"), [(1, False), (1, True), (3, True)])
def test_many_studies_at_once_are_the_analysis_of_each(categories, binary):
    table = read(scores(30, prompts=3, categories=categories, binary=binary))
    analysis = q.analyze(table)
    beyond = 1e-9 if categories == 1 else 1e-3  # of strata noise is weighed by how much items differ
    for answer, draw, near in (
        (analysis.setup, Redrawn(table).draw, 1e-9),
        (analysis.others, LatentLaw.fitted(analysis.others).draw, beyond),
    ):
        kind = _Kind(analysis.fit.judgments, True, 0.95, {})
        fast = kind._at_once(answer, draw, 4, np.random.default_rng(2))
        rng = np.random.default_rng(2)
        _, drawn = draw(4, rng)
        for row, mean in zip(fast, drawn, strict=True):
            one = kind.again(_table(analysis.fit.judgments, None, mean), answer)
            assert row == pytest.approx([one.value, *one.ends], abs=near)


def test_items_drawn_again_are_drawn_with_all_of_their_scores():
    frame = scores(20).sample(fraction=0.8, seed=1)
    table = q.analyze(read(frame)).fit.judgments
    places, drawn = Redrawn(table).draw(1, np.random.default_rng(1))
    again = _table(table, places[0], drawn[0])
    assert again.n_levels("item") == 20
    assert again.n_cells == len(places[0])
    sizes = np.bincount(table.level_codes(["item"]))
    first = table.level_codes(["item"])[places[0]][np.unique(again.level_codes(["item"]), return_index=True)[1]]
    assert np.bincount(again.level_codes(["item"])).tolist() == sizes[first].tolist()


def test_of_normal_scores_coverage_is_exact_and_power_that_of_noncentral_t():
    found = q.compare(read(scores(200, 3, 1, systems=2, shift=0.2, seed=3)), "s1", "s0")
    one = q.certify(found, 1000).found[0]
    gap = found.difference
    assert one.coverage == pytest.approx(0.95, abs=4 * one.coverage_error)
    assert one.width == pytest.approx(1.0, abs=4 * one.width_error + 0.01)
    df, limit, away = gap.df, t_quantile(gap.df, 0.975), gap.value / gap.se
    power = 1 - nctdtr(df, away, limit) + nctdtr(df, away, -limit)
    assert one.told_apart == pytest.approx(power, abs=4 * one.told_apart_error + 0.01)
    assert one.size == pytest.approx(1 - one.coverage)


def test_a_judge_that_is_drawn_is_as_wide_as_few_judges_make_it():
    found = q.certify(q.analyze(read(scores(60, 3, 1))), 1000)
    setup, others = found.found
    assert others.coverage > 0.9
    assert setup.scope == "with these 3 judges"
    assert others.scope == "for judges like these"
    assert [row["coverage"] for row in found.rows()] == [setup.coverage, others.coverage]
    assert found.sentence.count("drawn like yours") == 2


@pytest.mark.wide(1)
@pytest.mark.parametrize("binary", [False, True])
def test_of_tables_with_gaps_components_may_be_held(binary):
    """Only weights rest on them: refitted, every end is where it was, to a few hundredths of a width."""
    analysis = q.analyze(read(scores(40, 3, 3, binary=binary).sample(fraction=0.7, seed=1)))
    table = analysis.fit.judgments
    for answer in (analysis.setup, analysis.others):
        kind, law = _Kind(table, True, 0.95, {}), LatentLaw.fitted(answer)
        held = kind._at_once(answer, law.draw, 3, np.random.default_rng(2))
        drawn = law.draw(3, np.random.default_rng(2))[1]
        again = [kind.again(_table(table, None, one), answer) for one in drawn]
        wanted = np.array([(one.value, *one.ends) for one in again])
        assert np.abs(held - wanted).max() < 0.05 * np.diff(wanted[:, 1:]).mean()


def test_gaps_stay_where_they_are():
    found = q.certify(q.analyze(read(scores(40, 3, 1).sample(fraction=0.8, seed=1))))
    assert found.found[0].studies == 2000
    assert found.found[0].coverage == pytest.approx(0.95, abs=0.02)


def test_a_board_is_right_about_all_pairs_at_once():
    found = q.certify(q.rank(read(scores(40, 2, 1, systems=4, shift=0.1))), 200)  # .05 is three standard errors
    assert found.subject == "board"
    assert found.found[0].coverage == pytest.approx(0.95, abs=0.05)
    assert "all pairs at once" in found.sentence


@pytest.mark.slow
def test_the_same_seed_draws_the_same_studies():
    answer = q.analyze(read(scores(30, 3, 1)))
    assert q.certify(answer, 100, seed=2).to_dict() == q.certify(answer, 100, seed=2).to_dict()
    assert q.certify(answer, 100, seed=2).to_dict() != q.certify(answer, 100, seed=3).to_dict()


def test_what_cannot_be_certified_is_said():
    table = read(scores(30, 3, 1))
    with pytest.raises(InvalidInput, match="whole number from 20 to 1,000,000"):
        q.certify(q.analyze(table), 1)
    with pytest.raises(InvalidInput, match="expects what analyze, compare or rank"):
        q.certify(table)
    with pytest.raises(NotEstimable, match="each item is drawn by category"):
        q.certify(q.analyze(read(scores(40, 3, 1, categories=20)), targets={"category": "population"}))
    with pytest.raises(NotEstimable, match="by items; leave out the targets"):
        q.certify(q.rank(read(scores(40, 3, 1, systems=3)), targets={"judge": "population"}), 20)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"keep": 0.8}, {"categories": 2}])
def test_a_board_with_gaps_or_strata_is_certified(options):
    keep = options.pop("keep", 1.0)
    frame = scores(24, 3, 1, systems=3, **options).sample(fraction=keep, seed=1)
    (found,) = q.certify(q.rank(read(frame)), 20).found
    assert found.coverage > 0.7
    assert 0.7 < found.width < 2
    assert found.studies - found.refused == 20


def test_a_board_of_one_model_is_fitted_anew(monkeypatch):
    for module in (certificates, leaderboard, pair_errors):
        monkeypatch.setattr(module, "MOST_SYSTEMS", 2)
    frame = scores(12, 3, 1, systems=3).sample(fraction=0.8, seed=1)
    (found,) = q.certify(q.rank(read(frame)), 20).found
    assert 0.7 < found.width < 2


@pytest.mark.slow
def test_studies_of_a_board_may_be_done_in_any_order(monkeypatch):
    board = q.rank(read(scores(24, 3, 1, systems=3)))
    alone = q.certify(board, 25)

    def backwards(work, steps, jobs):
        assert (jobs, [len(one) for one in steps]) == (3, [10, 10, 5])
        sent = pickle.loads(pickle.dumps(work))
        return [(place, sent(step)) for place, step in reversed([*enumerate(steps)])]

    monkeypatch.setattr(certificates, "spread", backwards)
    assert q.certify(board, 25, jobs=3) == alone


def test_the_variance_is_that_of_the_reach():
    table = read(scores(30, categories=3))
    found = readings(q.decompose(table)).setup
    value, variance, df, drawn = errors_of_complete(table.mean[None], table, found.target)
    assert drawn == ()
    assert (value[0], variance[0], df[0]) == pytest.approx((found.value, found.variance, found.df))


def test_known_standard_errors_have_width_one_and_their_coverage():
    value = np.random.default_rng(1).normal(size=20_000)
    limits = np.column_stack([value, value - 1.96, value + 1.96])
    found = summary(limits, 0.0, 0.95, "with these 3 judges", 20_010, limits[:, 1] > 0)
    assert found.coverage == pytest.approx(0.95, abs=4 * found.coverage_error)
    assert found.width == pytest.approx(1.0, abs=4 * found.width_error)
    assert found.told_apart == pytest.approx(0.025, abs=4 * found.told_apart_error)
    assert found.refused == 10
    said = Certificate("difference", 0.95, (found,), 1).sentence
    assert "of 20,000 studies drawn like yours" in said
    assert said.endswith("; 10 gave no interval.")


def test_studies_that_never_vary_certify_nothing():
    with pytest.raises(NotEstimable, match="hardly vary"):
        summary(np.zeros((1, 3)), 0.0, 0.95, "", 20, None)


def latent_law_read(items, judges, prompts):
    rng = np.random.default_rng(1)
    own, of_judge = rng.normal(size=items), 0.5 * rng.normal(size=judges)
    rows = [
        (f"i{i:03}", f"j{j}", f"p{p}", float(own[i] + of_judge[j] + rng.normal() > -1))
        for i in range(items)
        for j in range(judges)
        for p in range(prompts)
    ]
    return scores_table(rows, "item judge prompt score")


@pytest.mark.slow
def test_the_law_has_the_marks_and_covariances_that_were_found():
    table = latent_law_read(200, 4, 3)
    others = q.analyze(table).others
    law = LatentLaw.fitted(others)
    _, drawn = law.draw(400, np.random.default_rng(1))
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert law.truth == pytest.approx(table.mean.mean(), abs=1e-9)
    assert drawn.mean() == pytest.approx(law.truth, abs=0.02)
    item = np.stack([np.bincount(table.level_codes(["item"]), row) / 12 for row in drawn])
    own = np.bincount(table.level_codes(["item"]), table.mean) / 12
    assert item.var(axis=1).mean() == pytest.approx(own.var(), rel=0.1)
