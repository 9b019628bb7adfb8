"""Facts become sentences here and nowhere below: one module for each kind of fact, plain text for terminal, page and report."""
