"""Variance components of judgments, in reading order.

``model``, ``fixed``, ``noise``: terms of the model, its fixed effects, its residual components.
``assemble``, ``design``: the arrays that the numerics work on, and what they can tell apart.
``decompose``, ``decomposition``, ``component``: the fit and its result.
``answers``: numbers of answers that go with their scatter.
``projection``: what a fit leaves of its data, and of others of the design.
``terms``: what a component is of, by its name.
``tails``: intervals of components whose effects are not normal.
``bootstrap``: the fit again on data that it draws.
``universe``, ``dependability``: a decision study of the mean scores of items, people or systems.
``robustness``: the fit again on parts of the judgments.
``categories``, ``links``, ``latent``, ``latent_mean``: components of log odds, and the mean that they stand for.
``marginal``: the components of scores that they stand for.
``published``: components without data.
"""
