"""Studies of the files that Messing (2026) archived.

- `pilot`: shares of a small pilot.
- `answers`: single configurations on MMLU.
- `refits`: components of archived judgments.
- `budget`: allocations of a budget of calls.
- `coverage`: intervals from one judge and prompt, and from all.
- `arena`: agreement with people, what a D-study promised, errors of strengths.
- `designs`: errors of strengths by design of the judging, from battles.
"""
