"""Commands that look at a file.

- `doctor`: what it supports.
- `analyze`: its error bars, and what to buy next.
- `diagnose`: whether the model describes it.
- `analysis`: the files that come with them.
- `mean_from`: the mean of scores whose uncertainty a pilot knows.
- `posterior`: components and the mean as posterior distributions.
- `hazard`, `ensemble`, `chain`: turns of conversations, means of several agents, and chains of them.
- `demo`: the same on data whose truth is known.
"""
