"""Compiled inner loops: plain arrays in, `out` filled; nothing of ours is imported here."""
