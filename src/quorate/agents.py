"""Agents: conversations by turns, chains, ensembles and repeated runs.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.estimate.agents.chain import chain as chain
    from quorate.estimate.agents.ensemble import ensemble as ensemble
    from quorate.estimate.agents.hazard import hazard as hazard
    from quorate.estimate.agents.runs import repeated_runs as repeated_runs

__all__, __getattr__, __dir__ = lazily(__name__)
