"""The directives of coterie's pages: parameters of a method, the catalog, the names of a room, the commands; and MathML.

```{coterie-params} coterie.organize.mcl:MCL      what it takes and gives, and its parameters as a table
```{coterie-catalog}                              every method by room, with a link to its page
```{coterie-room} coterie.compare                 every public name with signature and docstring
```{coterie-commands}                             every command with its options
"""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

import reading
from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)
_SIZE = re.compile(
    r"\\([bB]igg?)(?![a-zA-Z])\s*(\\[a-zA-Z{}|]+|.)"
)  # \big( without a side, which the converter does not know
_CLOSING = (")", "]", "\\}", "\\rangle", "\\rVert", "\\rvert")
Cell = str | Sequence[nodes.Node]


def inline(text: str) -> list[nodes.Node]:
    """A sentence with `code` between single or double backticks."""
    parts = re.split(r"``?([^`]+)``?", text)
    return [
        nodes.literal(part, part) if at % 2 else nodes.Text(part)
        for at, part in enumerate(parts)
        if part
    ]


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph(text, "", *inline(text))


def code(text: str) -> list[nodes.Node]:
    return [nodes.literal(text, text)] if text else []


def table(
    header: Sequence[str], widths: Sequence[int], rows: Iterable[Sequence[Cell]]
) -> nodes.table:
    """A table; cells are sentences or ready nodes."""
    body = nodes.tbody("", *[_row(cells) for cells in rows])
    head = nodes.thead("", _row(header))
    group = nodes.tgroup(
        "", *[nodes.colspec(colwidth=width) for width in widths], head, body, cols=len(widths)
    )
    return nodes.table("", group, classes=["coterie"])


def _row(cells: Sequence[Cell]) -> nodes.row:
    filled = [
        nodes.paragraph("", "", *(inline(cell) if isinstance(cell, str) else cell))
        for cell in cells
    ]
    return nodes.row("", *[nodes.entry("", cell) for cell in filled])


def parameter_table(kind: type) -> list[nodes.Node]:
    """The parameters of a class as a table, or nothing when it has none."""
    rows = [
        (code(name), code(default), allowed, meaning)
        for name, default, allowed, meaning in reading.parameters(kind)
    ]
    return (
        [table(("parameter", "default", "range", "meaning"), (18, 14, 22, 46), rows)]
        if rows
        else []
    )


def prose(doc: str) -> list[nodes.Node]:
    """A docstring as paragraphs and code."""
    found: list[nodes.Node] = []
    for kind, text in reading.blocks(doc):
        if kind == "prose":
            found.append(paragraph(text))
        else:
            found.append(
                nodes.literal_block(text, text, language="pycon" if kind == "session" else "text")
            )
    return found


class Reading(SphinxDirective):
    """A directive with one argument that names something of coterie."""

    required_arguments = 1

    def loaded(self) -> Any:
        try:
            return reading.load(self.arguments[0])
        except (ImportError, AttributeError) as error:
            raise self.error(f"{self.name}: {self.arguments[0]} cannot be read: {error}") from error


class Params(Reading):
    """What a method takes and gives, and its parameters."""

    def run(self) -> list[nodes.Node]:
        kind = self.loaded()
        shown = parameter_table(kind) or [paragraph("It has no parameters.")]
        return [paragraph(reading.takes_and_gives(kind)), *shown]


class Catalog(SphinxDirective):
    """Every method of the catalog by room, linked to its page."""

    def run(self) -> list[nodes.Node]:
        from coterie.catalog import ENTRIES

        found: list[nodes.Node] = []
        for room in dict.fromkeys(entry.room for entry in ENTRIES):
            rows = [
                (self._link(e.name), e.takes, e.gives, e.sentence)
                for e in ENTRIES
                if e.room == room
            ]
            found += [
                nodes.rubric(room, room),
                table(("method", "takes", "gives", "what it does"), (18, 12, 12, 58), rows),
            ]
        return found

    def _link(self, name: str) -> list[nodes.Node]:
        target = addnodes.pending_xref(
            "",
            nodes.inline(name, name),
            refdomain="std",
            reftype="doc",
            reftarget=f"/methods/{name.lower()}",
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )
        return [target]


class Room(Reading):
    """Every public name of a module with its signature and docstring."""

    def run(self) -> list[nodes.Node]:
        module = self.loaded()
        found: list[nodes.Node] = prose(reading.own_doc(module))
        try:
            items = list(reading.read_names(module))
        except (ImportError, AttributeError) as error:
            raise self.error(
                f"{self.name}: a name of {self.arguments[0]} cannot be read: {error}"
            ) from error
        return found + [self._described(module.__name__, item) for item in items]

    def _described(self, module: str, item: reading.Name) -> nodes.Node:
        section = nodes.section(
            ids=[nodes.make_id(f"{module}.{item.name}")], classes=["coterie-name"]
        )
        section += nodes.title(item.name, item.name)
        if item.kind in ("class", "function"):
            section += nodes.paragraph("", "", *code(item.signature))
        section += prose(item.doc)
        if item.kind == "class":
            section += self._inside(item.thing)
        return section

    def _inside(self, kind: type) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        if said := reading.takes_and_gives(kind):
            found.append(paragraph(said))
        found += parameter_table(kind)
        rows = [(code(method.signature), method.sentence) for method in reading.methods_of(kind)]
        if rows:
            found.append(table(("method", "what it does"), (40, 60), rows))
        return found


class Commands(SphinxDirective):
    """Every command of the command line with its usage and options."""

    def run(self) -> list[nodes.Node]:
        import click

        from coterie.cli.main import COMMANDS, door

        found: list[nodes.Node] = []
        for name in COMMANDS:
            command = door.get_command(click.Context(door), name)
            if command is None:
                raise self.error(f"There is no command {name}.")
            context = click.Context(command, info_name=f"coterie {name}")
            section = nodes.section(ids=[f"command-{name}"])
            section += nodes.title(name, f"coterie {name}")
            usage = " ".join([f"coterie {name}", *command.collect_usage_pieces(context)])
            section += nodes.literal_block(usage, usage, language="text")
            section += prose(inspect.cleandoc((command.help or "").replace("\b", "")))
            rows = [
                _option(p.get_help_record(context))
                for p in command.get_params(context)
                if isinstance(p, click.Option)
            ]
            section += table(("option", "meaning"), (34, 66), [row for row in rows if row])
            found.append(section)
        return found


def _option(record: tuple[str, str] | None) -> tuple[list[nodes.Node], str] | None:
    return (code(record[0]), record[1]) if record else None


def mathml(formula: str, node: nodes.Node, *, as_block: bool) -> str:
    """A formula as MathML; one that cannot be read is a warning with its place, and is shown as it was written."""
    sided = _SIZE.sub(lambda m: f"\\{m[1]}{'r' if m[2] in _CLOSING else 'l'}{m[2]}", formula)
    try:
        return latex2mathml.tex2mathml(sided, as_block=as_block)
    except Exception as error:  # the converter raises whatever it trips over
        logger.warning("the formula %r cannot be read: %s", formula, error, location=node)
        return f"<code>{html.escape(formula)}</code>"


def mathml_inline(writer: Any, node: nodes.math) -> None:
    """A formula inside a line as MathML, which browsers draw by themselves."""
    writer.body.append(mathml(node.astext(), node, as_block=False))
    raise nodes.SkipNode


def mathml_block(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own as MathML; several lines become a table of them."""
    text = node.astext()
    rows = (
        f"\\begin{{align}}{text}\\end{{align}}"
        if "\\\\" in text and "\\begin" not in text
        else text
    )
    writer.body.append(f'<div class="math">{mathml(rows, node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directives and the formulas."""
    app.add_directive("coterie-params", Params)
    app.add_directive("coterie-catalog", Catalog)
    app.add_directive("coterie-room", Room)
    app.add_directive("coterie-commands", Commands)
    app.add_html_math_renderer(
        "mathml", inline_renderers=(mathml_inline, None), block_renderers=(mathml_block, None)
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
