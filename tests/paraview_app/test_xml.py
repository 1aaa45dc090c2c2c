"""The XML against the classes that it names: what ParaView would only say when a user clicks."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

import separatrix
import separatrix_vtk
from separatrix.options import options_of
from separatrix_vtk.base.computing import counted
from separatrix_vtk.base.properties import paraview_name
from separatrix_vtk.filters.scalar_field.result_text import POINT_KINDS
from separatrix_vtk.generate.__main__ import generated
from separatrix_vtk.io import read
from separatrix_vtk.paraview.color_maps import ARRAYS

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted((REPOSITORY / "xml").glob("*"))
PROXIES = [
    proxy for path in FILES for proxy in ElementTree.parse(path).getroot().iter("SourceProxy")
]
HEADINGS = ("Field", "Points", "Atoms", "Mesh", "Simplification", "Output", "Execution")


def properties_of(proxy: ElementTree.Element) -> list[ElementTree.Element]:
    return [child for child in proxy if child.tag.endswith("Property")]


def is_told(element: ElementTree.Element) -> bool:
    """Whether a property is only information for ParaView, such as the range of a slider."""
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


def test_the_folder_contains_the_xml_files_only():
    # ParaView loads every file of PV_PLUGIN_PATH that looks like a plugin.
    assert separatrix_vtk.xml_files() == FILES
    assert {path.suffix for path in FILES} == {".xml"}


@pytest.mark.parametrize("path", list(generated()), ids=lambda path: path.name)
def test_a_generated_file_is_fresh(path: Path):
    text = generated()[path]
    assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale; run `make generated`"


@each_proxy
def test_a_proxy_names_a_class_that_can_be_created(proxy):
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
    instance, options = class_of(proxy)(), options_of(class_of(proxy))
    for element in properties_of(proxy):
        if element.tag in ("IntVectorProperty", "DoubleVectorProperty") and not is_told(element):
            getter = "Get" + element.attrib["command"].removeprefix("Set")
            default = tuple(map(float, element.attrib["default_values"].split()))
            (option,) = (o for o in options.values() if paraview_name(o) == element.attrib["name"])
            own = (
                getattr(instance, getter)()
                if option.panel_default is None
                else (option.to_number(option.panel_default))
            )
            assert own in (default, default[0]), getter


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
def test_every_property_is_documented(proxy):
    named = [e for e in properties_of(proxy) if e.tag != "InputProperty" and not is_told(e)]
    assert [e.attrib["name"] for e in named if len(text_of(e)) < 60] == []


def test_help_names_filters_by_their_labels():
    labels = {proxy.attrib["label"] for proxy in PROXIES}
    for path in FILES:
        text = " ".join(path.read_text(encoding="utf-8").split())
        named = set(re.findall(r"Separatrix(?: [A-Z][A-Za-z-]+)+", text))
        assert named <= labels, path.name


@each_proxy
def test_every_property_is_in_one_of_the_groups(proxy):
    groups = {group.attrib["label"]: group for group in proxy.iter("PropertyGroup")}
    lengths = {"Growth of radii (length)", "Growth of squared radii (squared length)"}
    assert set(groups) <= {*HEADINGS, *lengths}
    grouped = [p.attrib["name"] for group in groups.values() for p in group.iter("Property")]
    named = [e.attrib["name"] for e in properties_of(proxy) if not is_told(e)]
    inputs = [e.attrib["name"] for e in properties_of(proxy) if e.tag == "InputProperty"]
    assert inputs[:1] == ([] if is_reader(proxy) else ["Input"])
    assert sorted([*grouped, *inputs]) == sorted(named)


def test_a_reader_is_a_source_that_declares_its_file_types():
    from separatrix_vtk.filters.scalar_field.volume_reader import IN_ZARR
    from separatrix_vtk.io.formats import OF_FIELDS, OF_MOLECULES

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
    matrices = [".distance_matrix", ".lower_distance_matrix", ".upper_distance_matrix"]
    of_points = [".csv", ".point_cloud", *matrices, ".dipha"]
    factories = [source.find("Hints/ReaderFactory").attrib for source in sources]
    *tables, volumes = factories
    assert {f".{name}" for name in volumes["extensions"].split()} < set(OF_FIELDS)
    assert volumes["filename_patterns"].split() == ["*.nii.gz", *IN_ZARR]
    for factory, suffixes in zip(tables, (of_points, OF_MOLECULES), strict=True):
        assert factory["extensions"].split() == [suffix[1:] for suffix in suffixes]
        assert factory["filename_patterns"].split() == [f"*{suffix}.gz" for suffix in suffixes]


@pytest.mark.parametrize(
    ("proxy", "name", "range"),
    [
        ("SeparatrixMorseSmaleComplex", "PersistenceThreshold", "ThresholdRange"),
        ("SeparatrixAlphaComplex", "Alpha", "AlphaRange"),
    ],
)
def test_a_slider_has_the_range_of_the_filter(proxy, name, range):
    (own,) = [one for one in PROXIES if one.attrib["name"] == proxy]
    (slider,) = [one for one in properties_of(own) if one.attrib["name"] == name]
    required = slider.find("DoubleRangeDomain/RequiredProperties/Property")
    assert required.attrib == {"name": range, "function": "RangeInfo"}


# === panels

NOT_BOUNDED = {  # lengths that the size of the data does not bound, and why
    "ConstantRadius": "of a ball",
    "ProbeRadius": "of a solvent's molecule",
    "Resolution": "of the file's coordinates",
    "BoxSize": "by axis",
    "Padding": "-1 is a choice of its own",
    "Bounds": "may lie anywhere",
    "Box": "with angles",
}
DEFINED = ("annotations", "views", "representations")


def tooltip_of(element: ElementTree.Element) -> str:
    return " ".join(text_of(element).split())


def named(proxy: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {element.attrib["name"]: element for element in properties_of(proxy)}


def definitions_of(path) -> dict[tuple[str, str], ElementTree.Element]:
    """Definitions of a file for the window, by group and name."""
    return {
        (group.attrib["name"], proxy.attrib["name"]): proxy
        for group in ElementTree.parse(path).getroot().iter("ProxyGroup")
        for proxy in group
        if group.attrib["name"] in DEFINED
    }


@each_proxy
def test_lengths_are_bounded_by_the_data(proxy):
    for name, element in named(proxy).items():
        text = tooltip_of(element)
        is_length = "in the unit of the points" in text or "in the unit of the distances" in text
        if element.tag != "DoubleVectorProperty" or not is_length or name in NOT_BOUNDED:
            continue
        domain = element.find("BoundsDomain")
        assert domain is not None, name
        assert domain.attrib["mode"] == "scaled_extent"
        assert element.find("Hints/NoDefault") is not None, name  # 0 is automatic


@each_proxy
def test_a_slider_of_values_is_bounded_by_the_filter(proxy):
    for name, element in named(proxy).items():
        for entry in element.findall("DoubleRangeDomain/RequiredProperties/Property"):
            assert is_told(named(proxy)[entry.attrib["name"]]), name


@each_proxy
def test_a_condition_names_a_property_and_a_value_that_it_can_have(proxy):
    for name, element in named(proxy).items():
        for decorator in element.findall("Hints/PropertyWidgetDecorator"):
            if decorator.attrib["type"] == "InputDataTypeDecorator":
                accepted = {e.attrib["value"] for e in proxy.find("InputProperty").iter("DataType")}
                assert decorator.attrib["name"] in accepted, name
                continue
            other = named(proxy)[decorator.attrib["property"]]
            values = (decorator.attrib.get("value") or decorator.attrib["values"]).split()
            choices = {entry.attrib["value"] for entry in other.iter("Entry")} or {"0", "1"}
            assert set(values) <= choices, name


def test_representations_of_the_same_name_are_the_same_in_every_file():
    # Every file is a plugin by itself: the file that is loaded last defines them.
    texts = defaultdict(set)
    for path in FILES:
        for key, proxy in definitions_of(path).items():
            texts[key].add(ElementTree.tostring(proxy).strip())
    assert {key for key, text in texts.items() if len(text) > 1} == set()
    assert all(name.startswith("Separatrix") for _, name in texts)


def test_hints_refer_to_definitions_of_the_same_file():
    own = {"Spheres", "Balls", "GrownBalls", "Lines", "Translucent", "Cycles"}
    for path in FILES:
        defined = {name for _, name in definitions_of(path)}
        root = ElementTree.parse(path).getroot()
        for hint in root.iter("Representation"):
            assert hint.attrib["type"] in defined, path.name
            assert hint.attrib["view"] in defined | {"RenderView", "XYChartView"}
        for hint in root.findall(".//Hints/RepresentationType"):
            if hint.attrib["type"] in own:
                same = f"Separatrix{hint.attrib['type']}Representation"
                hinted = [h.attrib for h in root.iter("Representation")]
                assert {**hint.attrib, "type": same} in hinted, path.name
        for hint in root.findall(".//Hints/View"):
            known = {"None", "RenderView", "SpreadSheetView"}
            assert hint.attrib["type"] in known | defined, path.name


OTHER_WORDS = r"\b(tunnels?|cancelled|colours?|neighbours?|1-cycles?|watersheds?)\b"


@pytest.mark.parametrize(
    "path", [*FILES, *sorted((REPOSITORY / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_panels_and_pages_have_one_word_for_each_thing(path: Path):
    """As in legends: a class of dimension 1 is a loop, a pair is canceled."""
    text = re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8"))
    assert re.findall(OTHER_WORDS, text) == []


def test_legends_have_the_words_of_ports_and_counts():
    ports = [name for name, _ in separatrix_vtk.MorseSmaleComplex.OUTPUTS]
    titles = {array: title for array, (title, _) in ARRAYS.items()}
    assert {titles["CriticalType"], titles["DestinationType"]} <= set(ports)
    names = {array: [c.name for c in found] for array, (_, found) in ARRAYS.items()}
    counted_kinds = [counted(1, kind) for kind in POINT_KINDS]
    assert counted_kinds == [f"1 {name}" for name in names["CriticalType"][: len(POINT_KINDS)]]
    barcodes = separatrix_vtk.RipsBarcodes(device="cpu", max_dimension=2)
    barcodes.run(read(REPOSITORY / "sample_data" / "linked_circles.csv"))
    assert [line.split(", ")[0].split()[1] for line in barcodes.GetResult().splitlines()[1:4]] == (
        names["Dimension"][:3]
    )
