"""Tests of the walks."""
