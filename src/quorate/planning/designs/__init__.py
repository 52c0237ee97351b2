"""Designs: how judges and prompts are laid out over items, and what the mean's variance and price are then.

A layout is the one idea here: a `Scheme` is its name with its options, a `Cycle` or a `Draw` is how it goes round, a
`Layout` is its cells for some numbers of items. `quorate.planning.assign` writes one down as calls (an `Assignment`),
and `quorate.planning.panel.strategies` compares three of them at the same calls. In reading order:

- `names`: the name and words of every layout; `schemes`: the order of turns in each.
- `blocks`: balanced blocks of judges.
- `cycles`: one period of an assignment, or judges drawn at random, as weights.
- `layouts`: the cells of a plan, with the weight of every level.
- `groups`: how the mean weighs groups of items that are not equally large.
- `weights`: the weight that a layout and a target give to the variance of one term.
- `sources`: published components as the variance of any layout's mean; `fitted`: those of a fit.
- `degrees`: degrees of freedom of a design; `mean_squares`: what its interval rests on.
- `studies`: many studies of a design, and the middle one of their intervals.
- `prices`: what a design costs.
- `differences`: the difference of two systems as such a source.
- `dstudy`: `project`, the standard error and the price of a design.
- `closed_forms`: the same for the strategies of a paper, in closed form.
"""
