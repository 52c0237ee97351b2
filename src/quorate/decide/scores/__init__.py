"""Scores of two systems: the verdict, and what would decide.

In reading order:

- `verdict`: better, worse, equivalent or undecided.
- `anytime`: means and differences with intervals that hold whenever one stops.
- `step`: the next study of an undecided comparison; `search`: the cheapest or the best one by its power.
- `effect`: items for an effect before there are data or from a pilot, and a share against a bar.
- `studies`: what a study would find, from the parts of its variance.
"""
