"""The tests, file by file as in src/coterie."""
