"""A shell script that starts ParaView, pvpython, pvbatch, or pvserver with Separatrix."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from separatrix_vtk.io.writers import new_file
from separatrix_vtk.paraview.packages import Packages
from separatrix_vtk.paraview.paraviews import SetupError

MARK = "# Written by `separatrix paraview-setup --launcher`, which may overwrite it."
SCRIPT = """\
#!/bin/sh
{mark}
# Starts ParaView with Separatrix: {name} [paraview|pvpython|pvbatch|pvserver ...] ARGUMENTS

programs={programs}
packages={packages}
plugins={plugins}

for folder in {folders}; do
    if [ ! -e "$folder" ]; then
        echo "$0: $folder no longer exists: run separatrix paraview-setup --launcher again" >&2
        exit 1
    fi
done

# Keep the present PYTHONPATH, except folders with a VTK: a second one crashes ParaView.
set -f
old_IFS=$IFS
IFS=:
for folder in ${{PYTHONPATH-}}; do
    if [ -n "$folder" ] && [ ! -e "$folder/vtkmodules" ] && [ ! -e "$folder/vtk.py" ]; then
        packages=$packages:$folder
    fi
done
IFS=$old_IFS
set +f

PYTHONPATH=$packages
PV_PLUGIN_PATH=$plugins${{PV_PLUGIN_PATH:+:$PV_PLUGIN_PATH}}
export PYTHONPATH PV_PLUGIN_PATH

case ${{1-}} in
paraview | pvpython | pvbatch | pvserver | pvdataserver | pvrenderserver)
    program=$1
    shift
    ;;
*) program=paraview ;;
esac
if [ ! -x "$programs/$program" ]; then
    echo "$0: there is no $program in $programs" >&2
    exit 127
fi
exec "$programs/$program" "$@"
"""


def launcher_text(
    programs: Path, packages: Packages, extra: Iterable[Path] = (), name: str = "FILE"
) -> str:
    """The script, for the programs of one ParaView."""
    folders = [*map(str, packages.folders), *map(str, extra)]
    needed = [*folders, str(packages.xml), str(programs)]
    return SCRIPT.format(
        mark=MARK,
        name=" ".join(name.split()),  # in a comment: one line
        programs=shlex.quote(str(programs)),
        packages=shlex.quote(os.pathsep.join(folders)),
        plugins=shlex.quote(str(packages.xml)),
        folders=" ".join(map(shlex.quote, dict.fromkeys(needed))),
    )


def write_launcher(file: Path, text: str, *, force: bool = False) -> None:
    """Write the script, executable, in one atomic step.

    A file that this command did not write is kept unless `force` is given.
    """
    if file.is_dir():
        raise SetupError(f"{file} is a folder; name the file to write, such as {file}/paraview")
    if (file.exists() or file.is_symlink()) and not force and not _is_own(file):
        raise SetupError(
            f"{file} exists and was not written by this command; --force overwrites it"
        )
    with new_file(file) as fresh:
        fresh.touch(mode=0o777)  # of which the user's mask is subtracted
        fresh.write_text(text, encoding="utf-8", errors="surrogateescape")


def _is_own(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            return [stream.readline().rstrip("\n") for _ in range(2)][1] == MARK
    except OSError:
        return False
