"""Posterior distributions by Hamiltonian Monte Carlo, and what shows that draws can be relied on."""
