"""Small tables whose roles are known, under telling names or neutral ones: what reads tables must not mistake them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

NAMES = {
    "item": (
        *("item", "item_id", "question_id", "id", "task_id", "case", "patient", "doc_id", "essay", "sample", "ref"),
        *("entry_no", "unit", "stimulus"),
    ),
    "judge": (
        *("judge", "rater", "annotator_id", "RaterID", "reviewer", "grader_model", "scorer", "evaluator", "who"),
        *("assessed_by", "clinician", "panelist_no"),
    ),
    "system": ("model", "system", "model_name", "llm", "agent", "arm", "bot", "checkpoint"),
    "prompt": ("prompt", "template", "variant", "wording", "phrasing"),
    "time": ("time", "occasion", "wave", "visit"),
    "score": ("score", "rating", "grade", "quality", "points", "passed", "y", "result", "severity", "appraisal"),
    "category": ("category", "topic", "domain", "group", "stratum"),
    "measure": ("response_length", "tokens", "seconds", "cost"),
    "gold": ("gold", "human_score", "expert_label", "reference"),
    "payload": ("text", "response", "comment", "output"),
    "constant": ("version", "run_name"),
    "uid": ("uid", "row_id", "record_id", "index"),
    "other": ("confidence", "difficulty", "temperature", "votes", "upvotes", "level"),
    "winner": ("winner", "preference", "better", "result"),
    "model_a": ("model_a", "left", "first_system"),
    "model_b": ("model_b", "right", "second_system"),
}
COLUMNS = {
    "judge": ("rater{}", "judge_{}", "annotator {}", "{}"),
    "criterion": ("helpfulness", "clarity", "tone", "accuracy", "depth"),
    "system": ("model_{}", "system{}", "{}"),
}


@dataclass(frozen=True)
class Known:
    """A table and what its columns are.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    kind : {"scores", "votes"}
        What its rows are.
    score : tuple of str
        Column of the score or of the outcome; several where every one holds scores of a level.
    item : str or None
        Column of what is judged; None where every row is another.
    facets : frozenset of str
        Columns that a reading must not leave out: judges, systems, prompts, occasions.
    wide : str
        Role of the columns of scores.
    """

    frame: pl.DataFrame
    kind: str
    score: tuple[str, ...]
    item: str | None
    facets: frozenset[str] = frozenset()
    wide: str = ""

    def renamed(self, names: dict[str, str]) -> Known:
        """The same under other names."""
        return Known(
            self.frame.rename(names),
            self.kind,
            tuple(names.get(name, name) for name in self.score),
            None if self.item is None else names.get(self.item, self.item),
            frozenset(names.get(name, name) for name in self.facets),
            self.wide,
        )

    def neutral(self) -> Known:
        """The same with columns named c1, c2 and so on."""
        return self.renamed({name: f"c{place}" for place, name in enumerate(self.frame.columns, 1)})

    def shuffled(self, rng: np.random.Generator) -> Known:
        """The same with rows and columns in another order."""
        columns = [self.frame.columns[place] for place in rng.permutation(self.frame.width)]
        order = rng.permutation(self.frame.height)
        return Known(self.frame.select(columns)[order], self.kind, self.score, self.item, self.facets, self.wide)


def tables(n: int, seed: int) -> Iterator[Known]:
    """Tables of every design, drawn."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield (long, long, once, wide, wide, votes, several)[rng.integers(7)](rng)


def name(rng: np.random.Generator, role: str, taken: set[str]) -> str:
    """A name for a role."""
    found = str(rng.choice(NAMES[role]))
    while found in taken:
        found += "_2"
    taken.add(found)
    return found


def values(rng: np.random.Generator, n: int, *effects: np.ndarray) -> np.ndarray:
    """Scores of n rows on a scale that is drawn."""
    latent = sum(effects, rng.normal(size=n) * 0.7)
    kind = rng.integers(4)
    if kind == 0:
        return (latent > 0).astype(int)
    if kind == 1:
        return np.clip(np.round(latent + 3), 1, 5).astype(int)
    if kind == 2:
        return np.clip(np.round(2 * latent + 5), 0, 10).astype(int)
    return np.round(latent * 10 + 50, 2)


def levels(rng: np.random.Generator, n: int, word: str) -> np.ndarray:
    """Labels of n levels: numbers, or words with numbers in them."""
    return np.arange(1, n + 1) if rng.random() < 0.4 else np.array([f"{word}{place:02}" for place in range(n)])


def beside(
    rng: np.random.Generator, columns: dict[str, Any], taken: set[str], score: np.ndarray, item: np.ndarray
) -> None:
    """Further columns that play no role."""
    rows = len(score)
    for role in ("category", "measure", "gold", "payload", "constant", "uid", "other"):
        if rng.random() > 0.15:
            continue
        held: Any = {
            "category": lambda: np.array(["red", "green", "blue"])[item % 3],
            "measure": lambda: rng.integers(20, 900, rows),
            "gold": lambda: np.where(rng.random(rows) < 0.8, score, rng.permutation(score)),
            "payload": lambda: np.array([f"what was said of {place} is this" for place in range(rows)]),
            "constant": lambda: np.full(rows, "v1"),
            "uid": lambda: np.arange(rows) + 1000,
            "other": lambda: rng.integers(1, 6, rows),
        }[role]()
        columns[name(rng, role, taken)] = held


def long(rng: np.random.Generator) -> Known:
    """A row for each judgment, crossed or in part, with or without a name for who judged."""
    taken: set[str] = set()
    roles = [role for role in ("judge", "system", "prompt", "time") if rng.random() < (0.8 if role == "judge" else 0.3)]
    n = {"item": int(rng.integers(8, 30)), **{role: int(rng.integers(2, 5)) for role in roles}}
    if rng.random() < 0.1 and "judge" in n:  # a crowd, more than what it judges
        n["judge"] = int(rng.integers(10, 40))
    grid = np.meshgrid(*(np.arange(size) for size in n.values()), indexing="ij")
    places = {role: one.ravel() for role, one in zip(n, grid, strict=True)}
    kept = rng.random(len(places["item"])) < (1 if rng.random() < 0.6 else 0.6)
    places = {role: one[kept] for role, one in places.items()}
    repeats = 2 if rng.random() < 0.15 else 1
    places = {role: np.repeat(one, repeats) for role, one in places.items()}
    rows = len(places["item"])
    effects = [rng.normal(size=n[role])[places[role]] * (0.8 if role == "item" else 0.4) for role in n]
    score = values(rng, rows, *effects)
    columns: dict[str, Any] = {}
    named = {role: name(rng, role, taken) for role in n}
    for role, size in n.items():
        words = np.arange(1, size + 1) if role == "time" else levels(rng, size, role[0])
        columns[named[role]] = words[places[role]]
    outcome = name(rng, "score", taken)
    columns[outcome] = score
    beside(rng, columns, taken, score, places["item"])
    facets = frozenset(named[role] for role in roles)
    return Known(pl.DataFrame(columns), "scores", (outcome,), named["item"], facets)


def once(rng: np.random.Generator) -> Known:
    """A row for each thing, judged once."""
    taken: set[str] = set()
    rows = int(rng.integers(20, 60))
    item = np.arange(rows)
    score = values(rng, rows, rng.normal(size=rows))
    columns: dict[str, Any] = {}
    if rng.random() < 0.8:
        columns[named := name(rng, "item", taken)] = levels(rng, rows, "i")
    else:
        named = None
    facets = []
    for role in ("judge", "system"):
        if named is not None and rng.random() < 0.3:
            facets.append(name(rng, role, taken))
            columns[facets[-1]] = levels(rng, 3, role[0])[rng.integers(0, 3, rows)]
    outcome = name(rng, "score", taken)
    columns[outcome] = score
    beside(rng, columns, taken, score, item)
    return Known(pl.DataFrame(columns), "scores", (outcome,), named, frozenset(facets))


def wide(rng: np.random.Generator) -> Known:
    """A row for each thing, with a column for each judge, criterion or system."""
    taken: set[str] = set()
    rows, k = int(rng.integers(12, 40)), int(rng.integers(2, 5))
    role = str(rng.choice(["judge", "criterion", "system"]))
    scale = rng.integers(3)
    item = rng.normal(size=rows)
    columns: dict[str, Any] = {}
    named = name(rng, "item", taken) if rng.random() < 0.7 else None
    if named is not None:
        columns[named] = levels(rng, rows, "i")
    if role == "criterion":
        held = [str(one) for one in rng.choice(COLUMNS[role], k, replace=False)]
    else:
        form = str(rng.choice(COLUMNS[role]))
        own = ["atlas", "nova", "orion", "vega"] if role == "system" else ["ann", "bob", "cleo", "dan"]
        held = [form.format(place) for place in (own if form == "{}" else "1234")][:k]
    for place, column in enumerate(held):
        latent = item + 0.3 * place + rng.normal(size=rows) * 0.6
        columns[column] = (
            (latent > 0).astype(int)
            if scale == 0
            else np.clip(np.round(latent + 3), 1, 5).astype(int)
            if scale == 1
            else np.round(latent * 10 + 50, 1)
        )
    score = columns[held[0]]
    beside(rng, columns, {*columns}, score, np.arange(rows))
    return Known(pl.DataFrame(columns), "scores", tuple(held), named, wide=role)


def several(rng: np.random.Generator) -> Known:
    """A row with several judgments: in lists, as counts of labels, or as how often it occurred."""
    taken: set[str] = set()
    rows, k = int(rng.integers(12, 40)), int(rng.integers(2, 6))
    named = name(rng, "item", taken)
    item = levels(rng, rows, "i")
    kind = rng.integers(3)
    if kind == 0:
        columns: dict[str, Any] = {named: item}
        who = str(rng.choice(["annotators", "raters", "judge_ids", "worker_ids"])) if rng.random() < 0.5 else None
        if who is not None:
            columns[who] = [";".join(f"r{place}" for place in rng.permutation(9)[:k]) for _ in range(rows)]
        held = str(rng.choice(["ratings", "scores", "judge_scores", "annotations", "marks", "given"]))
        form = str(rng.choice(["[{}]", "{}"]))
        marks = np.clip(np.round(rng.normal(3, 1, (rows, k))), 1, 5).astype(int)
        columns[held] = [form.format((", " if "[" in form else ";").join(map(str, one))) for one in marks]
        return Known(pl.DataFrame(columns), "scores", ("score",), named, frozenset({who} if who else ()))
    if kind == 1:
        held = (("red", "green", "blue"), ("n_safe", "n_unsafe"), ("1", "2", "3", "4", "5"))[rng.integers(3)]
        each = np.full(rows, k + 1) if rng.random() < 0.5 else rng.integers(2, 9, rows)
        counts = np.array([rng.multinomial(n, rng.dirichlet(np.ones(len(held)))) for n in each])
        columns = {named: item, **{one: counts[:, place] for place, one in enumerate(held)}}
        return Known(pl.DataFrame(columns), "scores", ("score",), named)
    given = str(rng.choice(["label", "verdict", "score", "rating"]))
    times = str(rng.choice(["count", "n", "freq", "votes", "times"]))
    values = np.array(["yes", "no", "unsure"]) if given in ("label", "verdict") else np.array([1, 2, 3])
    columns = {named: np.repeat(item, 3), given: np.tile(values, rows), times: rng.integers(1, 9, 3 * rows)}
    return Known(pl.DataFrame(columns), "scores", (given,), named, frozenset({times}))


def votes(rng: np.random.Generator) -> Known:
    """A row for each vote between two systems."""
    taken: set[str] = set()
    rows, k = int(rng.integers(40, 120)), int(rng.integers(2, 5))
    systems = levels(rng, k, "sys")
    a = rng.integers(0, k, rows)
    b = (a + rng.integers(1, k, rows)) % k
    first, second = name(rng, "model_a", taken), name(rng, "model_b", taken)
    won = rng.integers(0, 3, rows)
    kind = rng.integers(3)
    if kind == 0:
        outcome: Any = np.array(["model_a", "model_b", "tie"])[won]
    elif kind == 1:
        outcome = np.where(won == 0, systems[a].astype(str), np.where(won == 1, systems[b].astype(str), "tie"))
    else:
        outcome = np.array([1, 2, 0])[won]
    winner = name(rng, "winner", taken)
    columns = {first: systems[a], second: systems[b], winner: outcome}
    if rng.random() < 0.5:
        columns[name(rng, "item", taken)] = np.arange(rows)
    if rng.random() < 0.4:
        columns[name(rng, "judge", taken)] = levels(rng, 3, "j")[rng.integers(0, 3, rows)]
    return Known(pl.DataFrame(columns), "votes", (winner,), None)
