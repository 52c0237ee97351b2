"""Annotation by people, a module for each tool."""
