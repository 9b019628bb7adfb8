"""The axis of strips: places along a sequence told in seconds, minutes and hours, or in steps where there is no rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from coterie.core.partition import Segmentation
from coterie.show.curves import ticks
from coterie.show.markup import figure

_STEPS = (
    1,
    2,
    5,
    10,
    15,
    20,
    30,
    60,
    120,
    300,
    600,
    900,
    1200,
    1800,
    3600,
    7200,
    10800,
    21600,
    43200,
    86400,
)  # seconds


def clock(seconds: float, digits: int = 0, *, hours: bool = False) -> str:
    """A time as minutes and seconds, with hours where there are any or where they are asked for.

    >>> clock(3.24, 1), clock(59.96, 1), clock(3725), clock(5, hours=True)
    ('0:03.2', '1:00.0', '1:02:05', '0:00:05')
    """
    whole, part = divmod(round(abs(seconds) * 10**digits), 10**digits)
    minutes, left = divmod(whole, 60)
    tail = f"{left:02d}" + (f".{part:0{digits}d}" if digits else "")
    sign = "-" if seconds < 0 and (whole or part) else ""
    if hours or minutes >= 60:
        return f"{sign}{minutes // 60}:{minutes % 60:02d}:{tail}"
    return f"{sign}{minutes}:{tail}"


@dataclass(frozen=True, slots=True)
class Axis:
    """The common axis of strips: steps `first` to `last`, in seconds where there is a rate."""

    first: int
    last: int
    rate: float = 0.0

    @classmethod
    def of(cls, strips: Sequence[Segmentation], rate: float = 0.0) -> Axis:
        """The axis that holds all strips; a rate that is not a positive number counts as none."""
        first = min((int(s.boundaries[0]) for s in strips), default=0)
        last = max((int(s.boundaries[-1]) for s in strips), default=0)
        return cls(first, last, float(rate) if math.isfinite(rate) and rate > 0 else 0.0)

    @property
    def length(self) -> int:
        return max(self.last - self.first, 1)

    @property
    def unit(self) -> str:
        """What is told along the axis."""
        if not self.rate:
            return "steps"
        end = self.last / self.rate
        return "seconds" if end < 60 else "minutes" if end < 3600 else "hours"

    @property
    def digits(self) -> int:
        """Digits after the point that a time needs so that places on this axis can be told apart."""
        if not self.rate:
            return 0
        finest = math.ceil(
            math.log10(self.rate) - 1e-9
        )  # a step is no shorter than this many digits can tell
        return min(3, max(0, min(finest, math.ceil(-math.log10(self.length / self.rate / 500)))))

    def ticks(self, about: int = 8) -> list[tuple[float, str]]:
        """Places along the axis, in steps, and what is written there."""
        if not self.rate:
            return [
                (v, figure(v)) for v in ticks(self.first, self.last, about) if float(v).is_integer()
            ]
        low = self.first / self.rate
        high = self.last / self.rate
        raw = (high - low) / about
        if raw > _STEPS[-1] or raw < 1:
            places = ticks(low, high, about)
            step = places[1] - places[0] if len(places) > 1 else 1.0
        else:
            step = next(s for s in _STEPS if s >= raw * 0.999)
            places = [
                float(step * i)
                for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
            ]
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        if f"{step:.{digits}f}" != f"{step:g}" and step < 1:
            digits += 1  # steps of a quarter
        if high < 60:
            return [(v * self.rate, f"{v:.{digits}f} s") for v in places]
        return [(v * self.rate, clock(v, digits, hours=high >= 3600)) for v in places]

    def words(self, start: int, stop: int) -> str:
        """Where a piece lies: "0:03.2 to 0:07.9", or its first and last step."""
        if not self.rate:
            return f"step {start}" if stop - start == 1 else f"steps {start} to {stop - 1}"
        return " to ".join(self.times(start, stop))

    def times(self, start: int, stop: int) -> tuple[str, str]:
        """Beginning and end of a piece as times that differ, where three digits are enough for that."""
        hours = self.last / self.rate >= 3600
        for digits in range(self.digits, 4):
            one, two = (clock(step / self.rate, digits, hours=hours) for step in (start, stop))
            if one != two:
                break
        return one, two

    def lasting(self, n_steps: int) -> str:
        """How long that many steps are."""
        if not self.rate:
            return f"{figure(n_steps)} step{'' if n_steps == 1 else 's'}"
        seconds = n_steps / self.rate
        if seconds < 60:
            return f"{seconds:.{max(self.digits, 0 if seconds >= 10 else 1)}f} s"
        return clock(seconds, min(self.digits, 1))
