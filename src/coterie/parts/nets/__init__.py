"""Small neural networks on sparse rows; torch is imported when a network is trained, and never to use one that is."""
