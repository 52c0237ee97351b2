"""Plans: from components or a pilot to what to collect next.

In reading order:

- `designs/`: layouts, and the standard error and price of a design; `search/`: the best of many.
- `power/`: how many votes a comparison needs; `labels/`: how many labels of people, and predictions of judges.
- `panel/`: which judges to use; `adaptive/`: calls where scores are uncertain.
- `assign`: the calls of a plan; `assignment`: its result; `aliasing`: what they could tell apart.
- `naive`: how wrong the usual interval is.
- `battles`: which battles of a pool to have judged; `next_battles`: which pairs of systems to ask about next.
"""
