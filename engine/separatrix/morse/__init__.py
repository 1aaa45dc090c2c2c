"""Morse-Smale complexes of images by discrete Morse theory."""
