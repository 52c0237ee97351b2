"""Studies with a goal: what to expect of one, and how one came to its end.

law, vote_law  components of what a goal is about, from the answers of its study; of votes, ties and agreement
quote  what a study will spend, and its chance to decide, simulated (`quorate.quote`)
path   the looks of a study, what stopped it, and what one look would have cost
"""
