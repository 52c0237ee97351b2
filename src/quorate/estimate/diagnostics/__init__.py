"""Diagnosis of a fit."""
