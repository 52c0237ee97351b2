"""Columns: the role that each plays, and what stands in it.

- aliases: names of columns, by what they mean in any table
- roles: roles of judgments, declared or recognised by name
- repeating: columns that are not used and repeat as ids do
- choose: the columns that play a role, from any frame
- labels: levels of a facet
- categories: the same by the integers that a frame's library keeps
- scores: scores as numbers, and those that stand for none
- scales: words with an order, percentages and fractions
- words: words as scores
- makers: makers of models, by their names
- statuses: words of a status column
- vote_roles: roles of votes
- vote_ledger: the same in a ledger of pairs
- vote_columns: the columns of votes as codes and numbers
- rankings: a vote on every pair of the systems of a ranking
- outcomes: what the labels of a winner or an order mean
"""
