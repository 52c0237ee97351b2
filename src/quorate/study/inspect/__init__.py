"""A panel of judges as a scorer of Inspect AI, which asks of each sample only the judges that a layout gives it."""
