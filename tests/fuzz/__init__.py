"""Every method of the catalog against whatever a person may pass to it."""
