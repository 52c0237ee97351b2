"""Judges beside people: the pages of results that take people as the yardstick.

against    judges against labels: each, their majority, what the panel is worth
agreement  agreement with people
corrected  what people would find, from few labels and many predictions
corrected_ratings the leaderboard that people would find
regression coefficients of what people would label, from few labels and many predictions
surrogate  how far a judge's label would move in another run; sign_flip  whether that turns a sign
labels     how many labels by people and predictions by judges to buy
"""
