"""Judges beside people: the pages of results that take people as the yardstick.

against    judges against labels: each, their majority, what the panel is worth
agreement  agreement with people
corrected  what people would find, from few labels and many predictions, and how many of each to buy
regression coefficients of what people would label, and how far a judge's label and a sign would move
"""
