"""Estimators: one table in, one result out."""
