"""XML for ParaView: a hand-written skeleton, with the properties, groups, and ports of a filter.

A skeleton is an XML file in which the lines <?options?>, <?groups?>, and <?ports?> are replaced.
The help, the input, representations, views, and hints are written by hand. A property that is in
the skeleton is not generated.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import separatrix_vtk
from separatrix.options import Option, options_of
from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.properties import in_panel, main_array, paraview_name, vtk_name

SKELETONS = Path(__file__).parent / "skeletons"
WIDTH = 108  # ParaView keeps the line breaks of tooltips
INPUT = '<RequiredProperties><Property name="Input" function="Input"/></RequiredProperties>'
RANGES = {"field": "ThresholdRange", "alpha": "AlphaRange"}  # unit -> property with its range
SHOWN_FOR = {
    "image": 'name="vtkImageData"',
    "mesh": 'name="vtkImageData" exclude="1"',
    "table": 'name="vtkTable"',
}

RESULT = """\
      <StringVectorProperty name="Result" command="GetResult" number_of_elements="1"
                            information_only="1" panel_visibility="default">
        <Documentation>
Counts, device, and seconds of the last run, without stages that were not repeated.
        </Documentation>
        <Hints><Widget type="multi_line"/></Hints>
      </StringVectorProperty>"""

IS_VOLUME = """\
      <IntVectorProperty name="IsVolume" command="GetIsVolume" number_of_elements="1"
                         information_only="1" default_values="1"/>"""

NOTICE = """\
<!-- Written by `make generated`; do not edit. Properties: engine/separatrix/options/{options}.py.
     All else: plugins/separatrix_vtk/generate/skeletons/{skeleton}. -->
"""


def panel(path: Path) -> str:
    """Return the text of a file of xml/ from its skeleton."""
    skeleton = path.read_text(encoding="utf-8")
    found = re.search(r'class="separatrix_vtk\.paraview\.(\w+)"', skeleton)
    assert found is not None
    owner = getattr(separatrix_vtk, found[1])
    title, rest = Panel(owner, skeleton).text().split("\n", 1)
    modules = (base.__module__ for base in owner.__mro__)
    options = next(m for m in modules if m.startswith("separatrix.options")).rpartition(".")[2]
    return f"{title}\n{NOTICE.format(options=options, skeleton=path.name)}{rest}"


class Panel:
    """The panel of one filter in ParaView."""

    def __init__(self, owner: type[Filter], skeleton: str) -> None:
        self.owner, self.skeleton, self.options = owner, skeleton, options_of(owner)
        written = re.findall(r"<InputArrayDomain [^>]*>", skeleton)
        self.domains = {
            self._attribute(domain, "attribute_type"): self._attribute(domain, "name")
            for domain in written
        }

    @staticmethod
    def _attribute(element: str, name: str) -> str:
        found = re.search(rf'{name}="([^"]*)"', element)
        assert found is not None
        return found[1]

    def text(self) -> str:
        groups: dict[str, list[str]] = {}
        for option in self.options.values():
            title = self.owner.GROUP_TITLES.get(option.group, option.group)
            groups.setdefault(title, []).append(paraview_name(option))
        new = [one for one in self.options.values() if not self._has(paraview_name(one))]
        shown = [RESULT] if hasattr(self.owner, "GetResult") else []
        shown += [IS_VOLUME] * any(option.only_for == "3D" for option in self.options.values())
        parts = {
            "options": "\n\n".join([*shown, *map(self._property, new)]),
            "groups": "\n".join(_group(label, names) for label, names in groups.items()),
            "ports": "\n".join(
                f'      <OutputPort index="{index}" name={quoteattr(name)}/>'
                for index, (name, _) in enumerate(self.owner.OUTPUTS)
            ),
        }
        text = self.skeleton
        for name, part in parts.items():
            line = f"      <?{name}?>\n"
            if text.count(line) != 1:
                raise ValueError(f"the skeleton must contain the line {line.strip()} once")
            text = text.replace(line, f"{part}\n")
        return text

    def _has(self, name: str) -> bool:
        """Whether the skeleton has a property of the filter."""
        own = self.skeleton.partition("<SourceProxy ")[2]
        return f'VectorProperty name="{name}"' in own

    def _property(self, option: Option) -> str:
        kind = {bool: "Int", int: "Int", float: "Double", str: "String"}[option.kind]
        kind = "Int" if option.choices else kind
        name, attributes = paraview_name(option), dict[str, object]()
        if name != option.title or name.isupper():  # ParaView would separate the letters
            attributes["label"] = option.title
        if option is main_array(self.owner):
            attributes |= {"command": "SetInputArrayToProcess", "number_of_elements": 5}
            attributes |= {"element_types": "0 0 0 0 2", "animateable": 0}
        elif option.length == 0 and not option.separated:
            stem = vtk_name(option.name)
            attributes |= {"command": f"Add{stem.removesuffix('s')}"}
            attributes |= {"clean_command": f"Clear{stem}", "repeat_command": 1}
            attributes["number_of_elements_per_command"] = 1
        else:
            default = option.default if option.panel_default is None else option.panel_default
            value = "" if option.kind is str and not default else default
            value = option.to_number(value) if value != "" or option.choices else ""
            values = value if isinstance(value, tuple) else (value,)
            attributes["command"] = f"Set{vtk_name(option.name)}"
            attributes["number_of_elements"] = len(values)
            attributes["default_values"] = " ".join(map(_number, values))
        if not option.affects_result:
            attributes["animateable"] = 0
        if option.advanced:
            attributes["panel_visibility"] = "advanced"
        written = " ".join(f"{key}={quoteattr(str(value))}" for key, value in attributes.items())
        hints = self._hints(option)
        help = option.help(in_panel(self.owner), in_panel=True)
        text = "\n\n".join(textwrap.fill(part, WIDTH) for part in help.split("\n\n"))
        return "\n".join(
            [
                f'      <{kind}VectorProperty name="{name}" {written}>',
                *_indented(*self._domain(option, kind), "<Documentation>", by=8),
                escape(text),  # at the margin, because tooltips keep blanks
                *_indented("</Documentation>", by=8),
                *_indented(*(["<Hints>", *hints, "</Hints>"] if hints else []), by=8),
                f"      </{kind}VectorProperty>",
            ]
        )

    def _domain(self, option: Option, kind: str) -> list[str]:
        if option.array_of or (option.length == 0 and not option.separated):
            return self._array_domain(option)
        if option.labels:
            shown = enumerate(option.labels)
            entries = [f'  <Entry value="{i}" text={quoteattr(text)}/>' for i, text in shown]
            return ['<EnumerationDomain name="enum">', *entries, "</EnumerationDomain>"]
        if option.kind is bool:
            return ['<BooleanDomain name="bool"/>']
        if option.kind is str:
            return []
        if self._has(RANGES.get(option.unit, "none")):
            source = f'<Property name="{RANGES[option.unit]}" function="RangeInfo"/>'
            return [
                f'<{kind}RangeDomain name="range" default_mode="min">',
                f"  <RequiredProperties>{source}</RequiredProperties>",
                f"</{kind}RangeDomain>",
            ]
        if option.of_extent is not None:
            scale = f'mode="scaled_extent" scale_factor="{_number(option.of_extent)}"'
            return [f'<BoundsDomain name="range" {scale}>', f"  {INPUT}", "</BoundsDomain>"]
        low, high = option.usual or (option.at_least, option.at_most)
        ends = {"min": low, "max": high}.items()
        bounds = "".join(f' {key}="{_number(end)}"' for key, end in ends if end is not None)
        return [f'<{kind}RangeDomain name="range"{bounds}/>']

    def _array_domain(self, option: Option) -> list[str]:
        wanted = {"points": "point", "any": "any-except-field", "": "row"}[option.array_of]
        source = self.domains.get(wanted, self.domains.get("point", ""))
        kept = ' attribute_type="Scalars"' if option.array_of else ""
        if option.none_title:  # an attribute that no array has; ParaView would select another
            kept = f' attribute_type="GlobalIds" none_string="{option.none_title}"'
        head = f'<ArrayListDomain name="array_list"{kept} input_domain_name="{source}">'
        return [head, f"  {INPUT}", "</ArrayListDomain>"]

    def _hints(self, option: Option) -> list[str]:
        hints = []
        is_needed = option.only_for != "mesh" or '"vtkImageData"' in self.skeleton
        if option.only_for in SHOWN_FOR and is_needed:
            seen = SHOWN_FOR[option.only_for]
            hints.append(f'type="InputDataTypeDecorator" mode="visibility" {seen}')
        if option.only_for == "3D":
            hints.append('type="GenericDecorator" mode="visibility" property="IsVolume" value="1"')
        if option.needs:
            name, *values = option.needs
            other = self.options[name]
            numbers = " ".join(_number(other.to_number(value)) for value in values)
            key = "value" if len(values) == 1 else "values"
            mode = "visibility" if option.hidden_without else "enabled_state"
            seen = f'property="{paraview_name(other)}" {key}="{numbers}"'
            hints.append(f'type="GenericDecorator" mode="{mode}" {seen}')
        decorators = [f"  <PropertyWidgetDecorator {hint}/>" for hint in hints]
        is_own_range = self._has(RANGES.get(option.unit, "none")) and option.at_least is None
        is_kept = option.of_extent is not None or is_own_range  # the default is not in the domain
        return decorators + ["  <NoDefault/>"] * is_kept


def _indented(*lines: str, by: int) -> list[str]:
    return [" " * by + line for line in lines]


def _group(label: str, names: list[str]) -> str:
    written = "\n".join(f'        <Property name="{name}"/>' for name in names)
    return f"      <PropertyGroup label={quoteattr(label)}>\n{written}\n      </PropertyGroup>"


def _number(value: object) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
