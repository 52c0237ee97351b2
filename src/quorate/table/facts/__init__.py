"""Facts about tables. No statistics.

- describe: what judgments hold: crossings, balance, what is missing, repeated or constant
- repeats: rows that repeat a replicate, and the column that tells them apart
- profile: what is in each column of a table whose roles nobody has said
- layout: how facets meet: crossed, nested, or in between
- vote_facts: what votes hold: who compared what how often, what repeats
- vote_graph: models that hang together by votes
- thin: a sample of the items of a large table
"""
