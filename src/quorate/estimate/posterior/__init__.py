"""Posterior distributions of variance components and of the mean."""
