"""What each command of `separatrix` takes from which paper; an empty entry owes none."""

from __future__ import annotations

from separatrix_vtk.cite.papers import BY_KEY, Paper

GRADIENT = (
    (
        "Robins2011",
        "the discrete gradient, and why its critical cells have the field's persistence",
    ),
    ("Forman1998", "discrete Morse theory, the reversal of a gradient path"),
)
MESHES = (
    ("Liu2025", "meshes: relations made by segments, on the GPU"),
    ("Weiss2011", "meshes: what a segment of vertices needs of its surroundings"),
)
PAIRS = (
    ("Edelsbrunner2002", "persistence and its pairing"),
    ("Guillou2023", "pairs of saddles and extrema first, from graphs"),
    ("Bauer2014", "clearing and compression of the columns that are left"),
    ("Subhash2020", "connections between saddles, marked and counted in parallel"),
)
METHODS: dict[str, tuple[tuple[str, str], ...]] = {
    "morse-smale": (
        *GRADIENT,
        *PAIRS,
        ("Subhash2023", "the full account of the parallel saddle connections"),
        ("Edelsbrunner2003", "the hierarchy of cancellations"),
        ("Bauer2012", "--simplified-field: the field without what was canceled"),
        ("Taubin1995", "--smooth: smoothing of lines"),
        ("Garbrecht1997", "--order plateau: the ways down from flat regions"),
        ("Barnes2014", "--order plateau: both gradients in linear time"),
        *MESHES,
    ),
    "persistence-diagram": (
        *GRADIENT,
        *PAIRS,
        ("Garbrecht1997", "--order plateau: the ways down from flat regions"),
        ("Barnes2014", "--order plateau: both gradients in linear time"),
        *MESHES,
    ),
    "critical-points": (
        *GRADIENT,
        ("Banchoff1970", "points of a mesh by their links, --method link"),
    ),
    "discrete-gradient": GRADIENT,
    "relations": (
        *MESHES,
        ("Liu2023", "localized relations of a mesh"),
        ("Skilling2004", "the Hilbert curve along which vertices are ordered"),
    ),
    "density": (
        ("Charlier2021", "reductions over pairs of points, block-sparse"),
        ("Feydy2020", "formulas of pairs that are never stored"),
        ("Wendland1995", "the compact kernel"),
        ("Ogita2005", "compensated sums"),
    ),
    "neighbors": (("Chazal2011", "the distance to a measure"),),
    "rips": (
        ("Bauer2021", "implicit cohomology, apparent pairs"),
        ("Zhang2020", "apparent pairs on the GPU, the enclosing radius"),
        ("Chen2011", "clearing"),
        ("Bauer2017", "columns as trees of bits"),
        ("Morozov2020", "reduction by several threads without locks"),
        ("Boissonnat2020", "edge collapse"),
        ("Glisse2022", "edge collapse of a filtration"),
        ("Silva2011", "cocycles of bars"),
        ("Cufar2021", "cycles of bars by involution"),
        ("Busaryev2012", "short loops, by annotations"),
        ("Cavanna2015", "the sparse approximation"),
        ("Gonzalez1985", "its greedy permutation"),
        ("Anai2020", "weighted filtrations, by distance to a measure"),
    ),
    "alpha": (
        ("Edelsbrunner1994", "alpha shapes, their simplices on the boundary and inside"),
        ("Edelsbrunner1995", "weighted alpha complexes, measures and boundary of a union of balls"),
        ("Edelsbrunner1990", "ties broken by simulation of simplicity"),
        ("Shewchuk1997", "exact predicates behind fast filters"),
        ("Koehl2023", "volume and area of the union, atom by atom"),
        ("Edelsbrunner1998", "pockets"),
        ("Edelsbrunner2002", "persistence"),
        ("Bondi1964", "van der Waals radii"),
        ("Mantina2009", "the radius of calcium"),
    ),
    "devices": (),
    "paraview-setup": (),
    "cite": (),
    "help": (),
}


class WrongChoice(ValueError):
    """What was asked for is not there; the text says what is."""


def papers_of(command: str) -> list[tuple[Paper, str]]:
    """The papers of a command, each with what is taken from it."""
    return [(BY_KEY[key], what) for key, what in METHODS[command]]


def every_paper() -> list[tuple[Paper, str]]:
    """All papers of all commands, each once, with the commands that use it."""
    users: dict[str, list[str]] = {}
    for command, uses in METHODS.items():
        for key, _ in uses:
            users.setdefault(key, []).append(command)
    return [(paper, ", ".join(users[key])) for key, paper in BY_KEY.items() if key in users]
