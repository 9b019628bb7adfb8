"""The types everybody shares: members and what is seen of them, affinities, partitions, and how work is done."""
