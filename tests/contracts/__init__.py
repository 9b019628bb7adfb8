"""Tests of what every method promises."""
