"""Comraf (combinatorial Markov random fields): several populations clustered at once by the information they keep."""
