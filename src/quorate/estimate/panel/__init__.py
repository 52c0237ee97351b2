"""What judges do to scores."""
