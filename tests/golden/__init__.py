"""Golden outputs: what the public surfaces answer today, stored small; a change of structure keeps all of it."""
