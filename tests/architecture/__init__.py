"""The house itself under test: who imports whom, what is documented, what is light, and that every example runs."""
