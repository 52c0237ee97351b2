"""Statistics on arrays: arrays in, arrays out. Folders: mixed, links, ratings, votes, sequential, panel.

- distributions: tails and quantiles of single numbers; inference: degrees of freedom and intervals
- quantiles: the same of many degrees of freedom at once
- clustered_means: equal means of groups, where rows of one cluster resemble each other
- multiplicity: p-values and levels of several tests that are looked at together
- assignment: variance of a weighted mean over any assignment of cells
- resample: means of draws with replacement from pools of scores, and their exact law
- correlation: Pearson, Spearman and Kendall, of many rows with one row or of a pair, and a test that two are equal
- nominal: agreement on labels beyond chance, with intervals over items and judges
- minimum_chi_square: score intervals of smooth functions of what items show, which hold where something is rare
- extremes: the largest of K independent standard normals: its mean, spread and quantiles, exact by quadrature
- reciprocal: the mean of one over a binomial count: what equal weights cost
- threshold: the last integer at which a condition holds
- item_scores: what items bring to sums of scores; reach: how far a sum may be from what it stands for
- study_power: power of studies whose intervals rest on these
- prediction_powered: a mean from a few labels and many predictions; stratified: the same by strata
- doubly_robust: outcomes of regressions from the same; regression: linear and logistic, with clustered errors
- two_phase: how many units to predict, and how many of these to label
"""
