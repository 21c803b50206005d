"""Commands that weigh policies against each other."""

from __future__ import annotations

from ctxcore.cli.app import app, examples
from ctxcore.cli.options import AsJson, Plugins, load_plugins, print_answer
from ctxcore.views.policies import policies_json, policies_table


@app.command(epilog=examples("policies", "policies --json"))
def policies(plugin: Plugins = None, as_json: AsJson = False) -> None:
    """List the rules that can trim, their settings, and where each comes from."""
    load_plugins(plugin)
    print_answer(policies_json() if as_json else policies_table(), as_json=as_json)
