"""Explore a table of customers: numbers and words together, a gap, a column of truth that no method sees."""

from __future__ import annotations

import numpy as np
import pandas as pd

import coterie
from coterie.judge import adjusted_rand


def customers(n: int = 90) -> pd.DataFrame:
    """Three kinds of customers who spend, visit and order in their own ways."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=n)
    frame = pd.DataFrame(
        {
            "customer": [f"c{i:03d}" for i in range(n)],
            "spending": np.array([20.0, 60.0, 200.0])[kind] + rng.normal(0, 6, n),
            "visits": rng.poisson(np.array([2, 9, 4])[kind]),
            "channel": np.array(["shop", "phone", "web"])[kind],
            "segment": np.array(["thrifty", "steady", "lavish"])[kind],
        }
    )
    frame.loc[4, "spending"] = np.nan
    return frame


def main() -> None:
    found = coterie.explore(customers(), id="customer", truth="segment", seed=0)
    print(*found.sentences(), sep="\n")
    for group in found.findings.groups:
        print(f"  {group.size:>3}  {group.name}")
    print(
        f"Against the segments: adjusted Rand {adjusted_rand(found.partition, found.collection.truth['segment']):.2f}"
    )
    print(found.frame().head())
    print("Report:", found.report("customers.html").name)


if __name__ == "__main__":
    main()
