"""Tests of the room show."""
