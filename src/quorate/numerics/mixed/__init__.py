"""Linear mixed models: REML by patterns, and what follows from a fit.

- patterns: blocks that share a pattern of cells, reduced to the few units a likelihood needs
- moments: weighted cross products of the design: the only sums over cells that a likelihood evaluation makes
- levels: shared levels once the fixed effects, and one another, are taken out
- sampled/: the same of too many levels, by products, conjugate gradients and random signs
- rows: rows of mean units over the fixed and shared columns: dense, or sparse where almost every entry is zero
- blocks: random effects within blocks, eliminated by the Woodbury identity, with ``R = Gamma^(1/2)``
- parts: mean units at one point, some at a time: what is summed over them
- inverse: inverses of positive definite matrices, with their log-determinants
- problem: a problem ready to be evaluated; solved: the linear system at one point
- reml: REML and ML by patterns: criterion, gradient and average information in one pass over the units
- newton: Newton steps for variance components: never below zero, never uphill
- identify: the variance components that a design can tell apart
- information: expected information about variance components, without ever forming a matrix over cells
- contrasts: many contrasts of the fixed effects at once, by products of matrices
- refit: estimates from data redrawn by the model: many refits of one design, each from the point it was drawn at
- redraw: new data for a problem, drawn from its own model without ever making a row
- stacked: many data sets of one design at once, where the noise of every cell is the same
- dense: a few cells, dense: the criterion of a small problem at many places at once
- anova: analysis of variance for balanced data: mean squares, their expectations, and the components they give
"""
