"""Charts: marks that all pages put together, and the colours that all share."""
