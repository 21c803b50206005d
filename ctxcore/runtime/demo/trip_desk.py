"""Real tools of a booking office: connections by day, terms of carriers, a book of trips."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import count
from typing import Any

from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool

CARRIERS = (("Aldine Rail", "rail", 89), ("Brisa Coaches", "coach", 41), ("Corvo Air", "flight", 132), ("Dunas Air", "flight", 118))
"""Name, means, price in euros of its first connection of a day. Invented."""

HOURS = (6, 8, 10, 13, 15, 18, 20)
"""Departures of each carrier."""

SUBJECTS = ("changes", "refunds", "luggage", "delays", "children", "seats", "bicycles", "pets", "payment", "documents")
"""What each carrier's terms speak of."""

TERMS = (
    "{carrier}, {subject}: what this section says applies to every {means} ticket that was bought from {carrier} itself or from this office. "
    "Requests about {subject} are taken until {hours} hours before departure, in writing or at the counter. "
    "After that {carrier} decides case by case and may keep {share} percent of the fare."
)
"""A section of terms."""


class TripDesk:
    """One customer's bookings."""

    def __init__(self) -> None:
        """An empty book."""
        self._numbers = count(1)

    def search_connections(self, destination: str, day: str) -> dict[str, Any]:
        """Connections to a city on a day; the price moves with hour and weekday."""
        weekday = date.fromisoformat(day).weekday()
        rows = [
            {
                "carrier": name,
                "means": means,
                "destination": destination,
                "day": day,
                "departure": f"{hour:02d}:{10 * n:02d}",
                "eur": price + 3 * n + 2 * weekday,
            }
            for name, means, price in CARRIERS
            for n, hour in enumerate(HOURS[:6])
        ]
        return {"connections": rows}

    def read_terms(self, carrier: str) -> dict[str, Any]:
        """The terms of a carrier."""
        for place, (name, means, _) in enumerate(CARRIERS):
            if name == carrier:
                return {
                    s: TERMS.format(carrier=name, subject=s, means=means, hours=12 + 6 * place + n, share=20 + 5 * n) for n, s in enumerate(SUBJECTS)
                }
        raise ValueError(f"No carrier {carrier!r}. There are {', '.join(name for name, _, _ in CARRIERS)}.")

    def book_trip(self, origin: str, destination: str, departure_date: str, return_date: str = "", travellers: int = 1) -> dict[str, Any]:
        """Book a trip."""
        days = [date.fromisoformat(day).isoformat() for day in (departure_date, return_date) if day]
        return {"booking": f"B{next(self._numbers):03d}", "route": f"{origin} - {destination}", "days": days, "travellers": travellers}

    def cancel_trip(self, booking: str) -> dict[str, Any]:
        """Cancel a booking."""
        return {"cancelled": booking}

    def tools(self) -> list[Tool]:
        """What the assistant gets."""
        text, whole, day = {"type": "string"}, {"type": "integer", "minimum": 1}, {"type": "string", "description": "YYYY-MM-DD"}

        def tool(function: Callable[..., Any], description: str, *required: str, **properties: Any) -> Tool:
            return Tool(name=function.__name__, description=description, parameters=schema(*required, **properties), function=function)

        trip = {"origin": text, "destination": text, "departure_date": day, "return_date": day, "travellers": whole}
        return [
            tool(self.search_connections, "Find connections to a city on a day.", "destination", "day", destination=text, day=day),
            tool(self.read_terms, "Read the terms of a carrier.", "carrier", carrier=text),
            tool(self.book_trip, "Book a trip.", "origin", "destination", "departure_date", **trip),
            tool(self.cancel_trip, "Cancel a booking.", "booking", booking=text),
        ]
