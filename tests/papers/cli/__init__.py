"""Tests of coterie_papers.cli."""
