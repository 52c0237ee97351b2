"""Crossed panels of judges."""
