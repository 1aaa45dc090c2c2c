"""What can go wrong, in one sentence each: what was expected, what came, where, what to do."""


class InputError(ValueError):
    """The caller's input can't be used; the message says what was wrong, where, and what to do."""


class DeviceMemoryError(MemoryError):
    """The device has too little memory; the message gives what is needed, free, to be lowered."""


class DeviceUnavailable(RuntimeError):
    """The device asked for can't be used; the message says why."""


class Cancelled(Exception):
    """Raised in a ``progress=`` callback to stop the work; the running call passes it on."""


class KernelError(RuntimeError):
    """The kernels could not be loaded, compiled or run: a broken installation or a bug of ours."""
