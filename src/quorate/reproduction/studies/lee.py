"""Lee (2026), how many human judgments are enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.votes.clustered import cluster_robust
from quorate.estimate.votes.margins import Margins, margins
from quorate.estimate.votes.signals import one_vote_each, rate_variance
from quorate.estimate.votes.stability import stability, tie_sensitivity
from quorate.estimate.votes.well_sampled_pairs import matched, rows_on, shared
from quorate.numerics.votes.binomial import Errors, divergence, errors, log_ratio, power
from quorate.numerics.votes.power import normal_size
from quorate.planning.power.clusters import clustered_sample_size
from quorate.planning.power.detectability import detectability
from quorate.planning.power.prompt_types import bottleneck, proportional, two_stage
from quorate.planning.power.sample_size import sample_size
from quorate.reproduction.study import (
    Contents,
    Drawing,
    MonteCarlo,
    Needed,
    Reanalysis,
    Results,
    Study,
    Value,
    mean,
    share,
)
from quorate.simulate.two_stage import (
    AllocationStudy,
    Regime,
    regime,
    replay_range,
    replay_two_stage,
    simulate_two_stage,
)
from quorate.table.read_votes import read_votes
from quorate.table.results import Row
from quorate.table.votes import Votes

# Sample sizes for preferences: Tables 1 to 3, the worked example, and margins of appendices D.6 to D.8.


TABLE_1 = {"Arena": (0.082, 0.190, 0.321), "MT-Bench": (0.047, 0.187, 0.285)}
TABLE_2 = {"Arena": 0.072, "MT-Bench": 0.037}
APPENDIX = {"ties dropped": 0.133, "ties half": 0.105, "ties worst": 0.093, "images": 0.045, "code": 0.049}
APPENDIX["edge of near ties"] = 0.1
TABLE_6 = {50: 6.56, 100: 9.27}
"""Median z of MT-Bench at so many votes."""
QUANTILES = ("p10", "p25", "p50")


def normal(margin: float, alpha: float = 0.05, power: float = 0.9) -> int:
    """Judgments by the normal approximation of Eq. 8."""
    return sample_size(margin, alpha=alpha, power=power, method="normal")


def tables(_: np.random.Generator) -> Results:
    """Every sample size that a printed margin gives."""
    values: dict[str, float] = {"worked example, margin .06": normal(0.06)}
    values |= {"margin .05": normal(0.05), "margin .10": normal(0.1), "margin .04, log10": math.log10(normal(0.04))}
    for protocol, sizes in TABLE_1.items():
        for name, margin in zip(QUANTILES, sizes, strict=True):
            for alpha in (0.05, 0.01):
                values[f"{protocol} {name}, alpha {alpha:g}"] = normal(margin, alpha)
        values[f"{protocol} near ties"] = normal(TABLE_2[protocol])
    for effective in (26, 1051):
        for icc in (0, 1e-4, 1e-3, 1e-2):
            found = clustered_sample_size(effective, icc=icc)
            values[f"{effective} judgments, ICC {icc:g}"] = float("inf") if found.n is None else found.n
    for name, margin in APPENDIX.items():
        for wanted in (0.9, 0.95):
            values[f"{name}, power {wanted:g}"] = normal(margin, power=wanted)
    for n, z in TABLE_6.items():
        # z = margin / sqrt((1/4 - margin^2) / n), solved for the margin
        values[f"MT-Bench median margin, by z at {n} votes"] = z / (2 * math.sqrt(n + z**2))
    grid = np.geomspace(0.03, 0.4, 40).tolist()
    rows = [{"margin": margin, "judgments": normal(margin)} for margin in grid]
    title = "Decisive judgments for 90% power, by margin (Fig. 2)"
    return Results(values, (Drawing("lee.tables", "sample-size", title, rows, x="judgments", y="margin", log=True),))


TABLES = Study("lee.tables", "Sample sizes of Tables 1 to 3 and appendices D.6 to D.8", tables)


# Two stages against votes in proportion, where signal is concentrated and where it is diffuse (appendix C.1).


BUDGETS = (700, 800, 1000, 1500, 2000, 3000)
"""The paper gives none; screening 20 types takes 600 votes."""
TESTS = ("proportional", "two-stage")
REGIMES: dict[str, Regime] = {kind: kind for kind in get_args(Regime)}


def _draw_regime(kind: Regime, rng: np.random.Generator) -> Floats:
    """One study at every budget: whether either way finds the difference; overlap and signal of the types kept."""
    study = simulate_two_stage(regime(kind), BUDGETS, studies=1, seed=int(rng.integers(2**31)))
    return np.concatenate([*(study.power[test] for test in TESTS), study.jaccard, study.captured])


def regimes(draws: Mapping[str, Floats]) -> Results:
    """Power of both, what screening gains, and what it keeps."""
    values: dict[str, Value | float] = {}
    power, overlap, captured = [], [], []
    for kind, numbers in draws.items():
        found = numbers.reshape(len(numbers), 4, len(BUDGETS))
        values[f"{kind}: signal held by the types kept, %"] = mean(found[:, 3], 100)
        values[f"{kind}: overlap with the best types, %"] = mean(found[:, 2], 100)
        for at, budget in enumerate(BUDGETS):
            gain = mean(found[:, 1, at] - found[:, 0, at], 100)
            values[f"{kind}, {budget:,} votes: two stages gain, points"] = gain
            for test, hits in zip(TESTS, found[:, :2, at].T, strict=True):
                rejected = share(hits)
                values[f"{kind}, {budget:,} votes: power, {test}, %"] = rejected
                power.append({"votes": budget, "power, %": rejected.value, "study": f"{kind}, {test}"})
            kept = {"votes": budget, "regime": kind}
            overlap.append({**kept, "overlap, %": mean(found[:, 2, at], 100).value})
            captured.append({**kept, "signal, %": mean(found[:, 3, at], 100).value})
    alike = "Overlap of the types kept with the best ones (Fig. 5)"
    held = "Signal that the types kept hold; chance would hold 20% (Fig. 6)"
    study, x, by = "lee.two-stages", "votes", "regime"
    drawings = (
        Drawing(study, "two-stages", "Power by votes (Fig. 4)", power, x, "power, %", by="study"),
        Drawing(study, "two-stages-overlap", alike, overlap, x, "overlap, %", by=by),
        Drawing(study, "two-stages-signal", held, captured, x, "signal, %", by=by),
    )
    return Results(values, drawings)


TWO_STAGES = MonteCarlo(
    "lee.two-stages", "Two stages and votes in proportion", REGIMES, _draw_regime, regimes, 4000, 400, chunk=250
)


# Bounds of risk (Theorems 3.2 to 3.6) against the best test there is, and against tests that know no margins.


ALPHA, CONSTANT = 0.05, 9 / 4
"""Level of tests, and what a divergence is at most times the squared margin (Lemma 3.1)."""
MARGINS = (0.02, 0.05, 0.1, 0.2, 0.25)
DIVERGENCES = np.arange(1, 17) / 2
TYPES, SIGNAL = 20, 0.003
"""Types of equal weight, and their mean squared margin: all of it on one type is a margin of .245."""
UNEVEN = np.repeat([1.0, 0.25], TYPES // 2)
"""Half of the types are asked about a quarter as often."""
SIMULATED, MANY = 4000, (10_000, 100_000)
VOTES, DRAWN = 400, 1000
"""Votes of a study with random margins, and studies."""


def risk(rng: np.random.Generator) -> Results:
    """What the theorems bound, over their bounds."""
    sizes = np.linspace(0.001, 0.25, 250)
    ratio = divergence(sizes) / sizes**2
    values: dict[str, Value | float] = {
        "divergence over squared margin, smallest": float(ratio.min()),
        "divergence over squared margin, largest": float(ratio.max()),
        "votes that screening 80 questions takes": two_stage(10**6, np.ones(80)).first,  # the questions of MT-Bench
    }
    values |= {**known(), **random(rng), **_weakest(), **_two_stages()}
    title = "Risk of tests of votes with a margin of .1, by divergence, and the lower bound (Theorems 3.2 and 3.3)"
    return Results(values, (Drawing("lee.risk", "risk", title, curves(0.1), x="divergence", y="risk", by="test"),))


def known() -> dict[str, float]:
    """Theorems 3.2 and 3.3: the least risk, and the errors at half of the divergence, for margins of one size."""
    least, first, rate = [], [], []
    for margin in MARGINS:
        for n, information in votes_of(margin):
            half = errors(n, margin, information / 2)
            least.append(errors(n, margin).risk / (math.exp(-information) / 2))
            first.append(half.first / math.exp(-information / 2))
            rate.append(-math.log(half.risk) / information)
    return {
        "least risk over the bound of Theorem 3.2, smallest": min(least),
        "first error over its bound in Theorem 3.3, largest": max(first),
        "exponent of the risk, divergence of .5 to 8, smallest": min(rate),
    }


def votes_of(margin: float) -> list[tuple[int, float]]:
    """Votes that have about each divergence, and the one that they have."""
    each = float(divergence(margin))
    counts = [math.ceil(asked / each) for asked in DIVERGENCES.tolist()]
    return [(n, n * each) for n in counts]


def curves(margin: float) -> list[Row]:
    """Risks of tests of votes with this margin, by divergence."""
    rows: list[Row] = []
    for n, information in votes_of(margin):
        missed = 1 - float(power(n, 0.5 + margin, ALPHA))
        risks = {"best test": errors(n, margin).risk, "threshold at half": errors(n, margin, information / 2).risk}
        risks |= {"lower bound": math.exp(-information) / 2, "binomial test at .05": Errors(ALPHA, missed).risk}
        rows += [{"divergence": information, "risk": risk, "test": test} for test, risk in risks.items()]
    return rows


def random(rng: np.random.Generator) -> dict[str, Value | float]:
    """Proposition 3.4: margins drawn from two laws, for the test at half of the expected divergence."""
    values: dict[str, Value | float] = {}
    shape = (DRAWN, VOTES)
    laws = {"uniform": rng.uniform(-0.25, 0.25, shape), "one in ten": np.where(rng.random(shape) < 0.1, 0.25, 0.0)}
    for name, margin in laws.items():
        each = float(divergence(margin).mean())
        values[f"{name} margins: divergence over votes x mean square"] = each / float((margin**2).mean())
        half = VOTES * each / 2
        fair = log_ratio(rng.random(shape) < 0.5, 1, margin) >= half
        found = log_ratio(rng.random(shape) < 0.5 + margin, 1, margin) >= half
        risk = fair + (1.0 - found)
        error = float(risk.std(ddof=1)) / math.sqrt(DRAWN)
        values[f"{name} margins: risk of the test that knows them"] = Value(float(risk.mean()), error)
    return values


def _weakest() -> dict[str, Value | float]:
    """Theorem 3.5: all signal on the type that is worst off, for the test that knows which, and for those that do not.

    The bound is that of its proof, with the constant of Lemma 3.1.
    """
    values: dict[str, Value | float] = {}
    margin = math.sqrt(SIGNAL * TYPES)
    weights, over = np.ones(TYPES), []
    for name, asked in (("in proportion", weights), ("uneven", UNEVEN)):
        for budget in (500, 1000, 2000, 4000):
            counts = proportional(budget, asked)
            risk = errors(int(counts.min()), margin).risk
            over.append(risk / (math.exp(-CONSTANT * SIGNAL * bottleneck(counts, weights)) / 2))
            values[f"{budget:,} votes {name}: least risk at the weakest type"] = risk
    values["least risk over the bound of Theorem 3.5, smallest"] = min(over)
    alone = np.where(np.arange(TYPES) == 0, margin, 0.0)
    opposite = np.sqrt(SIGNAL) * (-1.0) ** np.arange(TYPES)
    for name, signals in (("weakest type", alone), ("opposite signs", opposite)):
        study = simulate_two_stage(signals, [4000], studies=SIMULATED)
        for test, words in (("proportional", "binomial test"), ("proportional, any type", "test over types")):
            missed = 1 - float(study.power[test][0])
            error = math.sqrt(missed * (1 - missed) / SIMULATED)
            values[f"4,000 votes, {name}: risk of the {words}"] = Value(Errors(ALPHA, missed).risk, error)
    return values


def _two_stages() -> dict[str, Value | float]:
    """Theorem 3.6: studies in two stages that miss a concentrated signal, whatever is spent."""
    studies = 5 * SIMULATED
    missed = 1 - simulate_two_stage(regime("concentrated"), MANY, studies=studies).power["two-stage"]
    values: dict[str, Value | float] = {
        f"two stages, {budget:,} votes: missed, %": Value(100 * part, 100 * math.sqrt(part * (1 - part) / studies))
        for budget, part in zip(MANY, missed.tolist(), strict=True)
    }
    ratio = float(missed[1] / missed[0])
    error = ratio * math.sqrt(float(((1 - missed) / missed).sum()) / studies)
    return values | {"two stages: missed at 100,000 votes over at 10,000": Value(ratio, error)}


RISK = Study("lee.risk", "Bounds of risk, and tests that know the margins or do not", risk)


# Chatbot Arena and the people of MT-Bench (Tables 1, 2, 4 to 6): margins, near ties, prompts, equal budgets.


WELL_SAMPLED = {"Arena": 200, "MT-Bench": 30}
"""Decisive votes of a pair: the paper's 200 for Arena; it names none for MT-Bench, whose 15 pairs all have more."""
ALIGNED = 30
NEAR = 0.1


def _read_chats(path: Path) -> Votes:
    """Votes as both data sets have them: a question, two models, the winner, and who judged."""
    return read_votes(path, prompt="question_id", judge="judge", announce=False)


def published(folder: str, pattern: str) -> Needed[Votes]:
    """A data set of the makers of Chatbot Arena, in a folder of its name."""
    return Needed(f"{folder}/data/{pattern}", f"the data set lmsys/{folder}", _read_chats)


ARENA = published("chatbot_arena_conversations", "train-*.parquet")
MT_BENCH = published("mt_bench_human_judgments", "human-*.parquet")


def chats(files: Contents, rng: np.random.Generator) -> Results:
    """Margins and near ties of each protocol, z at equal budgets, and variances between prompts of pairs of both."""
    tables = {"Arena": files.of(ARENA), "MT-Bench": files.of(MT_BENCH)}
    values: dict[str, Value | float] = {}
    rows = []
    for name, votes in tables.items():
        found = margins(votes, minimum=WELL_SAMPLED[name], cluster=())
        values[f"{name}: pairs"] = float(len(found))
        for row in found.quantiles(rng=rng).rows():
            at = f"{name}: p{100 * float(row['probability']):.0f}"
            values |= {f"{at}, margin": float(row["margin"]), f"{at}, votes": float(row["n"])}
            values[f"{at}, votes at level .01"] = float(normal_size(row["margin"], 0.01, 0.9))
            values |= {f"{at}, lower end": float(row["low"]), f"{at}, upper end": float(row["high"])}
        near = found.near_ties(NEAR, rng=rng)
        values |= {f"{name}: near ties": float(near.count), f"{name}: near ties, median margin": near.median}
        values[f"{name}: near ties, votes"] = near.n
        study = detectability(votes, budgets=[100], minimum=WELL_SAMPLED[name], cluster=())
        for n in (50, 100):
            low, middle = study.z(n).tolist()
            values |= {f"{name}: z at {n} votes, p10": low, f"{name}: z at {n} votes, median": middle}
        rows += [
            {"protocol": name, "margin": float(size), "votes": float(n)}
            for size, n in zip(found.absolute, found.implied, strict=True)
            if np.isfinite(n)
        ]
    title = "Votes that pairs need, by margin (Figs. 1 to 3)"
    drawing = Drawing("lee.chats", "chats", title, rows, "votes", "margin", by="protocol", mark="point", log=True)
    return Results(values | variances(tables), (drawing,))


def variances(tables: dict[str, Votes]) -> dict[str, float]:
    """Variances of win rates between and within prompts, medians over the pairs that both have."""
    pairs, _ = shared((tables["Arena"], tables["MT-Bench"]), tuple(tables), ALIGNED)
    kept = {name: votes.keep(rows_on(votes, pairs)) for name, votes in tables.items()}
    found = {name: rate_variance(votes, by="prompt", minimum=ALIGNED) for name, votes in kept.items()}
    out = {"pairs of both": float(len(pairs))}
    for name, one in found.items():
        out[f"{name}: variance between prompts, as it is"] = one.medians["between_plain"]
        out[f"{name}: variance within prompts, as it is"] = one.medians["within_plain"]
        out[f"{name}: variance between prompts, without noise"] = one.medians["between"]
    order, _ = matched(kept["Arena"], kept["MT-Bench"])
    with np.errstate(divide="ignore"):
        ratios = found["Arena"].between_plain / found["MT-Bench"].between_plain[order]
    out["variance between prompts, Arena over MT-Bench"] = float(np.median(ratios))
    return out


CHATS = Reanalysis("lee.chats", "Arena and MT-Bench: Tables 1, 2, 4 to 6", (ARENA, MT_BENCH), chats)


# The analyses of Lee on other votes, those of WMT 2015: people ranked translations, five at a time.
#
# The paper has none of these figures: what is published here is what they were when they were written down.


LOOKED = "expanded"
"""Whether a row follows from two others of its ranking, and nobody looked at its pair."""
"""Edge of near ties."""
RESAMPLED, TRIED, LEAST, FEWEST = 400, 150, 30, 4
"""Replays of a pair; pairs, those with the most votes; votes of a judge who is a type, and such judges."""


def read_rankings(path: Path) -> Votes:
    """Votes of pairs that somebody looked at; systems of several languages are told apart."""
    votes = read_votes(path, facets={LOOKED: LOOKED}, announce=False)
    return votes.only(LOOKED, "false").within("prompt_type")


FILE = Needed("wmt15_human_pairwise.parquet", "rankings of WMT 2015 as votes (github.com/mjpost/wmt15)", read_rankings)


def wmt15(files: Contents, rng: np.random.Generator) -> Results:
    """Margins, near ties, prompts, clusters, stability and ties."""
    votes = files.of(FILE)
    found = margins(votes)
    values: dict[str, Value | float] = {"pairs": len(found)}
    near = found.near_ties(NEAR, rng=rng)
    values |= {"near ties, %": 100 * near.share, "near ties: median margin": near.median, "near ties: votes": near.n}
    for row in found.quantiles(rng=rng).rows():
        name = f"p{100 * float(row['probability']):.0f}"
        values[f"{name}: margin"], values[f"{name}: votes"] = float(row["margin"]), float(row["n"])
        values[f"{name}: lower end"], values[f"{name}: upper end"] = float(row["low"]), float(row["high"])
    for name, value in rate_variance(votes).medians.items():
        values[f"variance of win rates, {name}"] = value
    plain = detectability(votes, budgets=[50, 100], cluster=())
    for n in (50, 100):
        low, middle = plain.z(n).tolist()
        values |= {f"z at {n} votes, p10": low, f"z at {n} votes, median": middle}
    errors = cluster_robust(votes, by="prompt").summary()
    values["prompts of a pair with two votes or more, %"] = 100 * errors.repeated
    values["error by prompt over that of single votes, median"] = float(errors.ratio[1])
    change = np.abs(one_vote_each(votes).change)
    values |= {"one vote each: median change": float(np.median(change)), "one vote each: largest": float(change.max())}
    steady = stability(votes, rng=rng)
    values["first 50 votes and all: Spearman"] = steady.spearman_final
    values["first 50 votes and others: Spearman"] = steady.spearman
    values["the same, by noise alone"] = steady.expected
    ties = tie_sensitivity(votes)
    values |= {f"ties {name}: p10": own.margin[0] for name, own in ties.quantiles.items()}
    values |= {"ties, %, median": 100 * ties.tie_share, "ties, %, near ties": 100 * ties.near_share}
    values["ties and margins: correlation"] = ties.correlation
    return Results(values, (_margins_drawing(found),))


def _margins_drawing(found: Margins) -> Drawing:
    """Margins of all pairs, and the votes that each needs."""
    rows = [
        {"margin": float(margin), "votes": float(n)}
        for margin, n in zip(found.absolute, found.implied, strict=True)
        if np.isfinite(n)
    ]
    title = "Votes that pairs need, by margin, WMT 2015 (as Fig. 2)"
    return Drawing("lee.wmt15", "wmt15-margins", title, rows, "votes", "margin", mark="point", log=True)


def replay(files: Contents, rng: np.random.Generator) -> Results:
    """Replays by the rule of Algorithm 1, with prompts as types, and with judges, of whom rare ones are left out."""
    votes = files.of(FILE)
    pairs = votes.pairs()
    most = [pairs.names[at] for at in np.argsort(-pairs.decisive, kind="stable")[:TRIED]]
    prompts, judges = 0, []
    for a, b in most:
        pair, seed = votes.pair(a, b), int(rng.integers(2**31))
        prompts += replayed(pair, a, b, "prompt", seed) is not None
        code = pair.column("judge")[np.isfinite(pair.encoded())]
        often = np.flatnonzero(np.bincount(code) >= LEAST)
        if len(often) >= FEWEST:
            judges.append(replayed(pair.keep(np.isin(pair.column("judge"), often)), a, b, "judge", seed))
    known = [one for one in judges if one is not None]
    power = {test: np.array([one.power[test][0] for one in known]) for test in ("proportional", "two-stage")}
    gain = power["two-stage"] - power["proportional"]
    return Results(
        {
            "pairs that can be screened by prompt": float(prompts),
            "pairs that can be screened by judge": float(len(known)),
            "power in proportion, %": mean(power["proportional"], 100),
            "power in two stages, %": mean(power["two-stage"], 100),
            "two stages gain, points": mean(gain, 100),
            "largest gain, points": 100 * float(gain.max()),
            "two stages spend, % of the budget": mean(np.array([one.spent[0] / one.budgets[0] for one in known]), 100),
        }
    )


def replayed(pair: Votes, a: str, b: str, by: str, seed: int) -> AllocationStudy | None:
    """A replay of twice what screening takes, and of four fifths of the votes at most; None where they do not do."""
    low, high = replay_range(pair, a, b, by=by)
    budget = min(4 * high // 5, 2 * low)
    if budget < low:
        return None
    try:
        return replay_two_stage(pair, a, b, [budget], by=by, studies=RESAMPLED, seed=seed)
    except NotEstimable:  # a type has fewer votes than its screening takes
        return None


WMT15 = Reanalysis("lee.wmt15", "Margins of translations, as Tables 1, 2, 4 to 6 and D.1 to D.6", (FILE,), wmt15)
REPLAY = Reanalysis("lee.replay", "Replay in two stages, as appendix C.2, of translations", (FILE,), replay)
