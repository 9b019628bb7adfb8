"""Tests of coterie_papers.substitution."""
