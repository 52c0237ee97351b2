"""Designs: layouts, their weights, variances and prices."""
