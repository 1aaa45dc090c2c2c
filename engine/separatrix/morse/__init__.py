"""Morse-Smale complexes by discrete Morse theory, of any domain that has a discrete gradient."""
