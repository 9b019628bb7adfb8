"""The web page: the gate, the pages and the API."""
