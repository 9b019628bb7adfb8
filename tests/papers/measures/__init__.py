"""Tests of coterie_papers.measures."""
