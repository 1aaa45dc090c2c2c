"""A command of the shell: its options come from declarations, its errors name them.

    @Command("rips", (RipsBarcodesOptions,), input=Argument("Points."), see="docs/rips.md")
    def rips(input: Path, output: Path | None, port: str | None, given: Given) -> None: ...

Every option of a declaration is an option of the command, with the name that `shell_name` returns.
A command receives the options that were given, in `given`; all others keep their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from typing import Any, TypeVar

from separatrix.options import Option, Options, options_of
from separatrix_vtk.cli.exit_codes import USER_ERROR, Ended, errors_as_endings
from separatrix_vtk.cli.reporter import OutputOptions, PictureOptions, reporter

Function = Callable[..., None]
Declaration = TypeVar("Declaration", bound=Options)


# === names: kebab-case of those in Python, and one table of exceptions

NAMES: Mapping[str, str] = {
    "compute_persistence_pairs": "pairs",
    "compute_saddle_connectors": "connectors",
    "critical_kind": "kind",
    "double_precision": "double",
    "dtm_neighbors": "dtm",
    "field": "modulus",
    "number_of_neighbors": "neighbors",
    "number_of_representatives": "representatives",
    "radius_array": "radii",
    "region_table": "regions",
    "relations": "relation",
    "show_inside_domain": "inside-domain",
    "show_zero_persistence": "zero-persistence",
    "smoothing_iterations": "smooth",
    "weight_array": "weights",
}
LETTERS: Mapping[str, str] = {
    "array": "-a", "compute_measures": "-m", "device": "-d", "number_of_neighbors": "-k",
    "quiet": "-q", "relations": "-r", "threads": "-t", "weights": "-w",
}  # fmt: skip
LONGEST = 24  # letters of choices that are listed after an option
OTHER_NAMES = {
    "segmentation": "morse-smale", "separatrices": "morse-smale", "ms": "morse-smale",
    "diagram": "persistence-diagram", "persistence": "persistence-diagram",
    "gradient": "discrete-gradient", "ripser": "rips", "barcode": "rips", "barcodes": "rips",
    "neighbours": "neighbors", "mesh": "relations", "molecule": "alpha", "gpu": "devices",
    "simplification": "simplify",
}  # fmt: skip


def shell_name(name: str) -> str:
    """An option as in --persistence."""
    return "--" + NAMES.get(name, name.removeprefix("compute_").replace("_", "-"))


def flag_of(option: Option | str) -> str:
    """The names that Typer is given: those of a flag are --graph/--no-graph."""
    if isinstance(option, str):
        name = shell_name(option)
        return f"{name}/--no-{name[2:]}"
    return flag_of(option.name) if is_flag(option) else shell_name(option.name)


def is_flag(option: Option) -> bool:
    """Whether an option takes no value in the shell."""
    return option.kind is bool and not option.choices


def metavar_of(option: Option) -> str:
    """The placeholder for the value of an option."""
    if option.choices:
        words = [*option.words, *([option.accepts] if option.accepts else [])]
        return "|".join(words) if len("".join(words)) <= LONGEST else "NAME"
    if option.scaled_unit:
        return option.scaled_unit.upper()
    word = "NAME" if option.array_of else {int: "N", float: "X"}.get(option.kind, "TEXT")
    if option.length is None:
        return word
    return ",".join([word] * option.length) if option.length else f"{word},..."


# === commands

# Keys of the JSON objects of all commands, and of those that compute.
WARNINGS = {"warnings": "the warnings printed on stderr, a list"}
RUN = {  # of every command that computes
    "input": "input file",
    "output": "output file, or null",
    "port": "port that the output contains, or null for all ports",
    "device": "device used: cpu, cuda:0, ...",
    "seconds": "time by stage of the computation",
    "seconds_in_all": "time of the computation and of writing",
}


@dataclass(frozen=True)
class Argument:
    """The first argument of a command."""

    about: str
    name: str = "INPUT"
    is_required: bool = True
    complete: Callable[[str], list[str]] | None = None


@dataclass(frozen=True)
class Flag:
    """A flag of the shell that turns several options on or off together."""

    options: tuple[str, ...]
    summary: str


class Given(dict[str, Any]):
    """The values of the options that were given, by the names of their declarations."""

    def of(self, declaration: type[Declaration]) -> Declaration:
        """An instance of a declaration with the values that were given, and defaults."""
        return declaration(**self.settings(declaration))

    def settings(self, declaration: type[Options]) -> dict[str, Any]:
        """The values that were given for a declaration."""
        return {name: self[name] for name in options_of(declaration) if name in self}


@dataclass
class Command:
    """A command and everything that its help page says; it decorates the function that it runs.

    output: the description of the argument OUTPUT, "" if there is none. ports: those of --port.
    flags: options that are set together. reads: option -> a function of its text that returns
    values of options. without: options that the shell does not have. json: further keys of its
    JSON object. see: pages of the documentation.
    """

    name: str
    declarations: tuple[type[Options], ...] = ()
    _: KW_ONLY
    input: Argument | None = None
    output: str = ""
    ports: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Flag] = field(default_factory=dict)
    reads: Mapping[str, Callable[[str], dict[str, Any]]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    json: Mapping[str, str] = field(default_factory=dict)
    see: str = ""

    def __post_init__(self) -> None:
        drawn = (PictureOptions,) if self.output else ()
        self.declarations = (*self.declarations, *drawn, OutputOptions)
        self.json = {**(RUN if self.output else {}), **self.json, **WARNINGS}
        hidden = {*self.without, *(name for flag in self.flags.values() for name in flag.options)}
        self.options = {
            name: one
            for declaration in self.declarations
            for name, one in options_of(declaration).items()
            if not one.pipeline_only and name not in hidden
        }

    def __call__(self, function: Function) -> Command:
        self.function = function
        COMMANDS[self.name] = self
        return self

    def run(self, texts: dict[str, Any]) -> None:
        """Run the command with the arguments that Typer read."""
        reporter.spell = self.spell
        with errors_as_endings(), reporter.python_warnings():
            arguments = {name: texts.pop(name) for name in self.arguments}
            given = self.read(texts)
            for declaration in self.declarations:
                given.of(declaration).check_together()
            printing = given.of(OutputOptions)
            reporter.json, reporter.quiet = printing.json, printing.quiet
            self.function(**arguments, given=given)

    def declared(self, name: str) -> Option:
        """The declaration of an option, also of one that a flag sets."""
        return next(options_of(d)[name] for d in self.declarations if name in options_of(d))

    def owner_of(self, name: str) -> type[Options]:
        """The class whose body declares an option."""
        classes = (base for d in self.declarations for base in d.__mro__)
        return next(base for base in classes if name in vars(base))

    @property
    def arguments(self) -> list[str]:
        """Names of the parameters that are not declared options."""
        names = {"input": self.input, "output": self.output, "port": self.ports}
        return [name for name, is_there in names.items() if is_there]

    def read(self, texts: Mapping[str, Any]) -> Given:
        """The values that the texts of options denote. Raises InputError."""
        values: dict[str, Any] = {}
        for name, text in texts.items():
            text = ",".join(text) if isinstance(text, list) else text
            if text is None or (text == "" and name not in self.reads):
                continue
            if name in self.flags:
                values |= dict.fromkeys(self.flags[name].options, text)
            elif name in self.reads:
                values |= self.reads[name](text)
            elif isinstance(text, bool) or self.options[name].separated:
                values[name] = self.options[name].check(text)
            else:
                values[name] = self.options[name].parse(text)
        return Given(values)

    def spell(self, name: str, value: str = "") -> str:
        """An option in a sentence, or an option with a value."""
        if name == "dimensions" and name not in self.options and "dims" in self.options:
            name = "dims"
        shown = next((flag for flag, f in self.flags.items() if name in f.options), name)
        known = self.options.get(shown)
        if known is None and shown not in self.flags:
            if value and name == "radii" and "atoms" in self.options:  # of the reader of molecules
                return f"--atoms {value.strip(chr(39))}"
            return f"{name}={value}" if value else name
        text = shell_name(shown)
        if value in ("True", "False") and (known is None or known.kind is bool):
            return text if value == "True" else f"--no-{text[2:]}"
        return f"{text} {value.strip(chr(39))}" if value else text


ABOUT = (
    "Topology of scalar fields on images and meshes (Morse-Smale complexes, persistence, critical "
    "points), relations of meshes, densities of points, alpha complexes of molecules, and barcodes "
    "of points and distances."
)
COMMANDS: dict[str, Command] = {}


def check_command(name: str) -> None:
    """Raise Ended if a command does not exist, and suggest the one that may be meant."""
    if name in COMMANDS:
        return
    close = OTHER_NAMES.get(name.lower()) or closest(name.lower(), COMMANDS)
    remedy = f"Did you mean {close}?" if close else f"Commands: {', '.join(COMMANDS)}."
    raise Ended(f"There is no command {name!r}. {remedy}", USER_ERROR)


def closest(word: str, words: Iterable[str]) -> str:
    """The most similar word, or ""."""
    return next(iter(get_close_matches(word, list(words), n=1, cutoff=0.55)), "")
