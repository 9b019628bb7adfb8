"""The web page: look at a collection, question a run, and steer the next one; a local application over the store."""
