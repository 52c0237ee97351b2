from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate import ratings
from quorate.estimate.ratings_counts import tally
from quorate.numerics.bradley_terry import fit
from quorate.numerics.bradley_terry_draws import covariance
from quorate.numerics.rank_intervals import difference_se, rank_intervals

SCHOOLS = [
    # Dittrich, Hatzinger and Katzenbeisser (1998), Applied Statistics 47, 511-525: preferred first, second, neither
    ("London", "Paris", 186, 91, 26),
    ("London", "Milano", 221, 56, 26),
    ("Paris", "Milano", 121, 59, 32),
    ("London", "St.Gallen", 208, 73, 22),
    ("Paris", "St.Gallen", 165, 119, 19),
    ("Milano", "St.Gallen", 135, 140, 28),
    ("London", "Barcelona", 217, 67, 19),
    ("Paris", "Barcelona", 157, 109, 37),
    ("Milano", "Barcelona", 104, 132, 67),
    ("St.Gallen", "Barcelona", 144, 134, 25),
    ("London", "Stockholm", 250, 34, 19),
    ("Paris", "Stockholm", 203, 70, 30),
    ("Milano", "Stockholm", 157, 100, 46),
    ("St.Gallen", "Stockholm", 155, 98, 50),
    ("Barcelona", "Stockholm", 172, 90, 41),
]


def counted(rows, **options):
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b", "t"], orient="row")
    return q.read_votes(frame, wins=("a", "b", "t"), announce=False, **options)


def single(rows, **options):
    """Rows of model_a, model_b, winner, prompt."""
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return q.read_votes(frame, announce=False, **options)


def drawn(seed, n=400, prompts=40, order=False):
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    b = (a + rng.integers(1, 5, size=n)) % 5
    won = rng.random(n) < 1 / (1 + np.exp(0.4 * (a - b) - 0.5 * order))
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(won, "model_a", "model_b"))
    names = np.array(list("vwxyz"))
    frame = pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner, "prompt": np.arange(n) % prompts})
    return q.read_votes(frame, announce=False, **({"order": "model_a"} if order else {}))


@pytest.fixture(scope="module")
def reference(shared):
    return json.loads((shared / "reference" / "bradley_terry.json").read_text(encoding="utf-8"))


def baseball(shared):
    columns = {"model_a": "home.team", "model_b": "away.team", "wins": ("home.wins", "away.wins")}
    path = shared / "data" / "baseball_bt.parquet"
    return q.read_votes(path, **columns, order="home.team", announce=False)


def differences(ratings, base, home=None):
    """Estimates and model-based standard errors against one system, named as in R."""
    ratings = ratings.using("model")
    found = {f"X{name}": ratings.difference(name, base) for name in ratings.systems if name != base}
    found |= {} if home is None else {"home": home}
    return {"estimate": {k: one.value for k, one in found.items()}, "se": {k: one.se for k, one in found.items()}}


def iterated(votes, base, *, home, tol):
    """Iterations of R's ``glm``, which stops when the deviance changes by less than ``tol`` of itself."""
    pairs = votes.keep(votes.order == 0), votes.keep(votes.order == 1)
    rows = [(a, b, s, p.wins(a, b), p.wins(b, a)) for s, p in zip((1, -1), pairs, strict=True) for a, b in p.pairs()]
    names = [name for name in votes.models if name != base]
    x = np.array([[(a == name) - (b == name) for name in names] + [s] * home for a, b, s, *_ in rows], dtype=float)
    won, lost = np.array([row[3:] for row in rows], dtype=float).T
    n, y, last = won + lost, won / (won + lost), np.inf
    mu = (won + 0.5) / (n + 1)
    eta = np.log(mu / (1 - mu))
    while True:
        weight = n * mu * (1 - mu)
        information = x.T @ (weight[:, None] * x)
        beta = np.linalg.solve(information, x.T @ (weight * (eta + n * (y - mu) / weight)))
        eta = x @ beta
        mu = 1 / (1 + np.exp(-eta))
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(won > 0, won * np.log(y / mu), 0) + np.where(
                lost > 0, lost * np.log((1 - y) / (1 - mu)), 0
            )
        deviance = 2 * parts.sum()
        if abs(deviance - last) < tol * (abs(deviance) + 0.1):
            labels = [f"X{name}" for name in names] + ["home"] * home
            both = beta, np.sqrt(np.diag(np.linalg.inv(information)))
            return {key: dict(zip(labels, one, strict=True)) for key, one in zip(("estimate", "se"), both, strict=True)}
        last = deviance


@pytest.mark.parametrize("home", [False, True])
def test_baseball(shared, reference, home):
    """R stops one step early, at its 8 printed digits; where its own iteration ends is where these ratings are."""
    votes = baseball(shared)
    wanted = reference["baseball_home" if home else "baseball"]
    stopped = iterated(votes, "Baltimore", home=home, tol=1e-8)
    ended = iterated(votes, "Baltimore", home=home, tol=1e-14)
    ratings = q.rank(votes, position=home)
    found = differences(ratings, "Baltimore", ratings.using("model").position)
    for key in ("estimate", "se"):
        assert stopped[key] == pytest.approx(wanted[key], abs=5.1e-9)
        assert found[key] == pytest.approx(ended[key], rel=1e-9)
        assert found[key] == pytest.approx(wanted[key], rel=2e-6)


def test_the_gain_of_a_home_effect(shared, reference):
    ratings = q.rank(baseball(shared), position=True)
    gain = ratings.log_likelihood - q.rank(baseball(shared)).log_likelihood
    wanted = reference["baseball_home"]["logLik"] - reference["baseball"]["logLik"]
    assert gain == pytest.approx(wanted, abs=1e-5)


def test_ice_hockey(shared, reference):
    path = shared / "data" / "icehockey_bt.parquet"
    votes = q.read_votes(path, winner="result", outcomes={"a": 1, "b": 0, "tie": 0.5}, announce=False)
    found = differences(q.rank(votes, ties="half"), "Alaska Anchorage")
    assert found["estimate"] == pytest.approx(reference["icehockey"]["estimate"], abs=6e-9)


def test_management_schools_with_ties_as_half_wins(reference):
    ratings = q.rank(counted(SCHOOLS), ties="half")
    found, wanted = differences(ratings, "Barcelona"), reference["cems_ties_half"]
    assert found["estimate"] == pytest.approx(wanted["estimate"], abs=1e-8)
    assert found["se"] == pytest.approx(wanted["se"], abs=1e-8)
    assert ratings.n == 4454
    assert (ratings.se < ratings.using("model").se).all()  # ties vary less than wins


def test_management_schools_in_other_programs():
    """``evalica.bradley_terry(xs, ys, winners, tolerance=1e-15, limit=100_000)``, logs of the scores about their mean
    (evalica 0.4.2), and ``choix.ilsr_pairwise_dense(wins, tol=1e-14)`` with ties as halves (choix 0.4.1) print these.
    """
    wanted = {
        "London": 0.938368936534,
        "Paris": 0.247334549439,
        "Barcelona": -0.121205120182,
        "St.Gallen": -0.134044073212,
        "Milano": -0.271343575083,
        "Stockholm": -0.659110717496,
    }
    ratings = q.rank(counted(SCHOOLS), ties="half")
    assert dict(zip(ratings.systems, ratings.rating.tolist(), strict=True)) == pytest.approx(wanted, abs=2e-12)


def test_management_schools_with_ties_as_they_are():
    """Davidson's equations: expected wins plus half the ties, and expected ties, are those observed."""
    ratings = q.rank(counted(SCHOOLS))
    points = dict.fromkeys(ratings.systems, 0.0)
    ties = 0.0
    for a, b, won, lost, tied in SCHOOLS:
        rate, n = ratings.probability(a, b), won + lost + tied
        share = (1 - rate.tie) * rate.value + rate.tie / 2
        points[a] += won + tied / 2 - n * share
        points[b] += lost + tied / 2 - n * (1 - share)
        ties += tied - n * rate.tie
    assert list(points.values()) == pytest.approx([0] * 6, abs=1e-6)
    assert ties == pytest.approx(0, abs=1e-6)
    assert ratings.groups[:2] == (("London",), ("Paris",))
    assert ratings.groups[2:] == (("Barcelona", "St.Gallen", "Milano"), ("Stockholm",))


def test_counted_votes_are_single_votes():
    rows = [
        ("x", "y", "a", "p"),
        ("x", "y", "b", "p"),
        ("y", "z", "a", "p"),
        ("z", "x", "a", "p"),
        ("x", "z", "tie", "p"),
    ]
    counts = [("x", "y", 3, 3, 0), ("y", "z", 3, 0, 0), ("x", "z", 0, 3, 3)]
    one, other = q.rank(single(3 * rows, prompt="")), q.rank(counted(counts))
    assert one.systems == other.systems
    np.testing.assert_allclose(one.rating, other.rating, atol=1e-9)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-9)


def test_one_vote_per_cluster_is_no_cluster():
    votes = drawn(1, prompts=400)
    np.testing.assert_allclose(q.rank(votes, cluster="prompt").se, q.rank(votes).se, rtol=1e-12)


def test_clusters_that_repeat_every_vote_widen_by_the_root_of_two():
    once = drawn(2, prompts=400)
    twice = q.rank(drawn_twice(once), cluster="prompt")
    assert twice.n == 2 * once.n
    np.testing.assert_allclose(twice.se, q.rank(once).se, rtol=1e-9)
    np.testing.assert_allclose(twice.se / q.rank(drawn_twice(once)).se, np.sqrt(2), rtol=4e-3)  # but for 1 / (1 - h)


def drawn_twice(votes):
    names = np.array(votes.models)
    labels = np.array(["model_a", "model_b", "tie"])[votes.outcome]
    columns = {"model_a": names[votes.model_a], "model_b": names[votes.model_b], "winner": labels}
    frame = pl.DataFrame({**columns, "prompt": votes.column("prompt")})
    return q.read_votes(pl.concat([frame, frame]), announce=False)


def test_whole_weights_are_repeated_votes_in_the_ratings_and_no_votes_in_the_error():
    votes = drawn(3)
    doubled = q.rank(votes, weights=np.full(votes.rows, 2.0))
    plain = q.rank(votes)
    np.testing.assert_allclose(doubled.rating, plain.rating, atol=1e-9)
    np.testing.assert_allclose(doubled.se, plain.se, rtol=1e-9)
    some = np.where(votes.model_a == 0, 3.0, 1.0)
    again = votes.keep(np.ones(votes.rows, dtype=bool))
    repeated = q.rank(type(again)(**{**vars_of(again), "count": some.astype(np.int64)}))
    np.testing.assert_allclose(q.rank(votes, weights=some).rating, repeated.rating, atol=1e-9)
    assert (q.rank(votes, weights=some).se > repeated.se).all()


def vars_of(votes):
    return {name: getattr(votes, name) for name in votes.__dataclass_fields__}


def test_rows_of_weight_zero_are_left_out():
    votes = drawn(4)
    some = (np.arange(votes.rows) % 3 > 0).astype(float)
    kept = q.rank(votes.keep(some > 0))
    np.testing.assert_allclose(q.rank(votes, weights=some).se, kept.se, rtol=1e-9)


def test_the_position_effect():
    ratings = q.rank(drawn(5, n=3000, order=True), position=True)
    low, high = ratings.position.interval()
    assert low < 0.5 < high
    assert ratings.position.p_value < 1e-6
    assert ratings.systems == tuple("vwxyz")
    assert q.rank(drawn(5, n=3000, order=True)).position is None


@pytest.mark.parametrize("cluster", [None, "prompt"])
def test_the_bootstrap_agrees_with_the_sandwich(cluster):
    ratings = q.rank(drawn(6, n=2000, prompts=300), cluster=cluster, resamples=1500)
    assert ratings.method == "bootstrap"
    plain = ratings.using("sandwich" if cluster is None else "cluster")
    np.testing.assert_allclose(ratings.se, plain.se, rtol=0.08)
    np.testing.assert_allclose(ratings.intervals, plain.intervals, atol=0.03)
    assert ratings.ranks.critical == pytest.approx(plain.ranks.critical, rel=0.06)
    same = q.rank(drawn(6, n=2000, prompts=300), cluster=cluster, resamples=1500)
    np.testing.assert_array_equal(ratings.se, same.se)


def test_resamples_without_ratings_are_counted():
    rows = [("x", "y", 9, 3, 0), ("y", "z", 9, 3, 0), ("x", "z", 20, 1, 0)]
    found = q.rank(counted(rows), resamples=500).caveats
    assert [one.code for one in found] == ["refits-without-ratings"]
    assert "of 500 resamples have no finite ratings" in found[0].sentence
    few = [("x", "y", 9, 1, 0), ("y", "z", 9, 1, 0), ("x", "z", 20, 0, 0)]
    with pytest.raises(NotEstimable, match="of 500 resamples have no finite ratings"):
        q.rank(counted(few), resamples=500)


def test_without_ties_davidsons_model_is_that_of_bradley_and_terry():
    rows = [(a, b, won, lost, 0) for a, b, won, lost, _ in SCHOOLS]
    one, other = q.rank(counted(rows)), q.rank(counted(rows), ties="drop")
    np.testing.assert_array_equal(one.rating, other.rating)
    assert one.nu == 0
    assert one.log_nu is None
    assert np.isnan(other.nu)


ORDER = [("x", "y", 5, 0, 0), ("x", "z", 5, 0, 0), ("y", "z", 4, 2, 0)]


def test_a_system_that_wins_all_is_named():
    with pytest.raises(
        NotEstimable, match=r'"x" won every vote against the others.*leave it out, or give reg'
    ) as error:
        q.rank(counted(ORDER))
    assert error.value.names == {"x"}
    turned = [(a, b, lost, won, t) for a, b, won, lost, t in ORDER]
    with pytest.raises(NotEstimable, match='"x" lost every vote to the others'):
        q.rank(counted(turned))


def test_systems_without_votes_between_them_are_named():
    apart = [("x", "y", 3, 2, 0), ("z", "w", 3, 2, 0), ("v", "w", 1, 2, 0)]
    with pytest.raises(NotEstimable, match='2 groups of systems have no votes between them: "v", "w" and "z"; "x" and'):
        q.rank(counted(apart))
    only_ties = [("x", "y", 3, 2, 0), ("y", "z", 0, 0, 4)]
    with pytest.raises(NotEstimable, match='no votes between them: "x" and "y"; "z"'):
        q.rank(counted(only_ties), ties="drop")


def test_regularisation_rates_whoever_has_no_finite_rating():
    ratings = q.rank(counted(ORDER), regularisation=1)
    assert ratings.systems[0] == "x"
    assert [one.code for one in ratings.caveats] == ["shrunk-ratings"]
    assert np.ptp(ratings.rating) > np.ptp(q.rank(counted(ORDER), regularisation=10).rating)
    drawn = q.rank(counted(ORDER), regularisation=1, resamples=400)
    np.testing.assert_allclose(drawn.se, drawn.using("sandwich").se, rtol=0.25)


def test_nothing_is_learnt_across_groups_by_a_ridge():
    """The difference of two groups is what the ridge supposes: sd 1 for each rating, two in each group's mean."""
    apart = [("x", "y", 300, 200, 0), ("z", "w", 300, 200, 0)]
    gap = q.rank(counted(apart), regularisation=1).difference("x", "z")
    assert gap.value == pytest.approx(0, abs=1e-9)
    assert gap.se > 1 / np.sqrt(2) + 1 / np.sqrt(2) - 0.5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ties": "skip"}, InvalidInput, 'ties: expects one of davidson, half, drop, got "skip"'),
        ({"level": 1.0}, InvalidInput, "level: must lie between 0 and 1, got 1.0"),
        ({"level": 95}, InvalidInput, "level: must lie between 0 and 1, got 95"),
        ({"cluster": "judge"}, UnknownTerm, 'no term "judge"; the model has "prompt"'),
        ({"weights": np.ones(3)}, InvalidInput, r"weights: expects 400 numbers, one for every row, got shape \(3,\)"),
        ({"weights": ["a"] * 400}, InvalidInput, "weights: expects one number for every row, got something else"),
        ({"weights": -np.ones(400)}, InvalidInput, r"finite numbers of 0 or more, got -1.0 in row 1"),
        ({"weights": np.full(400, np.nan)}, InvalidInput, r"finite numbers of 0 or more, got nan in row 1"),
        ({"weights": np.zeros(400)}, InvalidInput, r'every vote on "v", "w", "x", "y" and "z" has weight 0'),
        ({"regularisation": -1}, InvalidInput, "regularisation: expects a finite number of 0 or more, got -1"),
        ({"regularisation": np.inf}, InvalidInput, "regularisation: expects a finite number of 0 or more, got inf"),
        ({"resamples": 10}, InvalidInput, "resamples: expects 0, or a whole number of at least 100, got 10"),
        ({"resamples": 200.5}, InvalidInput, "resamples: expects 0, or a whole number of at least 100, got 200.5"),
        ({"seed": -1}, InvalidInput, "seed: must be a whole number of at least 0, got -1"),
        ({"position": True}, NotEstimable, "position: nothing says which system was shown first"),
    ],
)
def test_what_is_asked_is_checked(options, error, message):
    with pytest.raises(error, match=message) as caught:
        q.rank(drawn(7), **options).ranks  # noqa: B018
    assert "\n" not in str(caught.value)


def test_what_is_no_table_of_votes():
    with pytest.raises(InvalidInput, match=r"expects what quorate.read_votes returns, got str"):
        q.rank("votes.csv")


def test_scores_are_not_votes(judged):
    with pytest.raises(InvalidInput, match="got Judgments; ratings come from votes, not from scores"):
        ratings.rank(judged({"item": 4, "judge": 3}, announce=False))


def test_few_clusters_and_shared_prompts_are_said():
    assert [one.code for one in q.rank(drawn(8)).caveats] == ["taken-as-independent"]
    assert q.rank(drawn(8), cluster="prompt").caveats == ()
    few = q.rank(drawn(8, prompts=12), cluster="prompt")
    assert [one.code for one in few.caveats] == ["few-clusters"]
    assert few.clusters == 12
    assert 10 < few.difference("v", "w").df < 11


def seldom(seed, clusters=100, often=5, seen=3):
    """Votes on "x" in a few of many prompts; all systems are equal but vary from prompt to prompt."""
    rng, rows = np.random.default_rng(seed), []
    for g in range(clusters):
        rating = dict(zip("abcdx", rng.normal(0, 1, 5), strict=True))
        for _ in range(2 * often):
            one, two = ("x", rng.choice(list("abcd"))) if g < seen else rng.choice(list("abcd"), 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(rating[two] - rating[one]))
            rows.append((str(one), str(two), "model_a" if won else "model_b", f"p{g}"))
    return single(rows)


def test_a_system_seen_in_few_clusters_is_known_as_these_few_tell():
    ratings = q.rank(seldom(1), cluster="prompt")
    rare, common = ratings.difference("x", "a"), ratings.difference("a", "b")
    assert 1.5 < rare.df < 2.5
    assert common.df > 40
    assert [one.code for one in ratings.caveats] == ["few-clusters"]
    assert re.search(
        r'100 levels of prompt, worth [23]\.\d of equal size for "x" against|against "x"', str(ratings.caveats)
    )
    missed = [0, 0]
    for seed in range(40):
        drawn = q.rank(seldom(seed), cluster="prompt", ties="drop", resamples=100)
        for k, one in enumerate((drawn.using("cluster"), drawn)):
            low, high = one.difference("x", "a").interval()
            missed[k] += not low <= 0 <= high
    assert max(missed) <= 5  # of 40 with a chance of .05 each; with the degrees of freedom of 100 clusters 9 and more


def test_residuals_of_few_clusters_are_enlarged():
    """A system of three clusters: by about ``1 / (1 - 1/3)`` in the variance, not by ``1 / (1 - 1/100)``."""
    votes = seldom(1)
    found = tally(votes, "davidson", "prompt", None, position=False)
    at = fit(found.design, found.counts[..., None])
    bare = difference_se(covariance(found.design, at, 0.0, found.units))
    ratings = q.rank(votes, cluster="prompt")
    x, a, b = (found.systems.index(name) for name in "xab")
    assert 1.2 < (ratings.difference("x", "a").se / bare[x, a]) ** 2 < 2
    assert 1 < (ratings.difference("a", "b").se / bare[a, b]) ** 2 < 1.05


def test_few_clusters_make_ranks_less_sure_too():
    ratings = q.rank(seldom(1), cluster="prompt")
    x, a, b = (ratings.systems.index(name) for name in "xab")
    assert ratings.ranks.critical[x, a] > 1.5 * ratings.ranks.critical[a, b]
    sure = ratings.using("model").ranks.critical
    assert (ratings.ranks.critical > sure.max()).all()


def won(a, b, firsts, seconds, prompt):
    """That many votes for each, of one prompt."""
    return firsts * [(a, b, "model_a", prompt)] + seconds * [(a, b, "model_b", prompt)]


def test_groups_that_one_cluster_links_are_named():
    rows = [row for g in range(20) for a, b in ("ab", "cd") for row in won(a, b, 1, 1, f"p{g}")]
    rows += won("a", "c", 2, 1, "link") + won("b", "d", 1, 2, "link")
    with pytest.raises(NotEstimable, match='only prompt "link" links "c" and "d" to "a" and "b", so nothing') as error:
        q.rank(single(rows), cluster="prompt")
    assert error.value.names == {"c", "d"}
    with pytest.raises(NotEstimable, match='only prompt "link" links'):
        q.rank(single(rows), cluster="prompt", regularisation=1)
    assert len(q.rank(single([*rows, *won("a", "d", 1, 0, "p1")]), cluster="prompt")) == 4


def test_a_position_effect_that_one_cluster_tells_has_no_standard_error():
    rows = [row for g in range(20) for row in won("x", "y", 2, 1, f"p{g}")] + won("y", "x", 2, 1, "p0")
    with pytest.raises(NotEstimable, match="one level of prompt alone tells some of the ratings or the position"):
        q.rank(single(rows, order="model_a"), cluster="prompt", position=True)
    with pytest.raises(NotEstimable, match="one vote alone tells"):
        q.rank(counted([("x", "y", 5, 6, 0), ("y", "z", 0, 0, 1), ("z", "w", 5, 6, 0)]), ties="half")


def test_resampled_units_vary_about_their_own_mean():
    """Refits of few clusters vary by ``(G - 1) / G`` of what they should: the law is wider than they are."""
    ratings = q.rank(drawn(6, n=600, prompts=10), cluster="prompt", resamples=400)
    law = ratings.laws["bootstrap"]
    gap = ratings.difference("v", "w")
    i, j = ratings.systems.index("v"), ratings.systems.index("w")
    refit = law.deviations[:, i] - law.deviations[:, j]
    assert gap.df < 9
    assert gap.se >= np.std(refit, ddof=1) * np.sqrt(1 + 1 / gap.df) * (1 - 1e-9)
    names, drawn_ = len(ratings), law.deviations[:, : len(ratings)]
    wanted = rank_intervals(
        ratings.rating, ratings.covariance, drawn_, 0.95, law.df[:names, :names], np.cov(drawn_, rowvar=False)
    )
    np.testing.assert_allclose(ratings.ranks.critical, wanted.critical)
    np.testing.assert_allclose(gap.deviations, refit * np.sqrt(1 + 1 / gap.df))
    assert np.ptp(gap.interval()) > 1.1 * np.ptp(np.quantile(gap.deviations, [0.025, 0.975]))


def test_a_difference_that_no_vote_spreads_has_no_standard_error():
    """Ties as half wins between two systems that meet nobody else: each residual is 0."""
    rows = [("x", "y", 0, 0, 9), ("x", "z", 4, 4, 0)]
    with pytest.raises(NotEstimable, match='the votes on "x" and "y" all say the same'):
        q.rank(counted(rows), ties="half")
