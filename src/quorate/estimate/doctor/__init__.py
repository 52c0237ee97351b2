"""What the data support, in reading order.

``support``: `doctor` and its two results, for judgments and for votes.
``analyses``, ``label_analyses``, ``vote_analyses``: which analyses are possible, and what would make the others so.
``findings``, ``vote_findings``: what is wrong or worth knowing before anything is fitted.
``unsaid``: what columns say of scores that nobody has declared.
``propose``: how a table can be read whose columns have names of their own, tried.
"""
