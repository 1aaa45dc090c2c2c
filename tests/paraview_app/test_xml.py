"""The XML against the classes that it names: what ParaView would only say when a user clicks."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import separatrix
import separatrix_vtk
from separatrix_vtk.generate.__main__ import generated

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted((REPOSITORY / "xml").glob("*"))
PROXIES = [
    proxy for path in FILES for proxy in ElementTree.parse(path).getroot().iter("SourceProxy")
]
HEADINGS = ("Field", "Points", "Atoms", "Mesh", "Simplification", "Output", "Execution")


def properties_of(proxy: ElementTree.Element) -> list[ElementTree.Element]:
    return [child for child in proxy if child.tag.endswith("Property")]


def is_told(element: ElementTree.Element) -> bool:
    """Whether a property only tells ParaView something, such as the range of a slider."""
    return element.attrib.get("information_only") == "1"


def text_of(element: ElementTree.Element) -> str:
    documentation = element.find("Documentation")
    return "" if documentation is None else (documentation.text or "").strip()


def class_of(proxy: ElementTree.Element) -> type:
    module, _, name = proxy.attrib["class"].rpartition(".")
    assert module == "separatrix_vtk.paraview"
    return getattr(separatrix_vtk, name)


def is_reader(proxy: ElementTree.Element) -> bool:
    return class_of(proxy).INPUT_TYPE == ()


each_proxy = pytest.mark.parametrize("proxy", PROXIES, ids=lambda p: p.attrib["name"])


def test_the_folder_holds_xml_and_nothing_else():
    # ParaView loads every file of PV_PLUGIN_PATH that looks like a plugin.
    assert [path.name for path in FILES] == [
        "alpha_complex.xml",
        "alpha_time_series.xml",
        "critical_points.xml",
        "discrete_gradient.xml",
        "mesh_relations.xml",
        "molecule_reader.xml",
        "morse_smale_complex.xml",
        "neighbor_statistics.xml",
        "persistence_diagram.xml",
        "point_density.xml",
        "rips_barcodes.xml",
    ]
    assert separatrix_vtk.xml_files() == FILES


@pytest.mark.parametrize("path", list(generated()), ids=lambda path: path.name)
def test_a_generated_file_is_fresh(path: Path):
    text = generated()[path]
    assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale; run `make generated`"


@each_proxy
def test_a_proxy_names_a_class_of_ours_that_can_be_made(proxy):
    assert proxy.attrib["si_class"] == "vtkSIPythonSourceProxy"
    assert isinstance(class_of(proxy)(), separatrix_vtk.Filter)


@each_proxy
def test_ports_are_those_of_the_class(proxy):
    ports = [(int(p.attrib["index"]), p.attrib["name"]) for p in proxy.iter("OutputPort")]
    assert ports == list(enumerate(name for name, _ in class_of(proxy).OUTPUTS))
    for hint in proxy.findall("Hints/*"):
        assert int(hint.attrib.get("port", 0)) < len(ports)


@each_proxy
def test_every_command_is_a_method_and_every_setting_a_property(proxy):
    owner = class_of(proxy)
    commands = {e.attrib["command"] for e in properties_of(proxy) if "command" in e.attrib}
    assert all(callable(getattr(owner, command)) for command in commands)
    setters = {name for name in dir(separatrix_vtk.Filter) if name.startswith("Set")}
    own = {name for name in dir(owner) if name.startswith("Set")} - setters
    added = {f"Set{name[3:]}s" for name in commands if name.startswith("Add")}  # one by one
    assert own <= commands | added


@each_proxy
def test_defaults_are_those_of_the_class(proxy):
    instance = class_of(proxy)()
    for element in properties_of(proxy):
        if element.tag in ("IntVectorProperty", "DoubleVectorProperty") and not is_told(element):
            getter = "Get" + element.attrib["command"].removeprefix("Set")
            default = tuple(map(float, element.attrib["default_values"].split()))
            assert getattr(instance, getter)() in (default, default[0]), getter


@each_proxy
def test_the_choices_are_those_of_the_class_and_can_all_be_set(proxy):
    for element in properties_of(proxy):
        numbers = [int(entry.attrib["value"]) for entry in element.iter("Entry")]
        assert numbers == list(range(len(numbers)))
        instance, stem = class_of(proxy)(), element.attrib.get("command", "").removeprefix("Set")
        for number in numbers:
            getattr(instance, f"Set{stem}")(number)
            assert getattr(instance, f"Get{stem}")() == number
        if numbers:
            with pytest.raises(separatrix.InputError):
                getattr(instance, f"Set{stem}")(len(numbers))


@each_proxy
def test_every_property_stands_in_one_of_the_groups(proxy):
    groups = {group.attrib["label"]: group for group in proxy.iter("PropertyGroup")}
    lengths = {"Growth of radii (length)", "Growth of squared radii (squared length)"}
    assert set(groups) <= {*HEADINGS, *lengths}
    grouped = [p.attrib["name"] for group in groups.values() for p in group.iter("Property")]
    named = [e.attrib["name"] for e in properties_of(proxy) if not is_told(e)]
    inputs = [e.attrib["name"] for e in properties_of(proxy) if e.tag == "InputProperty"]
    assert inputs[:1] == ([] if is_reader(proxy) else ["Input"])
    assert sorted([*grouped, *inputs]) == sorted(named)


def test_a_reader_is_a_source_that_knows_its_files():
    from separatrix_vtk.io.molecules.reading import SUFFIXES

    sources = [
        proxy
        for path in FILES
        for group in ElementTree.parse(path).getroot().iter("ProxyGroup")
        for proxy in group
        if group.attrib.get("name") == "sources" and proxy.tag == "SourceProxy"
    ]
    assert [p.attrib["name"] for p in sources] == [
        p.attrib["name"] for p in PROXIES if is_reader(p)
    ]
    factory = sources[0].find("Hints/ReaderFactory").attrib
    assert factory["extensions"].split() == [suffix[1:] for suffix in SUFFIXES]
    assert factory["filename_patterns"].split() == [f"*{suffix}.gz" for suffix in SUFFIXES]


@pytest.mark.parametrize(
    ("proxy", "name", "range"),
    [
        ("SeparatrixMorseSmaleComplex", "PersistenceThreshold", "ThresholdRange"),
        ("SeparatrixAlphaComplex", "Alpha", "AlphaRange"),
    ],
)
def test_a_slider_takes_its_range_from_the_filter(proxy, name, range):
    (own,) = [one for one in PROXIES if one.attrib["name"] == proxy]
    (slider,) = [one for one in properties_of(own) if one.attrib["name"] == name]
    required = slider.find("DoubleRangeDomain/RequiredProperties/Property")
    assert required.attrib == {"name": range, "function": "RangeInfo"}


def test_a_length_and_a_squared_length_stand_under_headings_of_their_own():
    (alpha,) = [proxy for proxy in PROXIES if proxy.attrib["name"] == "SeparatrixAlphaComplex"]
    group_of = {
        p.attrib["name"]: group.attrib["label"]
        for group in alpha.iter("PropertyGroup")
        for p in group.iter("Property")
    }
    assert group_of["ProbeRadius"] == "Growth of radii (length)"
    assert group_of["Alpha"] == group_of["LargestAlpha"]
    assert group_of["Alpha"] == "Growth of squared radii (squared length)"
    tooltip = {e.attrib["name"]: text_of(e) for e in properties_of(alpha)}
    assert "Squared length" in tooltip["Alpha"]
    assert "squared" not in tooltip["ProbeRadius"]
