"""Commands that plan a study.

- `project`: what another design would give; `optimize`: the best that a budget buys.
- `effect_size`: how many items an effect takes, before data or from a pilot, or a share a bar.
- `assign`: which judge scores which item.
- `panel`: which judge is off, and how to share calls out; `screen`: which of many judges should judge.
- `plan_votes`: how many votes; `plan_labels`: how many labels by people and predictions by judges.
- `next_battles`: which pairs of systems next; `sample_battles`: which battles of a pool.
- `replay`: what smaller studies would have found.
- `protocols`: which of two ways of collecting votes decides with fewer.
- `validate`: whether plans by a pilot would have done better on a table that exists.
- `adaptive`: what spending calls where scores vary would save.
"""
