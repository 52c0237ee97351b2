"""Messing (2026), Hidden Measurement Error in LLM Pipelines, in reading order.

- `safety`, `frontier`: the safety study's shares, its counterfactuals, and the 360 designs.
- `ideology`: Likert and pairwise ideology. `mmlu`: multiple choice. `logit`: the same on the scale of log odds.
- `single`: naive standard errors of single configurations. `best_of`: what gaming is worth. `propaganda`: items by
  disagreement.
- `law`: the law that the simulations share, and how they fit and project.
- `convergence`, `additivity`, `heteroscedastic`, `few_prompts`, `portability`, `misspecified`, `scoring`,
  `pathologies`, `staircase`, `ambiguity`, `battles`: the simulations.
"""
