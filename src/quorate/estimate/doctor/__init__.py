"""What a table supports: analyses, and findings that stand in their way."""
