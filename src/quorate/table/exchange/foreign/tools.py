"""The formats of other tools that are read."""

from __future__ import annotations

from quorate.table.exchange.foreign import (
    alpaca_eval,
    arena,
    arena_hard,
    argilla,
    deepeval,
    every_eval_ever,
    helm,
    label_studio,
    lm_eval,
    mt_bench,
    openai_evals,
    promptfoo,
)
from quorate.table.exchange.foreign.inspect import log as inspect

TOOLS = (
    inspect.FORMAT,
    helm.FORMAT,
    promptfoo.FORMAT,
    lm_eval.FORMAT,
    deepeval.FORMAT,
    openai_evals.FORMAT,
    arena_hard.FORMAT,
    mt_bench.FORMAT,
    alpaca_eval.FORMAT,
    arena.FORMAT,
    label_studio.FORMAT,
    argilla.FORMAT,
    every_eval_ever.FORMAT,
)
"""In the order in which they are asked; one more is one file beside this one and its ``FORMAT`` in this list."""
