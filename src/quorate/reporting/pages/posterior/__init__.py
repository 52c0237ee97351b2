"""Posteriors: `page`, components and the mean as draws have them, beside the prior; `check`, do they hold the truth."""
