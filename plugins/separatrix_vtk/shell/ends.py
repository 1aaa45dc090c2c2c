"""How commands end: one sentence on stderr, a status for scripts, and with --json an object.

What a user can mend is status 2, what this machine lacks is 3, a fault of ours is 1 and comes with
its traceback. All that a command says besides its result goes through `voice`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from separatrix_vtk.base.signals import Terminated, say
from separatrix_vtk.io.problems import NO_ROOM, FileProblem, FileWarning
from separatrix_vtk.shell import what_to_install
from separatrix_vtk.shell.option_texts import WrongOption
from separatrix_vtk.shell.words import in_the_words_of_the_shell, printable

DONE, FAULT, USER_ERROR, MACHINE = 0, 1, 2, 3
HUNG_UP, INTERRUPTED, READER_GONE, TERMINATED = 129, 130, 141, 143  # 128 + the signal
EXIT_CODES = {
    DONE: "done",
    FAULT: "a fault of Separatrix itself, told with a traceback",
    USER_ERROR: "an option, a file or its data cannot be used: the sentence says what to change",
    MACHINE: "this machine lacks something: a device, memory, room on the disk, a package, kernels",
    HUNG_UP: "ended by SIGHUP, as when its terminal is closed; no half-written file is left",
    INTERRUPTED: "stopped by Ctrl-C; no half-written file is left",
    READER_GONE: "who read the output has gone, as in `separatrix ... | head -1`",
    TERMINATED: "ended by SIGTERM; no half-written file is left",
}


@dataclass
class Voice:
    """What is said where. json: an object on stdout, errors too; quiet: nothing but errors."""

    json: bool = False
    quiet: bool = False
    warnings: list[str] = field(default_factory=list)

    def begin(self, arguments: list[str]) -> None:
        """Forget the last command. --json is looked for here, for arguments that cannot be read."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        self.json, self.quiet, self.warnings = "--json" in options, False, []

    def error(self, sentence: str, status: int) -> None:
        """The one sentence of a command that failed."""
        say(f"separatrix: {printable(sentence)}")
        if self.json:
            from separatrix_vtk.shell.summary import print_json

            with suppress(OSError):  # which may be what the sentence is about
                print_json({"error": sentence, "exit_code": status})


voice = Voice()


class Ended(Exception):
    """A command has ended before its time; no sentence: there is nobody to read it."""

    def __init__(self, sentence: str, status: int):
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what a user can mend, and what the machine lacks, into a sentence and a status."""
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
    """How a command ends after an error; None for faults of ours."""
    # Every ValueError of ours is a sentence for the user: InputError, FilterError, FileProblem.
    is_ours = isinstance(error, ValueError) and type(error).__module__.startswith("separatrix")
    if isinstance(error, Ended):
        return error
    if _is_of_engine(error, "Cancelled"):
        return Ended("stopped", INTERRUPTED)
    if isinstance(error, ModuleNotFoundError):
        return Ended(what_to_install(error), MACHINE)
    if isinstance(error, ImportError) and ".so" in str(error):  # no room for it, or no more files
        return Ended(f"a library can't be loaded: {error}", MACHINE)
    if isinstance(error, FileProblem):
        return Ended(error.render(as_option), MACHINE if error.is_of_machine else USER_ERROR)
    if isinstance(error, WrongOption) or is_ours:
        lacks = getattr(error, "is_of_machine", False)
        return Ended(in_the_words_of_the_shell(str(error)), MACHINE if lacks else USER_ERROR)
    if _is_of_engine(error, "DeviceUnavailable", "DeviceMemoryError", "KernelError"):
        return Ended(in_the_words_of_the_shell(str(error)), MACHINE)
    if isinstance(error, MemoryError):
        return Ended(f"out of memory: {str(error) or 'the system gives no more'}", MACHINE)
    if isinstance(error, BrokenPipeError):
        return Ended("", READER_GONE)
    if isinstance(error, OSError):
        about = error.filename or "standard output"
        return Ended(f"{about}: {reason_of(error)}", status_of(error))
    return None


def as_option(name: str, value: str = "") -> str:
    """A parameter of a reader as the option of the shell."""
    option = "--" + {"dimensions": "dims"}.get(name, name).replace("_", "-")
    return f"{option} {value}" if value else option


def status_of(error: OSError) -> int:
    """Whose the trouble is: a full disk is the machine's, a wrong path the user's."""
    return MACHINE if error.errno in NO_ROOM else USER_ERROR


def reason_of(error: OSError) -> str:
    """Why the system refused, in its words."""
    return error.strerror or str(error)


def tell_warning(sentence: str) -> None:
    """Say on stderr what was left out; --json has it too."""
    sentence = in_the_words_of_the_shell(sentence)
    voice.warnings.append(sentence)
    if not voice.quiet:
        say(f"separatrix: warning: {printable(sentence)}")


@contextmanager
def warnings_told(kind: type[Warning] = FileWarning, more: str = "") -> Iterator[None]:
    """Print warnings of a kind as soon as they are issued, with more words behind each."""

    def told(message: Any, category: type[Warning], *about: Any, **others: Any) -> None:
        if issubclass(category, kind):
            tell_warning(f"{message}{more}")
        else:
            before(message, category, *about, **others)

    with warnings.catch_warnings():
        warnings.simplefilter("always", kind)
        before, warnings.showwarning = warnings.showwarning, told
        yield


def tell_warnings_of(filter: Any) -> None:
    """Say what a filter warns of as the shell does, where VTK would name a class and an address."""

    def told(_filter: Any, _event: str, sentence: str) -> None:
        tell_warning(sentence)

    told.CallDataType = "string0"  # type: ignore[attr-defined]
    filter.AddObserver("WarningEvent", told)


def _is_of_engine(error: Exception, *names: str) -> bool:
    """Whether it is one of the engine's errors, without loading an engine that was not used."""
    engine = sys.modules.get("separatrix")
    return engine is not None and isinstance(error, tuple(getattr(engine, n) for n in names))
