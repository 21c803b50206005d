"""Starts the dashboard for the command line: this machine only, with the settings of ``config.toml``."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import tomllib
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from ctxcore.errors import InputError

HERE = Path(__file__).resolve().parent

CONFIG_FILES = (HERE.parent / ".streamlit" / "config.toml", HERE / "config.toml")
"""The one source of the settings, in a checkout and in an installed package."""

FIRST_PORT, PORTS_TRIED = 8501, 50
"""Where the search for a free port begins, and how far it goes."""

LOCAL = ("127.0.0.1", "localhost", "::1")
"""Addresses at which nobody else reaches the server."""

ENDPOINTS = "CTXSCOPE_ENDPOINTS"
"""Environment variable that lets the page Lab ask real models: whoever types an address there makes this machine send requests to it."""

START_SECONDS = 30
"""How long to wait for the server before the browser is not opened."""


QUIET = {"logger.hideWelcomeMessage": True}
"""The command says itself where the dashboard is and how to stop it; ``streamlit run app.py`` says it in its own words."""


def settings() -> dict[str, Any]:
    """Streamlit's options by dotted name, as in the file beside the pages."""
    file = next(path for path in CONFIG_FILES if path.is_file())
    return dict(_flat(tomllib.loads(file.read_text(encoding="utf-8")), ""))


def _flat(section: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def launch(*, port: int | None, browser: bool, tell: Callable[[str], None]) -> None:
    """Serve the dashboard until it is stopped.

    Args:
        port: On this machine; None takes the first free one.
        browser: Open a browser once the server answers.
        tell: Gets the address before the server starts.

    Raises:
        InputError: The port is taken.
    """
    options = settings()
    address = str(options["server.address"])
    chosen = _free_port(address, port)
    if browser and _has_screen():
        threading.Thread(target=_show, args=(address, chosen), daemon=True).start()
    if address in LOCAL:  # one person on their own machine; an operator who set it to anything else is obeyed
        os.environ.setdefault(ENDPOINTS, "1")
    tell(f"http://{address}:{chosen}/")
    st.App(HERE / "_shell.py").run(config={**options, **QUIET, "server.port": chosen})


def _free_port(address: str, wanted: int | None) -> int:
    tried = range(FIRST_PORT, FIRST_PORT + PORTS_TRIED) if wanted is None else (wanted,)
    for port in tried:
        if _is_free(address, port):
            return port
    if wanted is None:
        raise InputError(f"All ports from {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} are taken. Name a free one with --port.")
    raise InputError(f"Port {wanted} is taken or not allowed. Name another one with --port.")


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def _has_screen() -> bool:
    """False where only a text browser could open, which would take over the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _show(address: str, port: int) -> None:
    """Open a browser as soon as the server takes connections."""
    last = time.monotonic() + START_SECONDS
    while time.monotonic() < last:
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                webbrowser.open(f"http://{address}:{port}/")
                return
        time.sleep(0.2)
