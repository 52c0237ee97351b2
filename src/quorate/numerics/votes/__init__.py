"""Binomial votes: tests, power, clusters, strata."""
