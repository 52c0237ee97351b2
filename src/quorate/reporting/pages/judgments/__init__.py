"""Judgments: the page of an analysis of scores, section by section.

page       the page: how far the mean can be trusted, sources of uncertainty, purchases; tiles, caveats, checklist
people     judges and prompts against each other, single configurations, items to send to people
diagnosis  whether the model describes these judgments: checks, health, components of log odds
phrases    what several exhibits say alike
"""
