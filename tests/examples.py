"""How many examples a property draws whose one example takes long: a sixth of what the profile says."""

from __future__ import annotations

from hypothesis import settings

few = settings(max_examples=settings().max_examples // 6)
