"""Slow, obvious twins of kernels, parts and measures."""
