"""Shares, margins, p-values and numbers of votes as a reader of votes expects them."""

from __future__ import annotations

from quorate.wording import margin, shares, whole_percent

__all__ = ["margin", "p_value", "share", "shares", "votes"]

LEAST_P = 0.0001
"""P-values below it are shown as less than it."""
MOST_VOTES = 1e12
"""More votes than that are no number to plan with."""


def share(value: float) -> str:
    """A share in whole percent, never rounded to nothing or to everything.

    Examples
    --------
    >>> share(0.734), share(0.0), share(0.002), share(0.9999), share(1.0)
    ('73%', '0%', '<1%', '>99%', '100%')
    """
    return ">99%" if 0.99 < value < 1 else whole_percent(value)


def p_value(value: float) -> str:
    """A p-value after its letter.

    Examples
    --------
    >>> p_value(0.0432), p_value(3e-9), p_value(1.0)
    ('p = 0.043', 'p < 0.0001', 'p = 1')
    """
    return f"p < {LEAST_P:.4f}" if value < LEAST_P else f"p = {value:.2g}"


def votes(count: float) -> str:
    """A number of votes that is needed.

    Examples
    --------
    >>> votes(1234.0), votes(float("inf"))
    ('1,234', 'no number')
    """
    return f"{count:,.0f}" if count < MOST_VOTES else "no number"
