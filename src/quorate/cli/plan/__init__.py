"""Commands that plan a study."""
