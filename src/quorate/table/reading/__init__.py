"""How a table is read of which nobody has said it, in reading order.

``taken``: what reads it, by names of columns, else by what they hold. ``reading``: how, how sure that is, and the
question where it is not. ``scored``: the score, what is judged, what tells rows apart; ``wide``: several columns of
scores; ``pairs``: the two models of votes and who won; ``people``: what people said beside judges. ``names``: what
words in the names of columns say.
"""
