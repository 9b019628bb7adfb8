"""Pieces from which methods are assembled."""
