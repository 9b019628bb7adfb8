"""Tests of SIC."""
