"""Panels of judges: a page of their own, and a section of the page on judgments.

page      the page, the section, models, and tiers or makers side by side
biases    who is lenient and who is strict, who prefers itself, and what one judge alone would rank first
spending  how to share the calls out, and which judges of a pool should judge
"""
