"""Chatbot Arena and the people of MT-Bench (Tables 1, 2, 4 to 6): margins, near ties, prompts, equal budgets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quorate.estimate.votes.margins import margins
from quorate.estimate.votes.signals import rate_variance
from quorate.estimate.votes.well_sampled_pairs import matched, rows_on, shared
from quorate.numerics.votes.power import normal_size
from quorate.planning.power.detectability import detectability
from quorate.reproduction.data import Contents, Needed
from quorate.reproduction.study import Drawing, Outcome, Reanalysis, Value
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes

WELL_SAMPLED = {"Arena": 200, "MT-Bench": 30}
"""Decisive votes of a pair: the paper's 200 for Arena; it names none for MT-Bench, whose 15 pairs all have more."""
ALIGNED = 30
NEAR = 0.1


def read(path: Path) -> Votes:
    """Votes as both data sets have them: a question, two models, the winner, and who judged."""
    return read_votes(path, prompt="question_id", judge="judge", announce=False)


def published(folder: str, pattern: str) -> Needed[Votes]:
    """A data set of the makers of Chatbot Arena, in a folder of its name."""
    return Needed(f"{folder}/data/{pattern}", f"the data set lmsys/{folder}", read)


ARENA = published("chatbot_arena_conversations", "train-*.parquet")
MT_BENCH = published("mt_bench_human_judgments", "human-*.parquet")


def outcome(files: Contents, rng: np.random.Generator) -> Outcome:
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
    return Outcome(values | variances(tables), (drawing,))


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


STUDY = Reanalysis("lee.chats", "Arena and MT-Bench: Tables 1, 2, 4 to 6", (ARENA, MT_BENCH), outcome)
