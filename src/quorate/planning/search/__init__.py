"""Search: the best of all allowed designs, and what a few changes would give.

In reading order:

- `grid`: designs that an optimiser may choose from; `weighted`: cycles in which some judges come more often.
- `paid`: judgments that are there already, and what of a plan they are.
- `search`: the price and variance of each design, and those that nothing beats.
- `optimize`: the best design for a budget or a precision; `optimum`: its result.
- `ranking`: how sure the choice is.
- `whatif`: a few changes to the design at hand.
"""
