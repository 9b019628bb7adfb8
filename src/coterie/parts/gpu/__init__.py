"""Work on a graphics card, through torch: counts of common codes, likelihoods of models, distances and kernels of rows."""
