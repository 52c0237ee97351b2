"""Studies with a goal, simulated: what they spend and how often they are right."""
