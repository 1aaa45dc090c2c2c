"""How the ends of commands are told.

A user's error is one sentence on stderr and status 2; Ctrl-C is status 130; a traceback is a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

import separatrix as sx
from separatrix_vtk.shell import what_to_install

USER_ERROR, INTERRUPTED = 2, 130
OTHER_ERRORS = (sx.DeviceUnavailable, sx.DeviceMemoryError, sx.KernelError, FileNotFoundError)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what a user can mend into a sentence and a status."""
    try:
        yield
    except (sx.Cancelled, KeyboardInterrupt):
        end_with("stopped", INTERRUPTED)
    except ModuleNotFoundError as error:
        end_with(what_to_install(error), USER_ERROR)
    except (ValueError, *OTHER_ERRORS) as error:
        # Every ValueError of ours is a sentence for the user: InputError, FilterError, FileProblem.
        if type(error) is ValueError:
            raise
        end_with(str(error), USER_ERROR)
    except MemoryError as error:
        end_with(f"out of memory: {error}", USER_ERROR)
    except BrokenPipeError:
        raise  # whoever read our output has gone; typer ends quietly
    except OSError as error:
        end_with(f"{error.filename or 'standard output'}: {reason_of(error)}", USER_ERROR)


def reason_of(error: OSError) -> str:
    """Why the system refused, in its words."""
    return error.strerror or str(error)


def end_with(sentence: str, status: int) -> None:
    """Say a sentence on stderr and end the command."""
    print(f"separatrix: {sentence}", file=sys.stderr)
    raise typer.Exit(status)


def tell_warning(sentence: str) -> None:
    """Say on stderr what was left out."""
    print(f"separatrix: warning: {sentence}", file=sys.stderr)


def tell_warnings_of(filter: Any) -> None:
    """Say what a filter warns of as the shell does, where VTK would name a class and an address."""

    def told(_filter: Any, _event: str, sentence: str) -> None:
        tell_warning(sentence)

    told.CallDataType = "string0"  # type: ignore[attr-defined]
    filter.AddObserver("WarningEvent", told)
