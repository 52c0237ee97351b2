"""Gaming: what submitting many times and reporting the best is worth."""
