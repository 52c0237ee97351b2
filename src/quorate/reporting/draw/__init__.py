"""Charts: what all pages draw with.

vega    marks, what they encode, and layers of them, as plain values in a part of Vega-Lite
marks   marks that pages put together, in the colours that all share
scales  where values stand, ticks, numbers and words on axes, and the elements of drawings
axes    axes, grids and legends
svg     drawings at a width
"""
