"""One fixed colour per category, for light and dark pages, and the marks for what is dropped or refused.

Hues are those of Okabe and Ito, told apart with any colour vision, with greys for the categories that are rarely large; dropped and refused are
striped as well, so that no meaning rests on colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "system": "#4B5D73",
    "tools": "#CC79A7",
    "user": "#009E73",
    "assistant_text": "#0072B2",
    "reasoning": "#8C7AD1",
    "tool_calls": "#E69F00",
    "tool_results": "#56B4E9",
    "media": "#8C564B",
    "summary": "#D55E00",
    "other": "#8F8F8F",
    "frame": "#BCC4CE",
    "dropped": "#66707D",
    "refused": "#C2183C",
    "window": "#7A3E9D",
    "safe": "#8A6D00",
    "kept": "#0B6B4F",
    "pinned": "#0B5CAD",
    "exact": "#0B5CAD",
    "distilled": "#A85200",
}
"""On a white page."""

DARK: Mapping[str, str] = {
    "system": "#8FA3BC",
    "tools": "#E3A0C6",
    "user": "#2FC79A",
    "assistant_text": "#3F97D6",
    "reasoning": "#B9ABEC",
    "tool_calls": "#F0B73A",
    "tool_results": "#8BD0F7",
    "media": "#C08A7D",
    "summary": "#F08243",
    "other": "#A5A5A5",
    "frame": "#56616F",
    "dropped": "#9AA5B2",
    "refused": "#FF6B81",
    "window": "#C79BE8",
    "safe": "#D9BC4A",
    "kept": "#5FD3A8",
    "pinned": "#7FBCF5",
    "exact": "#7FBCF5",
    "distilled": "#F0A04B",
}
"""On a dark page."""

PALETTE: Mapping[str, Mapping[str, str]] = {"light": LIGHT, "dark": DARK}
"""Both, as the components take them."""

WORDS: Mapping[str, str] = {
    "system": "System and developer",
    "tools": "Tool definitions",
    "user": "User",
    "assistant_text": "Assistant text",
    "reasoning": "Reasoning",
    "tool_calls": "Tool calls",
    "tool_results": "Tool results",
    "media": "Media",
    "summary": "Summary",
    "other": "Other",
    "frame": "Brackets and separators",
}
"""What a category is called on a page."""


INKS = {"light": "#0B121B", "dark": "#E6EBF2"}
"""Colour of a page's text by theme; what a figure writes is as easy to read."""


def luminance(colour: str) -> float:
    """Relative luminance of ``#RRGGBB``, 0 is black and 1 is white. Source: WCAG 2.2, "relative luminance"."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, colour))
