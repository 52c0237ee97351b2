"""From a judge's words to a score or a verdict."""
