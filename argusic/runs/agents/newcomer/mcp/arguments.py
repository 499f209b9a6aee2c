"""Makes the arguments of a tool by its schema: what is required, with values that can be recognised.

A schema is a stranger's: whatever is odd about it makes arguments that do not fit, and nothing worse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from argusic.runs.agents.newcomer.failures import fill
from argusic.runs.agents.newcomer.mcp.answers import Tool
from argusic.runs.agents.newcomer.mcp.values import Value, Values, words

#: How deep a schema is followed, and how many values are made for one tool.
_DEPTH, _MOST = 6, 200
#: What odd figures of a schema make arithmetic raise.
_ODD = (ValueError, OverflowError, TypeError, RecursionError)
_EXAMPLE = re.compile(
    r"(?i)(?:e\.?g\.?,?:?|for example,?:?|such as|like|\()\s*(?P<quote>['\"`])(?P<value>[^'\"`]{1,80})(?P=quote)"
)


class Maker:
    """Makes the arguments of one tool."""

    def __init__(self, tool: Tool, known: Values, places: Mapping[str, str]) -> None:
        self._tool = tool
        self._known = known
        self._places = places
        self._made = 0

    def arguments(self) -> dict[str, Any]:
        """Return what its schema requires, and nothing more."""
        try:
            return self._object(self._tool.input, 0)
        except _ODD:
            return {}

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        required = schema.get("required")
        if not isinstance(properties, dict) or not isinstance(required, list):
            return {}
        return {
            name: self._value(name, properties.get(name), depth + 1)
            for name in required
            if isinstance(name, str) and depth < _DEPTH and self._made < _MOST
        }

    def _value(self, name: str, schema: Any, depth: int) -> Any:
        self._made += 1
        schema = self._plain(schema)
        for key in ("const", "default"):
            if key in schema and schema[key] is not None:
                return schema[key]
        for key in ("enum", "examples"):
            if isinstance(schema.get(key), list) and schema[key]:
                return schema[key][0]
        match _type(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                least = schema.get("minItems", 1)
                count = min(max(least, 1), 5) if isinstance(least, int) else 1
                return [self._value(name, schema.get("items"), depth + 1)] * (count if depth < _DEPTH else 0)
            case "integer" | "number" as kind:
                return self._number(name, schema, kind)
            case "boolean":
                return False
            case "null":
                return None
        return self._text(name, schema)

    def _plain(self, schema: Any) -> dict[str, Any]:
        """Return a schema with a reference of its own followed, and the first of several kinds chosen."""
        for _ in range(_DEPTH):
            if not isinstance(schema, dict):
                return {}
            reference = schema.get("$ref")
            if isinstance(reference, str):
                schema = self._referred(reference)
                continue
            several = next(
                (schema[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list)), None
            )
            if not several:
                return schema
            chosen = next((one for one in several if isinstance(one, dict) and one.get("type") != "null"), {})
            schema = {**{k: v for k, v in schema.items() if k not in ("anyOf", "oneOf", "allOf")}, **chosen}
        return {}

    def _referred(self, reference: str) -> Any:
        found: Any = self._tool.input
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def _text(self, name: str, schema: Mapping[str, Any]) -> str:
        about = str(schema.get("description", ""))
        example = _EXAMPLE.search(about)
        rule = self._rule(self._known.texts, name, schema)
        if example and (rule is None or not (rule.about or rule.format or rule.tool)):
            return example["value"]
        text = fill(str(rule.value), self._places) if rule else None
        longest = schema.get("maxLength")
        return (text or "albatross")[: longest if isinstance(longest, int) and longest > 0 else None]

    def _number(self, name: str, schema: Mapping[str, Any], kind: str) -> int | float:
        rule = self._rule(self._known.numbers, name, schema)
        number = rule.value if rule and isinstance(rule.value, (int, float)) else 351
        least, most = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
        if isinstance(least, (int, float)) and number <= least:
            number = least + ("exclusiveMinimum" in schema)
        if isinstance(most, (int, float)) and number > most:
            number = most
        return int(number) if kind == "integer" else number

    def _rule(self, rules: tuple[Value, ...], name: str, schema: Mapping[str, Any]) -> Value | None:
        plain = "_".join(words(name))
        about = str(schema.get("description", ""))
        tool = f"{self._tool.name} {self._tool.about}"
        for rule in rules:
            if (
                (rule.name is None or re.fullmatch(rule.name, plain))
                and (rule.tool is None or re.search(rule.tool, tool))
                and (rule.called is None or re.search(rule.called, self._tool.name))
                and (rule.about is None or re.search(rule.about, about))
                and (rule.format is None or re.fullmatch(rule.format, str(schema.get("format", ""))))
            ):
                return rule
        return None


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema asks for; of several the first that is not null."""
    named = schema.get("type")
    if isinstance(named, list):
        named = next((one for one in named if one != "null"), "string")
    if isinstance(named, str):
        return named
    return "object" if "properties" in schema else "array" if "items" in schema else "string"
