"""Commands that decide between systems, and on whom to trust in that.

- `compare`: the verdict on two systems; `rank`: a leaderboard of all; `watch`: one whose orders hold while
  votes come in; `monitor`: whether votes still coming in decide between two.
- `models`: models of votes side by side.
- `gaming`: what the best of many submissions gains by luck.
- `corrected`: what people would find, from judges on everything and people on a part.
- `corrected_ratings`: the leaderboard that people would give, from judges on all battles, people on few.
- `regress`: a regression on labels of a judge, corrected by labels of a few rows; `surrogate`: how far such a label
  would move in another run; `sign_flip`: whether that turns a sign.
- `against`: judges against labels of people, and how many independent ones they are worth.
- `agree`: how often judges decide as people do; `pipelines`: how far a leaderboard by judges would move.
"""
