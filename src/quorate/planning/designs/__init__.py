"""Designs: how judges and prompts are laid out over items, and what the mean's variance and price are then.

A layout is the one idea here: a `Scheme` is its name with its options, a `Cycle` or a `Draw` is how it goes round, a
`Layout` is its cells for some numbers of items. `quorate.planning.assign` writes one down as calls (an `Assignment`),
and `quorate.planning.panel.strategies` compares three of them at the same calls.
"""
