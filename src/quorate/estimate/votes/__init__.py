"""What votes say of margins, and what they are worth where they depend on each other."""
