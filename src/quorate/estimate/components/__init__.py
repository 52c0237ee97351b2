"""Variance components: the model, its fit, and what follows from it."""
