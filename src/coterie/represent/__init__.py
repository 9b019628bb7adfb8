"""Being furnished."""
