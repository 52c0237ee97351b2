"""Differences of systems and other contrasts of means, in reading order.

``difference``: one system less another, by pairs or by one model.
``paired``: differences on the cells that both systems have.
``stratified``: differences in which each category counts for a share that is given.
``joint``: means of all systems by one model.
``standing``: systems by their means, and the two that are closest.
``homogeneity``: whether systems vary alike, as that model takes them to.
``spread``: standard errors and joint tests of contrasts of means.
"""
