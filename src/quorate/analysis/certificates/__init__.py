"""Certificates: what intervals made as an answer's was do in studies drawn like its own.

certify       the studies, and the same analysis of each (`quorate.certify`)
latent_law    scores cut from a normal law, with the margins and covariances of a fit
certificate   coverage, width, size and power as a result
"""
