"""Labels of people and predictions of judges: how many of each to buy.

In reading order:

- `pilot`: what labels and predictions of the same units say of variances, by stratum.
- `people`: how far people agree with each other, and what of a label any judge could predict.
- `study`: what money buys, and what a goal costs; `labels_plan`: the result.
- `plan_labels`: the split of a budget, or the cheapest one that is precise enough.
- `board_plan`: labels that the gaps of a board still take.
"""
