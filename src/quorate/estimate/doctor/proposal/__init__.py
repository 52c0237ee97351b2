"""How a table can be read whose columns have names of their own, in reading order.

``pairs``: the two models of votes and who won; ``scored``: the score, what is measured, what tells rows apart.
``propose``: the arguments that read it, tried.
"""
