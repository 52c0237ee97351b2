"""From evidence to a verdict: better, worse, equivalent within a stated margin, or undecided."""
