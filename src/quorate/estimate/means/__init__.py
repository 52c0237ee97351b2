"""Means of judgments, in reading order.

``targets``: what a mean stands for, facet by facet.
``mean``: the mean score with its standard error and intervals, for stated targets.
``stratified``: means in which each category counts for a share that is given.
``groups``: what unequal groups of items do to it at most.
``coefficients``: how much of every component is in its variance.
``mean_from``: the mean of one table by the components of another.
``unidentified``: variances that the data leave open.
``reach``: what the interval of a mean or a difference rests on; ``intervals``: ends of scales.
``all_equal``: what scores without any spread say of other items.
``families``: judges of one maker in a mean for judges like these.
``effects``, ``prediction``: single levels against their average, compared or predicted.
``missing_bounds``: how far answers that are missing could move the means.
``flags``: items on which configurations disagree most.
``configurations``: single configurations that a study might have stopped at.
``averages``: how much of each component is left in the mean of a few answers on one item.
"""
