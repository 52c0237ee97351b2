"""Goals: studies that state what is to be known and the most it may cost, and buy judgments until it is.

In reading order:

- `goal`: what is asked; `offer`: what may be bought, at which prices, and the most that may be spent
- `rounds`: the pilot, and each look with what it buys next; `look`: what a look says
- `repeated`: tests that are repeated at every look
- `pursuit`: what all goals have in common; `compare`: which of two systems scores higher; `half_width`: a mean that is
  known well enough; `best`: which of several systems is best
- `parts`: goals that ask the same of every category of items, or of the mean of every system
- `plans`: the studies that may be bought; `batch`: the calls that one of them still needs
- `poll`: votes of people and of models on battles of two systems; `votes`: which of the two they prefer; `favourite`:
  which of several they prefer to each of the others; `stages`: which is preferred on the types of items where two
  differ most
"""
