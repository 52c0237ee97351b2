"""Panels of judges: a page of their own, and a section of the page on judgments.

page        the page, the section, and what must be known to read them
paragraphs  what is said before any figure
biases      who is lenient and who is strict, and who prefers itself
groups      tiers or makers side by side, and panels out of them
rankings    what one judge alone would rank first
models      variance components under the two models
spending    how to share the calls out
screened    the page on which judges of a pool should judge
drawing     dots with intervals by system, and tables of colours
"""
