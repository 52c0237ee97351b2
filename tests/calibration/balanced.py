"""Balanced studies of one design, fitted again and again."""

from __future__ import annotations


def balanced(fit, freedom):
    """A fit that knows the degrees of freedom found before: of balanced data they are those of the design."""
    fit._freedom.update(freedom)
    freedom.update({t: fit.freedom(t) for t in fit.representatives.values()})
    return fit
