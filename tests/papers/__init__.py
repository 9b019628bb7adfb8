"""Tests of the second distribution, coterie-papers, file by file as in papers/src/coterie_papers."""
