"""The card that `using(device=...)` asks for: whether it is there, what fits on it, and what is said where it is not."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from coterie.core.errors import CoterieError, ParameterError
from coterie.core.workplace import Muffled, Silent, Workplace, workplace

R = TypeVar("R")
_NAMES = re.compile(r"cpu|auto|cuda(:\d{1,3})?")
_SHARE = 0.5  # of the free memory of a card that one piece of work may take
_HOST = 2**28  # bytes that a piece of work may take where torch works on the processor


class CardFull(CoterieError, MemoryError):
    """The smallest piece of a work does not fit the memory of the card."""


def check_name(name: Any) -> str:
    """The name of a device, if it is one.

    >>> check_name("cuda:1")
    'cuda:1'
    """
    if not isinstance(name, str) or not _NAMES.fullmatch(name):
        raise ParameterError.of(
            "using", "device", f"must be 'cpu', 'cuda', 'cuda:N' or 'auto', and was {name!r}."
        )
    return name


def card() -> Any:
    """torch's name of the card in force; None where the work is for the processor, which is said once if a card was asked for."""
    here = workplace()
    if here.device == "cpu":
        return None
    name = check_name(here.device)
    found, why = seen(name)
    if found is None and name != "auto":
        tell(f"using: device is '{name}', and {why}; the work is done on the processor.", here)
    return found


def seen(name: str) -> tuple[Any, str]:
    """The card of that name as torch has it, or None and why."""
    torch = _torch()
    if torch is None:
        return None, "torch is not installed (pip install 'coterie[neural]')"
    if not torch.cuda.is_available():
        return None, "torch finds no card here"
    count = torch.cuda.device_count()
    place = int(name.partition(":")[2] or 0)
    if place >= count:
        return (
            None,
            f"there {'is one card' if count == 1 else f'are {count} cards'} here, counted from 0",
        )
    return torch.device("cuda", place), ""


def tell(sentence: str, here: Workplace | None = None) -> None:
    """Say a sentence once in a block of `using`: to the watcher, or as a warning where nobody watches."""
    place = workplace() if here is None else here
    if sentence in place.told:
        return
    place.told.add(sentence)
    watch = place.watch
    while isinstance(watch, Muffled):
        watch = watch.watch
    if isinstance(watch, Silent):
        warnings.warn(sentence, UserWarning, stacklevel=4)
    else:
        watch.note(sentence)


def room(device: Any) -> int:
    """Bytes that a piece of work may take on the device."""
    torch = _torch()
    if torch is None or torch.device(device).type != "cuda":
        return _HOST
    free, _ = torch.cuda.mem_get_info(device)
    held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(_SHARE * (free + held))


def shrunk(work: Callable[[int], R], size: int) -> tuple[R, int]:
    """work(size), or of half the size and so on where the card is full; what it gave, and the size that did."""
    torch = _torch()
    while True:
        try:
            return work(size), size
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            if size <= 1:
                raise CardFull("The memory of the card is too small for this work.") from error
            size //= 2


def or_here(work: Callable[[Any], R], what: str) -> R | None:
    """work(card), or None, with a sentence, where there is no card or it is too small: whoever asked then works here."""
    where = card()
    if where is None:
        return None
    try:
        return work(where)
    except CardFull:
        tell(
            f"using: {what} does not fit the memory of the device '{where}'; the work is done on the processor."
        )
        return None


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None
