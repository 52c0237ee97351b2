"""Power: how many votes a comparison needs, and what a number of them can decide.

In reading order:

- `sample_size`: votes for a margin, the margin for votes, power; `equivalence`: the same for being alike.
- `clusters`: votes that resemble each other; `pilot`: what a small pilot says of the number.
- `votes_plan`: all of that for one study; `detectability`: from votes to what numbers of them decide.
- `protocols`: two ways of collecting votes on the same systems.
- `prompt_types`: votes spread over types of prompts; `concentration`: whether screening types first pays.
"""
