"""Generalised linear mixed models of counts, with a logit link: components of the log odds."""
