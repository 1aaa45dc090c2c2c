"""What can go wrong, in one sentence each: what was expected, what came, where, what to do."""

LONGEST = 400  # characters of a message; more of what came helps nobody


class InputError(ValueError):
    """The caller's input can't be used; the message says what was wrong, where, and what to do.

    It is one line of about 400 characters at most, whatever what came may print.
    """

    def __init__(self, message: object = "") -> None:
        text = " ".join(str(message).split())
        if len(text) > LONGEST:
            text = f"{text[: LONGEST * 2 // 3]} ... {text[-LONGEST // 4 :]}"
        super().__init__(text)


class DeviceMemoryError(MemoryError):
    """The device has too little memory; the message gives what is needed, free, to be lowered."""


class DeviceUnavailable(RuntimeError):
    """The device asked for can't be used; the message says why."""


class LongRunWarning(RuntimeWarning):
    """A call that has begun will take minutes or more; the message gives the work and a way out."""


class Cancelled(Exception):
    """Raised in a ``progress=`` callback to stop the work; the running call passes it on."""


class KernelError(RuntimeError):
    """The kernels could not be loaded, compiled or run: a broken installation or a bug of ours."""


def duration(seconds: float) -> str:
    """Roughly, in the unit that a person would choose."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{max(seconds, 2):.0f} seconds"
