"""The exit codes of the command, and which error leads to which.

The user can correct the cause of exit code 2; 3 is a limit of this machine; 1 is a bug, which is
reported with its traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from separatrix.errors import (
    Canceled,
    DeviceMemoryError,
    DeviceUnavailable,
    KernelError,
    SeparatrixError,
)
from separatrix_vtk.base.signals import Terminated
from separatrix_vtk.cli.wording import in_shell_terms
from separatrix_vtk.io.errors import NO_ROOM

DONE, BUG, USER_ERROR, MACHINE = 0, 1, 2, 3
HUNG_UP, INTERRUPTED, READER_GONE, TERMINATED = 129, 130, 141, 143  # 128 + the signal
EXIT_CODES = {
    DONE: "the command succeeded",
    BUG: "a bug in Separatrix, reported with a traceback",
    USER_ERROR: "an option, a file, or its data are invalid; the message says what to change",
    MACHINE: "this machine lacks a device, memory, disk space, a package, or the kernels",
    HUNG_UP: "ended by SIGHUP, as when the terminal is closed; no partial file remains",
    INTERRUPTED: "stopped by Ctrl-C; no partial file remains",
    READER_GONE: "the reader closed the pipe, as in `separatrix ... | head -1`",
    TERMINATED: "ended by SIGTERM; no partial file remains",
}
EXTRA_OF = {
    **dict.fromkeys(("typer", "click", "rich"), "cli"),
    **dict.fromkeys(("vtkmodules", "vtk"), "vtk"),
    **dict.fromkeys(("matplotlib", "pyvista"), "plot"),
}


class Ended(Exception):
    """A command ended early, with a message for the user and an exit code."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.message, self.code = message, code


@contextmanager
def errors_as_endings() -> Iterator[None]:
    """Turn the errors that are not bugs into a message and an exit code."""
    try:
        yield
    except Terminated as terminated:
        raise Ended("terminated", 128 + terminated.number) from None
    except KeyboardInterrupt:
        raise Ended("stopped", INTERRUPTED) from None
    except Exception as error:
        ended = ending_of(error)
        if ended is None:
            raise
        raise ended from error


def ending_of(error: Exception) -> Ended | None:
    """The message and exit code of a command after an error; None for a bug."""
    if isinstance(error, Ended):
        return error
    if isinstance(error, Canceled):
        return Ended("stopped", INTERRUPTED)
    if isinstance(error, ModuleNotFoundError):
        return Ended(what_to_install(error), MACHINE)
    if isinstance(error, ImportError) and ".so" in str(error):  # no memory, or too many open files
        return Ended(f"A library cannot be loaded: {error}", MACHINE)
    if isinstance(error, (DeviceUnavailable, DeviceMemoryError, KernelError)):
        return Ended(sentence_of(error), MACHINE)
    # All other ValueErrors of this package are meant for users: InputError, FilterError, ...
    if isinstance(error, ValueError) and type(error).__module__.startswith("separatrix"):
        is_of_machine = getattr(error, "is_of_machine", False)
        return Ended(sentence_of(error), MACHINE if is_of_machine else USER_ERROR)
    if isinstance(error, MemoryError):
        return Ended(f"Out of memory: {str(error) or 'the system provides no more'}.", MACHINE)
    if isinstance(error, BrokenPipeError):
        return Ended("", READER_GONE)
    if isinstance(error, OSError):
        about = error.filename or "standard output"
        code = MACHINE if error.errno in NO_ROOM else USER_ERROR
        return Ended(f"{about}: {error.strerror or error}", code)
    return None


def sentence_of(error: Exception) -> str:
    """The message of an error, with parameters spelled as options of the present command."""
    from separatrix_vtk.cli.reporter import reporter

    text = error.render(reporter.spell) if isinstance(error, SeparatrixError) else str(error)
    return in_shell_terms(text)


def what_to_install(error: ModuleNotFoundError) -> str:
    """The message about a package that is not installed. Raises an error of any other module."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    if extra is None:
        raise error
    if extra == "plot":
        return str(error)
    if extra == "vtk":
        return (
            "VTK is not installed, and every command that computes needs it. Run pip install "
            "'separatrix[vtk]' in an environment that is not ParaView's."
        )
    return (
        f"{package} is not installed; the command line requires it. Run pip install "
        "'separatrix[cli]'."
    )
