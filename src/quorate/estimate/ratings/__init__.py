"""Rankings of systems."""
