"""Names of the roles that columns play, as the package writes them."""

from __future__ import annotations

ITEM = "item"
JUDGE = "judge"
FAMILY = "family"
PROMPT = "prompt"
SYSTEM = "system"
TEMPERATURE = "temperature"
REPLICATE = "replicate"
GENERATION = "generation"
TURN = "turn"
CATEGORY = "category"
PROPENSITY = "propensity"
