"""How the shell spells options: kebab-case of their names, and one table of exceptions."""

from __future__ import annotations

from collections.abc import Mapping

from separatrix.options import Option

NAMES: Mapping[str, str] = {
    "compute_persistence_pairs": "pairs",
    "compute_saddle_connectors": "connectors",
    "critical_kind": "kind",
    "double_precision": "double",
    "dtm_neighbors": "dtm",
    "number_of_neighbors": "neighbors",
    "number_of_representatives": "representatives",
    "radius_array": "radii",
    "region_table": "regions",
    "relations": "relation",
    "show_inside_domain": "inside-domain",
    "show_zero_persistence": "zero-persistence",
    "smoothing_iterations": "smooth",
}
LETTERS: Mapping[str, str] = {
    "array": "-a", "compute_measures": "-m", "device": "-d", "number_of_neighbors": "-k",
    "quiet": "-q", "relations": "-r", "threads": "-t", "weights": "-w",
}  # fmt: skip
LONGEST = 24  # letters of choices that are listed after an option


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
