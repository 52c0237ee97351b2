"""Posterior distributions of variance components and of the mean, in reading order.

``prior``: what is known of standard deviations before: next to nothing, or an earlier study.
``posterior``, ``sampling``: the draws, what chains must reach.
``gaussian``, ``log_odds``: the models of scores as numbers and of log odds, with their prior.
``result``, ``scores``, ``latent``: what the draws say, whatever the model, and of each of the two.
``mean``: the mean for a target.
``sensitivity``: what other priors would change.
``check``: whether simulated truths have uniform ranks among the draws.
"""
