"""Sequential inference and bandits."""
