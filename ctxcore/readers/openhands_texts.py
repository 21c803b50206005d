"""How OpenHands words its events for the model.

Source: OpenHands ``memory/conversation_memory.py``, ``events/observation/{commands,files,error}.py``, ``events/serialization/event.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ctxcore.model import Json
from ctxcore.readers.values import compact_json, items, mapping, text, whole

MAX_MESSAGE_CHARS: Final = 30_000
"""Longest observation in a prompt, where the log does not say. Source: OpenHands ``core/config/llm_config.py``."""

CUT: Final = "\n[... Observation truncated due to length ...]\n"

FAILED: Final = "\n[Error occurred in processing last action]"

REJECTED: Final = "\n[Last action has been rejected by the user]"

BY_USER: Final = "\nObserved result of command executed by user:\n"

IMAGE_LINE: Final = "![image](data:image/png;base64,"

SHOWN_IMAGE: Final = "![image](data:image/png;base64, ...) already displayed to user"

NOT_ARGUMENTS: Final = frozenset(
    {"thought", "confirmation_state", "security_risk", "impl_source", "translated_ipython_code", "is_confirmed", "hidden"}
)
"""What OpenHands adds to an action and no model wrote."""


def truncated(words: str, limit: int) -> str:
    """The words as they go into a prompt: the middle left out where they are too long."""
    if len(words) <= limit:
        return words
    half = limit // 2
    return words[:half] + CUT + words[len(words) - half :]


def command_result(output: str, metadata: Mapping[str, Json]) -> str:
    """Output of a command with what the program adds about folder, interpreter and exit code."""
    words = f"{text(metadata.get('prefix'))}{output}{text(metadata.get('suffix'))}"
    if metadata.get("working_dir"):
        words += f"\n[Current working directory: {metadata['working_dir']}]"
    if metadata.get("py_interpreter_path"):
        words += f"\n[Python interpreter: {metadata['py_interpreter_path']}]"
    code = metadata.get("exit_code", -1)
    return words if code == -1 else f"{words}\n[Command finished with exit code {code}]"


def observation_text(kind: str, event: Mapping[str, Json], *, asked: bool, limit: int) -> str:
    """An observation as the model reads it.

    Args:
        kind: Its type.
        event: The event.
        asked: A tool call of the model asked for it; else a person did.
        limit: Longest text in characters.
    """
    content, extras = text(event.get("content")), mapping(event.get("extras"))
    if kind == "read":
        return content
    head = tail = ""
    match kind:
        case "run" if "metadata" in extras or asked:
            content = ("" if asked else BY_USER) + command_result(content, mapping(extras.get("metadata")))
        case "edit":
            content = text(extras.get("formatted_output_and_error")) or content
        case "run_ipython":
            content = "\n".join(SHOWN_IMAGE if IMAGE_LINE in line else line for line in content.split("\n"))
        case "delegate":
            content = text(mapping(extras.get("outputs")).get("content")) or content
        case "error":
            tail = FAILED
        case "user_rejected":
            head, tail = "OBSERVATION:\n", REJECTED
    return head + truncated(content, limit) + tail


def recall_text(extras: Mapping[str, Json]) -> str:
    """What a recall adds to the prompt, without the fixed words around it, which the log does not hold."""
    parts = [text(extras.get(key)) for key in ("repo_name", "repo_directory", "repo_branch", "working_dir")]
    parts += [text(extras.get(key)) for key in ("repo_instructions", "additional_agent_instructions", "date", "conversation_instructions")]
    parts += [f"{host} (port {port})" for host, port in mapping(extras.get("runtime_hosts")).items()]
    parts += [f"{name}: {words}" for name, words in mapping(extras.get("custom_secrets_descriptions")).items()]
    parts += [text(mapping(agent).get("content")) for agent in items(extras.get("microagent_knowledge"))]
    return "\n".join(part for part in parts if part.strip())


def action_call(kind: str, args: Mapping[str, Json]) -> tuple[str, str]:
    """Name and arguments of the tool call that an action stands for, where the model's own words are not kept."""
    return kind, compact_json({key: value for key, value in args.items() if key not in NOT_ARGUMENTS and value not in (None, "")})


def message_limit(config: Json) -> int | None:
    """``max_message_chars`` of a model's settings, where there is one."""
    return whole(mapping(config).get("max_message_chars")) or None
