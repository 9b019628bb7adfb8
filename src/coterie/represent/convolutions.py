"""RandomConvolutions: sequences as the shares of their steps at which random dilated convolutions are high."""

from __future__ import annotations

import numpy as np

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import content_order, seed_of, stream
from coterie.parts.workers import in_order
from coterie.represent.series import (
    LEVELS,
    Level,
    SeriesTable,
    bring_to_length,
    common_length,
    leveled,
)

_SAMPLE = 40  # members whose responses set the thresholds
_BLOCK = 32  # members at a time; a constant, so that results never depend on the workplace
_CHANNELS = 9  # that one kernel looks at, at most
_SHORT = 24  # steps below which kernels are shorter
_MARGIN = 1e-9  # of the largest response: what a threshold is raised by, beyond the rounding of equal responses


class RandomConvolutions(SeriesTable):
    """Sequences as shares of steps at which random dilated convolutions exceed their thresholds.

    Sequences are brought to one length, at most `max_steps`. Each kernel has normal weights of mean zero in some channels,
    a dilation that is a power of two, and for its threshold a quantile, drawn between .1 and .9, of its responses to a
    few members. After ROCKET and MiniRocket, without their other numbers.
    """

    n_kernels: int = param(500, "How many kernels.", ge=1)
    length: int = param(9, "Weights of a kernel in each channel.", ge=2)
    max_steps: int = param(200, "Steps that sequences are brought to at most.", ge=8)
    level: Level = param(
        "keep",
        "Whether a sequence keeps its level, loses the mean of each channel, or its mean and variance.",
        choices=LEVELS,
    )
    random_state: int | None = param(None, "Seed of the kernels.")

    steps_: int
    weights_: np.ndarray  # (channels used by all kernels, length)
    channels_: np.ndarray  # the channel of each row of weights
    starts_: np.ndarray  # where the rows of each kernel begin, and the number of all
    dilations_: np.ndarray
    thresholds_: np.ndarray

    def learn(self, frames: Ragged, members: Ragged) -> None:
        """Draw the kernels, and take their thresholds from their responses to some members."""
        from coterie._kernels.convolutions import responses

        self.refuse_sets(frames)
        self.steps_ = common_length(frames, self.max_steps)
        levels = self._draw(frames.dim)
        sample = self._brought(frames.take(content_order(members)[:_SAMPLE]))
        found = np.empty((len(sample), self.steps_))
        self.thresholds_ = np.empty(self.n_kernels)
        for j in range(self.n_kernels):
            used = slice(self.starts_[j], self.starts_[j + 1])
            responses(sample, self.weights_[used], self.channels_[used], self.dilations_[j], found)
            self.thresholds_[j] = split_level(found, levels[j])

    def rows(self, frames: Ragged) -> np.ndarray:
        """Members x kernels: the share of steps above the threshold."""
        from coterie._kernels.convolutions import shares_above

        def work(first: int) -> np.ndarray:
            block = self._brought(frames[first : first + _BLOCK])
            out = np.empty((len(block), self.n_kernels))
            shares_above(
                block,
                self.weights_,
                self.channels_,
                self.starts_,
                self.dilations_,
                self.thresholds_,
                out,
            )
            return out

        return np.concatenate(
            list(in_order(work, list(range(0, len(frames), _BLOCK)), "convolutions"))
        )

    def _draw(self, dim: int) -> np.ndarray:
        """Draw the kernels; gives the levels of the quantiles that their thresholds are."""
        random = stream(seed_of(self.random_state), 0)
        length = self.length if self.steps_ >= _SHORT else min(self.length, 5, self.steps_ - 1)
        doublings = int(np.log2(max(1.0, (self.steps_ - 1) / (length - 1))))
        many = min(dim, _CHANNELS)
        weights = []
        channels = []
        counts = []
        for _ in range(self.n_kernels):
            count = min(dim, int(2 ** random.uniform(0.0, np.log2(many + 1))))
            own = random.normal(size=(count, length))
            weights.append((own - own.mean(axis=1, keepdims=True)) / np.sqrt(count))
            channels.append(random.choice(dim, size=count, replace=False))
            counts.append(count)
        self.weights_ = np.concatenate(weights)
        self.channels_ = np.concatenate(channels).astype(np.int64)
        self.starts_ = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.dilations_ = 2 ** (np.arange(self.n_kernels, dtype=np.int64) % (doublings + 1))
        return random.uniform(0.1, 0.9, self.n_kernels)

    def _brought(self, frames: Ragged) -> np.ndarray:
        """The members at one length: (members, channels, steps)."""
        brought = [bring_to_length(leveled(trace, self.level), self.steps_).T for trace in frames]
        return np.ascontiguousarray(brought)


def split_level(responses: np.ndarray, level: float) -> float:
    """The middle between the two sorted responses at a level, raised a little, so that equal responses stay below.

    >>> round(split_level(np.array([4.0, 1.0, 2.0, 3.0]), 0.5), 6)
    2.5
    """
    ranked = np.sort(responses, axis=None)
    at = min(int(level * (len(ranked) - 1)), max(len(ranked) - 2, 0))
    middle = (ranked[at] + ranked[min(at + 1, len(ranked) - 1)]) / 2
    return float(middle + _MARGIN * np.abs(ranked).max())
