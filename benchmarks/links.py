"""Components of log odds: Quorate against mixedlm and statsmodels, on the binomial cells of a safety study.

Run with ``make bench``; ``python benchmarks/links.py`` runs it alone. 141 items in 12 categories by 5 prompts, 3 judges
and 3 temperatures, 2 answers a cell, 94% of them safe: 6,345 cells, which mixedlm fits by Laplace's approximation too,
and 1,350 of them (30 items), which the variational Bayes of statsmodels' BinomialBayesMixedGLM ends on. CPU seconds in
one process. lme4::glmer takes 13.5 for a fit of 6,345 cells (recorded, R 4.2, lme4 1.1-31).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product

import mixedlm
import numpy as np
import polars as pl
import statsmodels
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

import quorate as q

FEW = 30
"""Items of the smaller table."""
RECORDED = 13.5
LEVELS = {"item": 141, "prompt": 5, "judge": 3, "temperature": 3}
SD = {("category",): 1.5, ("item",): 2.0, ("item", "judge"): 2.0, ("prompt", "judge"): 0.8, ("item", "prompt"): 1.0}
FACETS = {name: name for name in (*LEVELS, "category", "replicate")}
RANDOM = [":".join(term) for term in SD]


def answers(items: int) -> pl.DataFrame:
    """Single answers: 94% are safe."""
    rng, sizes = np.random.default_rng(11), (LEVELS | {"item": items}).values()
    at = dict(zip(LEVELS, np.array(list(product(*(range(n) for n in sizes)))).T, strict=True))
    at["category"] = at["item"] % 12
    eta = 4.2 + np.array([-1.0, 0.2, 0.8])[at["judge"]]
    for term, sd in SD.items():
        key = np.unique(np.column_stack([at[name] for name in term]), axis=0, return_inverse=True)[1].ravel()
        eta += rng.normal(0, sd, key.max() + 1)[key]
    frame = pl.DataFrame({name: [f"{name[0]}{level}" for level in column] for name, column in at.items()})
    drawn = rng.random((len(eta), 2)) < 1 / (1 + np.exp(-eta[:, None]))
    both = [frame.with_columns(replicate=pl.lit(f"r{r}"), score=drawn[:, r].astype(int)) for r in range(2)]
    return pl.concat(both)


def seconds(call: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def ours(frame: pl.DataFrame) -> Callable[[str], float]:
    """Fits of a table by Quorate, by method."""
    table = q.read(frame, facets=FACETS, nested={"item": "category"}, announce=False)

    def fit(method: str) -> float:
        return q.decompose(table, link="logit", method=method, random=RANDOM).deviance  # type: ignore[call-overload]

    fit("pirls")
    return fit


def glmer(frame: pl.DataFrame) -> Callable[[], object]:
    """The fit by mixedlm."""
    formula, single = "score ~ judge + temperature + " + " + ".join(f"(1 | {t})" for t in RANDOM), frame.to_pandas()
    return lambda: mixedlm.glmer(formula, single, family=mixedlm.families.Binomial())


def variational(frame: pl.DataFrame) -> Callable[[], object]:
    """The fit by statsmodels, its design matrices among it."""
    single = frame.to_pandas()
    terms = {t.replace(":", "_"): "0 + " + ":".join(f"C({name})" for name in t.split(":")) for t in RANDOM}
    return lambda: BinomialBayesMixedGLM.from_formula("score ~ judge + temperature", terms, single).fit_vb()


def compared(frame: pl.DataFrame, peer: str, call: Callable[[], object]) -> float:
    """Print CPU seconds on one table and ratios to ours; ours in seconds."""
    fit = ours(frame)
    cells = frame.select(*LEVELS).unique().height
    print(f"{cells:,} binomial cells, {len(frame):,} answers; CPU seconds, and how many times ours")
    first = 0.0
    for name, one in {"laplace": lambda: fit("laplace"), "pirls": lambda: fit("pirls"), peer: call}.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken = seconds(one)
        first = first or taken
        print(f"{name if name == peer else f'quorate {q.__version__}, {name}':50}{taken:9.2f}{taken / first:9.1f}")
    return first


def main() -> None:
    """Print CPU seconds and ratios to ours."""
    all_cells, few = answers(LEVELS["item"]), answers(FEW)
    compared(few, f"statsmodels {statsmodels.__version__} BinomialBayesMixedGLM.fit_vb", variational(few))
    first = compared(all_cells, f"mixedlm {mixedlm.__version__} glmer", glmer(all_cells))
    print(f"{'lme4 glmer, recorded':50}{RECORDED:9.2f}{RECORDED / first:9.1f}")


if __name__ == "__main__":
    main()
