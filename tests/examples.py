"""How many examples a property draws: a quarter of what the profile says where one takes long, twice that of text."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

few = settings(max_examples=settings().max_examples // 4)
many = settings(max_examples=settings().max_examples * 2)


def any_text(**size):
    """Any text that can be written: what a codec can write Hypothesis finds by trying a million characters."""
    return st.text(st.characters(exclude_categories=["Cs"]), **size)


def of_components(fit, **targets):
    """The mean with the standard error of its components, where random facets stand for others if nothing is said."""
    from quorate.estimate.means.mean import plain_mean
    from quorate.estimate.means.targets import all_drawn

    groups = fit.judgments.ancestors(fit.judgments.object)
    usual = {name: target for name, target in all_drawn(fit).items() if name not in groups}
    return plain_mean(fit, {**usual, **targets})
