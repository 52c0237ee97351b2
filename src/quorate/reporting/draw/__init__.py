"""Charts: what all pages draw with.

vega    marks, what they encode, and layers of them, as plain values
marks   marks that pages put together
theme   the colours that all share
"""
