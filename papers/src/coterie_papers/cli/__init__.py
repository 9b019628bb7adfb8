"""The command `coterie reproduce`; coterie finds it by the entry point of this distribution."""
