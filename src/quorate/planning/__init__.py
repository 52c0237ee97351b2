"""Plans: from components or a pilot to what to collect next."""
