"""The property panels as one: the same headings, words, units, bounds and conditions everywhere."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from xml.etree import ElementTree

from paraview_app.test_xml import FILES, each_proxy, is_told, properties_of, text_of

# In this order, at most one of the first line.
HEADINGS = (
    ("Field", "Points", "Atoms", "Mesh"),
    ("Simplification", "Growth of radii (length)"),
    ("Growth of squared radii (squared length)",),
    ("Output",),
    ("Execution",),
)
NOT_BOUNDED = {  # lengths that the size of the data does not bound, and why
    "ConstantRadius": "of a ball",
    "ProbeRadius": "of a solvent's molecule",
    "Resolution": "of the file's coordinates",
    "Padding": "-1 is a choice of its own",
    "Bounds": "may lie anywhere",
}
DEFINED = ("annotations", "views", "representations")


def tooltip_of(element: ElementTree.Element) -> str:
    return " ".join(text_of(element).split())


def named(proxy: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {element.attrib["name"]: element for element in properties_of(proxy)}


def definitions_of(path) -> dict[tuple[str, str], ElementTree.Element]:
    """What a file defines for the window, by group and name."""
    return {
        (group.attrib["name"], proxy.attrib["name"]): proxy
        for group in ElementTree.parse(path).getroot().iter("ProxyGroup")
        for proxy in group
        if group.attrib["name"] in DEFINED
    }


@each_proxy
def test_headings_come_in_one_order(proxy):
    rank = {label: place for place, labels in enumerate(HEADINGS) for label in labels}
    places = [rank[group.attrib["label"]] for group in proxy.findall("PropertyGroup")]
    assert all(first < second for first, second in pairwise(places))
    assert places[0] == 0


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
        assert element.find("Hints/NoDefault") is not None, name  # 0 chooses by itself


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


@each_proxy
def test_a_choice_that_needs_another_is_out_of_sight_without_it(proxy):
    needs = {
        "AlternateLabel": "AlternateLocations", "Bounds": "UseBounds", "Padding": "UseBounds",
        "ConstantRadius": "RadiusSource", "RadiusArray": "RadiusSource",
        "ElementArray": "RadiusSource", "RadiusOverrides": "RadiusSource",
        "SegmentArray": "Segmentation", "SegmentSize": "Segmentation", "DeviceIndex": "Device",
    }  # fmt: skip
    for name, element in named(proxy).items():
        if name in needs:
            decorator = element.find("Hints/PropertyWidgetDecorator[@type='GenericDecorator']")
            assert decorator is not None, name
            assert decorator.attrib["property"] == needs[name]


def test_representations_of_the_same_name_are_the_same_in_every_file():
    # Every file is a plugin by itself: the file that is loaded last defines them.
    texts = defaultdict(set)
    for path in FILES:
        for key, proxy in definitions_of(path).items():
            texts[key].add(ElementTree.tostring(proxy).strip())
    assert {key for key, text in texts.items() if len(text) > 1} == set()
    assert all(name.startswith("Separatrix") for _, name in texts)


def test_what_is_hinted_at_is_defined_in_the_same_file():
    own = {"Spheres", "Balls", "GrownBalls", "Tubes", "Translucent", "Cycles"}
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
            known = {"None", "XYChartView", "SpreadSheetView"}
            assert hint.attrib["type"] in known | defined, path.name
