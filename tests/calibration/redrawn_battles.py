"""Battles between systems, judged by a panel whose components are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.agreement.battles import LIKERT, PAIRWISE
from quorate.simulate.pipelines.cells import CellMargins

Kind = Literal["pairwise", "likert"]
_ORDERS = ("as listed", "swapped")


@dataclass(frozen=True)
class BattleComponents:
    """What differs between judgments of battles, as standard deviations on the scale of one response's quality.

    Parameters
    ----------
    system : float
        Between systems, in what they are worth.
    response : float
        Between responses of one system.
    judge, prompt : float
        Taste: what a system is worth more to a judge, or under a prompt variant.
    position : float
        Between judges, in what being shown first is worth.
    cell : float
        Noise of one judgment of a response.
    tie : float
        Pairwise: a difference smaller than this is called a tie.
    """

    system: float = 0.5
    response: float = 0.5
    judge: float = 0.2
    prompt: float = 0.1
    position: float = 0.2
    cell: float = 0.5
    tie: float = 0.05


@dataclass(frozen=True, eq=False)
class BattlePanel:
    """Systems, judges and prompt variants that were drawn once.

    Parameters
    ----------
    worth : array, shape (systems,)
        What systems are worth.
    by_judge : array, shape (judges, systems)
        What they are worth more to each judge.
    by_prompt : array, shape (prompts, systems)
        What they are worth more under each prompt variant.
    position : array, shape (judges,)
        What being shown first is worth.
    """

    worth: Floats
    by_judge: Floats
    by_prompt: Floats
    position: Floats


def draw_panel(
    systems: int, judges: int, prompts: int, components: BattleComponents, rng: np.random.Generator
) -> BattlePanel:
    """Draw systems, and judges and prompt variants with their tastes.

    Parameters
    ----------
    systems, judges, prompts : int
        How many of each.
    components : BattleComponents
        How much they differ.
    rng : numpy.random.Generator
        Source of the draws.
    """
    return BattlePanel(
        worth=components.system * rng.standard_normal(systems),
        by_judge=components.judge * rng.standard_normal((judges, systems)),
        by_prompt=components.prompt * rng.standard_normal((prompts, systems)),
        position=components.position * rng.standard_normal(judges),
    )


def simulate_battles(
    panel: BattlePanel, battles: int, components: BattleComponents, rng: np.random.Generator, *, kind: Kind = "pairwise"
) -> CellMargins:
    """Judge random battles by every judge, prompt variant and, pairwise, in both orders.

    Parameters
    ----------
    panel : BattlePanel
        Who judges whom.
    battles : int
        How many.
    components : BattleComponents
        What differs within them.
    rng : numpy.random.Generator
        Source of the draws.
    kind : {"pairwise", "likert"}
        One verdict on two responses, or one score from 1 to 5 for each of them.
    """
    n = len(panel.worth)
    a = rng.integers(n, size=battles)
    b = (a + 1 + rng.integers(n - 1, size=battles)) % n
    a, b = np.minimum(a, b), np.maximum(a, b)
    quality = np.stack([panel.worth[side] for side in (a, b)])
    quality += components.response * rng.standard_normal(quality.shape)
    taste = panel.by_judge[:, None, :] + panel.by_prompt[None]
    seen = quality[..., None, None] + np.stack([np.moveaxis(taste[..., side], -1, 0) for side in (a, b)])
    if kind == "pairwise":  # both orders; which of the two is listed first is drawn for every battle
        noise = np.sqrt(2) * components.cell * rng.standard_normal((*seen.shape[1:], 2))
        listed = rng.choice([-1.0, 1.0], size=len(noise))[:, None, None, None]
        first = listed * np.array([1.0, -1.0]) * panel.position[:, None, None]
        ahead = (seen[0] - seen[1])[..., None] + noise + first
        margin = np.where(np.abs(ahead) < components.tie, 0.0, np.sign(ahead) / 2)
    else:
        scores = np.clip(np.rint(3 + seen + components.cell * rng.standard_normal(seen.shape)), 1, 5)
        margin = np.asarray(scores[0] - scores[1])[..., None]
    orders = margin.shape[-1]
    judges, prompts = len(panel.by_judge), len(panel.by_prompt)
    cell = np.indices((judges, prompts, orders)).reshape(3, -1)
    names = {
        "judge": [f"judge {i + 1}" for i in range(judges)],
        "variant": [f"variant {i + 1}" for i in range(prompts)],
    }
    names |= {"order": list(_ORDERS)} if orders > 1 else {}
    levels = {
        name: tuple(labels[i] for i in at) for (name, labels), at in zip(names.items(), cell.tolist(), strict=False)
    }
    systems = tuple(f"system {i + 1:02d}" for i in range(n))
    return CellMargins(
        systems,
        a,
        b,
        margin.reshape(battles, -1),
        levels,
        np.arange(battles),
        PAIRWISE if kind == "pairwise" else LIKERT,
        kind == "likert",
    )
