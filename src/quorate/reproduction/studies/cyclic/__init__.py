"""Zhu et al. (2026), CyclicJudge, from a simulated panel that has the published means and components.

- `panel`: means by judge (Table 1), components (Table 2) and tests (section 4.2).
- `strategies`: variances of three strategies for judge calls (Fig. 2).
"""
