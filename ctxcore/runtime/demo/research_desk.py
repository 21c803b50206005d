"""Real tools of a researcher: the library, a sheet of figures with their sources, assumptions and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

from ctxcore.runtime.demo.library import documents
from ctxcore.runtime.demo.plans import todo_write
from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool


class ResearchDesk:
    """Reads the library and keeps figures, each with its source."""

    def __init__(self) -> None:
        """A full library and an empty sheet."""
        self._library = documents()
        self._figures: dict[str, dict[str, Any]] = {}
        self._assumptions: dict[str, float] = {}

    def list_documents(self, prefix: str = "") -> list[dict[str, str]]:
        """Ids and titles."""
        return [{"id": d.id, "title": d.title} for d in self._library.values() if d.id.startswith(prefix)]

    def open_document(self, id: str) -> dict[str, str]:
        """One whole document."""
        if id not in self._library:
            raise KeyError(f"no document {id}")
        found = self._library[id]
        return {"id": found.id, "title": found.title, "text": found.text}

    def search_documents(self, words: str, limit: int = 5) -> list[dict[str, str]]:
        """Documents that hold the words, each with the line around."""
        hits = []
        for document in self._library.values():
            line = next((line for line in document.text.splitlines() if words.lower() in line.lower()), None)
            if line is not None or words.lower() in document.title.lower():
                at = (line or "").lower().find(words.lower())
                hits.append({"id": document.id, "title": document.title, "line": (line or "")[max(0, at - 60) : at + 140]})
        return hits[:limit]

    def record_figure(self, name: str, value: float, unit: str, source: str) -> dict[str, Any]:
        """Set a figure; its source must be a document or ``computed``."""
        if source != "computed" and source not in self._library:
            raise ValueError(f"source {source} is no document")
        old = self._figures.get(name, {}).get("value")
        self._figures[name] = {"value": value, "unit": unit, "source": source}
        return {"name": name, "old": old, "new": value, "unit": unit, "figures": len(self._figures)}

    def set_assumption(self, name: str, value: float) -> dict[str, Any]:
        """Set an assumption that computed figures rest on."""
        old, self._assumptions[name] = self._assumptions.get(name), value
        return {"name": name, "old": old, "new": value}

    def get_figures(self, prefix: str) -> dict[str, Any]:
        """Figures whose name begins so."""
        return {name: figure for name, figure in self._figures.items() if name.startswith(prefix)}

    def convert_costs(self) -> dict[str, Any]:
        """Set every site's cost in EUR from its cost in USD and the assumption ``usd_to_eur``."""
        rate = self._assumptions["usd_to_eur"]
        costs = {name.removesuffix(".cost"): figure["value"] for name, figure in self._figures.items() if name.endswith(".cost")}
        for code, cost in costs.items():
            self._figures[f"{code}.cost_eur"] = {"value": round(cost * rate, 1), "unit": "EUR/kWh", "source": "computed"}
        return {"usd_to_eur": rate, "converted": {code: round(cost * rate, 1) for code, cost in costs.items()}}

    def summarize(self, metric: str, leave_out: list[str]) -> dict[str, Any]:
        """Count, mean, lowest and highest of a metric over all sites but some."""
        values = {
            name.split(".")[0]: figure["value"]
            for name, figure in self._figures.items()
            if name.endswith(f".{metric}") and name.split(".")[0] not in leave_out
        }
        if not values:
            raise ValueError(f"no figures for {metric}")
        low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        mean = round(fsum(values.values()) / len(values), 2)
        return {"metric": metric, "sites": len(values), "mean": mean, "lowest": [low, values[low]], "highest": [high, values[high]]}

    def tools(self) -> list[Tool]:
        """What the agent gets."""
        text, number, whole = {"type": "string"}, {"type": "number"}, {"type": "integer", "minimum": 1}

        def tool(function: Callable[..., Any], description: str, *required: str, **properties: Any) -> Tool:
            return Tool(name=function.__name__, description=description, parameters=schema(*required, **properties), function=function)

        return [
            tool(self.list_documents, "List documents by id prefix.", prefix=text),
            tool(self.open_document, "Open one document.", "id", id=text),
            tool(self.search_documents, "Find documents that hold some words.", "words", words=text, limit=whole),
            tool(
                self.record_figure,
                "Record a figure with its source.",
                "name",
                "value",
                "unit",
                "source",
                name=text,
                value=number,
                unit=text,
                source=text,
            ),
            tool(self.set_assumption, "Set an assumption.", "name", "value", name=text, value=number),
            tool(self.get_figures, "Figures by name prefix.", "prefix", prefix=text),
            tool(self.convert_costs, "Convert all costs to EUR by the assumption usd_to_eur."),
            tool(
                self.summarize,
                "Count, mean, lowest and highest of a metric.",
                "metric",
                "leave_out",
                metric=text,
                leave_out={"type": "array", "items": text},
            ),
            todo_write(),
        ]
