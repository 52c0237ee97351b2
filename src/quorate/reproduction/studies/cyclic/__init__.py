"""Zhu et al. (2026), CyclicJudge, from a simulated panel that has the published means and components."""
