"""Posterior distributions by Hamiltonian Monte Carlo, and what shows that draws can be relied on, in reading order.

``laws``: prior densities of standard deviations.
``marginal``: the Gaussian likelihood of variance components, effects integrated out.
``latent``: the likelihood of counts of categories, effects sampled.
``mode``: where chains begin.
``nuts``: the sampler, in steps that can be timed.
``convergence``: R-hat and effective sample sizes.
``importance``: draws reweighted to another prior, and whether they bear it.
``ranks``: whether true values have uniform ranks among draws.
"""
