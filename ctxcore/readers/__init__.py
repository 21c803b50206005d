"""Recorded formats: one file and one line of ``READERS`` each, most specific first."""

from __future__ import annotations

from ctxcore.readers.agents_session import AgentsSession
from ctxcore.readers.agents_trace import AgentsTrace
from ctxcore.readers.aider import Aider
from ctxcore.readers.answers import Answers
from ctxcore.readers.anthropic_messages import AnthropicMessages
from ctxcore.readers.atif import ATIF
from ctxcore.readers.autogen import AutoGen
from ctxcore.readers.batch import Batch
from ctxcore.readers.cassette import Cassette
from ctxcore.readers.claude_code import ClaudeCode
from ctxcore.readers.claude_stream import ClaudeStream
from ctxcore.readers.cline import Cline, RooCode
from ctxcore.readers.codex import Codex
from ctxcore.readers.copilot import CopilotCLI
from ctxcore.readers.cursor import Cursor
from ctxcore.readers.gemini import Gemini
from ctxcore.readers.gemini_cli import GeminiCLI
from ctxcore.readers.goose import Goose
from ctxcore.readers.har import Har
from ctxcore.readers.helicone import Helicone
from ctxcore.readers.http_pairs import HttpPairs
from ctxcore.readers.inspect_log import Inspect
from ctxcore.readers.kimi import Kimi
from ctxcore.readers.langchain import LangChain
from ctxcore.readers.langfuse import Langfuse
from ctxcore.readers.langgraph import LangGraph
from ctxcore.readers.langgraph_sqlite import LangGraphCheckpoints
from ctxcore.readers.langsmith import LangSmith
from ctxcore.readers.letta import Letta
from ctxcore.readers.litellm import LiteLLM
from ctxcore.readers.managed_agents import ManagedAgents
from ctxcore.readers.mini_swe_agent import MiniSWEAgent
from ctxcore.readers.openai_chat import OpenAIChat
from ctxcore.readers.openai_responses import OpenAIResponses
from ctxcore.readers.opencode import Opencode
from ctxcore.readers.openhands import OpenHands
from ctxcore.readers.otel import OpenInference, OTelGenAI, Phoenix
from ctxcore.readers.pi import Pi
from ctxcore.readers.protocol import Reader
from ctxcore.readers.pydantic_ai import PydanticAI
from ctxcore.readers.run_log import RunLog
from ctxcore.readers.sharegpt import ShareGPT
from ctxcore.readers.smolagents import SmolAgents
from ctxcore.readers.swe_agent import SWEAgent
from ctxcore.readers.tau2_bench import Tau2Bench
from ctxcore.readers.tau_bench import TauBench
from ctxcore.readers.terminal_bench import TerminalBench
from ctxcore.readers.toolbench import ToolBench
from ctxcore.readers.vercel_ai import VercelAI

READERS: tuple[Reader, ...] = (
    OpenInference(),
    OTelGenAI(),
    Phoenix(),
    Langfuse(),
    LangSmith(),
    LangGraph(),
    LangGraphCheckpoints(),
    LangChain(),
    PydanticAI(),
    VercelAI(),
    ClaudeCode(),
    ClaudeStream(),
    Codex(),
    Inspect(),
    ATIF(),
    OpenHands(),
    SWEAgent(),
    MiniSWEAgent(),
    TauBench(),
    Tau2Bench(),
    TerminalBench(),
    CopilotCLI(),
    GeminiCLI(),
    Gemini(),
    Pi(),
    Opencode(),
    Goose(),
    Kimi(),
    ManagedAgents(),
    Aider(),
    Cursor(),
    Cline(),
    RooCode(),
    RunLog(),
    HttpPairs(),
    Har(),
    Cassette(),
    Batch(),
    LiteLLM(),
    Helicone(),
    AgentsTrace(),
    AgentsSession(),
    SmolAgents(),
    ShareGPT(),
    AutoGen(),
    Letta(),
    ToolBench(),
    OpenAIResponses(),
    AnthropicMessages(),
    OpenAIChat(),
    Answers(),
)
"""Every format, in the order they are tried."""
