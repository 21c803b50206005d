"""Every policy that ships: one file each, and one line of ``POLICIES``."""

from __future__ import annotations

from ctxcore.policies.catalog.adk_compaction import AdkCompaction
from ctxcore.policies.catalog.adk_context_filter import AdkContextFilter
from ctxcore.policies.catalog.agent_framework_composed import AgentFrameworkComposed
from ctxcore.policies.catalog.agent_framework_context_window import AgentFrameworkContextWindow
from ctxcore.policies.catalog.agent_framework_sliding_window import AgentFrameworkSlidingWindow
from ctxcore.policies.catalog.agent_framework_summarization import AgentFrameworkSummarization
from ctxcore.policies.catalog.agent_framework_tool_calls import AgentFrameworkToolCalls
from ctxcore.policies.catalog.agent_framework_tool_results import AgentFrameworkToolResults
from ctxcore.policies.catalog.agent_framework_truncation import AgentFrameworkTruncation
from ctxcore.policies.catalog.agents_tool_output_trimmer import AgentsToolOutputTrimmer
from ctxcore.policies.catalog.anthropic_clear_thinking import AnthropicClearThinking
from ctxcore.policies.catalog.anthropic_clear_tool_uses import AnthropicClearToolUses
from ctxcore.policies.catalog.anthropic_compaction import AnthropicCompaction
from ctxcore.policies.catalog.autogen_buffered import AutogenBuffered
from ctxcore.policies.catalog.autogen_head_and_tail import AutogenHeadAndTail
from ctxcore.policies.catalog.autogen_token_limited import AutogenTokenLimited
from ctxcore.policies.catalog.claude_code_autocompact import ClaudeCodeAutocompact
from ctxcore.policies.catalog.claude_code_microcompact import ClaudeCodeMicrocompact
from ctxcore.policies.catalog.cline_agentic import ClineAgentic
from ctxcore.policies.catalog.cline_basic import ClineBasic
from ctxcore.policies.catalog.cline_half_or_quarter import ClineHalfOrQuarter
from ctxcore.policies.catalog.codex_compact import CodexCompact
from ctxcore.policies.catalog.compact import Compact
from ctxcore.policies.catalog.deepagents_clip_arguments import DeepagentsClipArguments
from ctxcore.policies.catalog.factory_merge import FactoryMerge
from ctxcore.policies.catalog.gemini_compress import GeminiCompress
from ctxcore.policies.catalog.gemini_mask_tool_outputs import GeminiMaskToolOutputs
from ctxcore.policies.catalog.goose_compact import GooseCompact
from ctxcore.policies.catalog.langchain_clear_tool_uses import LangchainClearToolUses
from ctxcore.policies.catalog.langchain_summarization import LangchainSummarization
from ctxcore.policies.catalog.langchain_trim import LangchainTrim
from ctxcore.policies.catalog.langmem_summary import LangmemSummary
from ctxcore.policies.catalog.letta_summarize import LettaSummarize
from ctxcore.policies.catalog.llamaindex_buffer import LlamaindexBuffer
from ctxcore.policies.catalog.llamaindex_memory import LlamaindexMemory
from ctxcore.policies.catalog.llamaindex_summary_buffer import LlamaindexSummaryBuffer
from ctxcore.policies.catalog.mini_swe_agent_clip import MiniSweAgentClip
from ctxcore.policies.catalog.none import NoTrim
from ctxcore.policies.catalog.openai_compaction import OpenaiCompaction
from ctxcore.policies.catalog.openai_truncation import OpenaiTruncation
from ctxcore.policies.catalog.opencode_compaction import OpencodeCompaction
from ctxcore.policies.catalog.opencode_prune import OpencodePrune
from ctxcore.policies.catalog.openhands_amortized_forgetting import OpenhandsAmortizedForgetting
from ctxcore.policies.catalog.openhands_browser_output import OpenhandsBrowserOutput
from ctxcore.policies.catalog.openhands_conversation_window import OpenhandsConversationWindow
from ctxcore.policies.catalog.openhands_observation_masking import OpenhandsObservationMasking
from ctxcore.policies.catalog.openhands_recent_events import OpenhandsRecentEvents
from ctxcore.policies.catalog.openhands_sdk_summarize import OpenhandsSdkSummarize
from ctxcore.policies.catalog.openhands_summarize import OpenhandsSummarize
from ctxcore.policies.catalog.pydantic_ai_clamp import PydanticAiClamp
from ctxcore.policies.catalog.pydantic_ai_clear_tool_results import PydanticAiClearToolResults
from ctxcore.policies.catalog.pydantic_ai_deduplicate_reads import PydanticAiDeduplicateReads
from ctxcore.policies.catalog.pydantic_ai_sliding_window import PydanticAiSlidingWindow
from ctxcore.policies.catalog.pydantic_ai_summarizing import PydanticAiSummarizing
from ctxcore.policies.catalog.pydantic_ai_tiered import PydanticAiTiered
from ctxcore.policies.catalog.roo_condense import RooCondense
from ctxcore.policies.catalog.roo_truncate import RooTruncate
from ctxcore.policies.catalog.semantic_kernel_summarization import SemanticKernelSummarization
from ctxcore.policies.catalog.semantic_kernel_truncation import SemanticKernelTruncation
from ctxcore.policies.catalog.smolagents_clip import SmolagentsClip
from ctxcore.policies.catalog.strands_sliding_window import StrandsSlidingWindow
from ctxcore.policies.catalog.strands_summarizing import StrandsSummarizing
from ctxcore.policies.catalog.swe_agent_closed_window import SweAgentClosedWindow
from ctxcore.policies.catalog.swe_agent_last_observations import SweAgentLastObservations
from ctxcore.policies.catalog.swe_agent_remove_regex import SweAgentRemoveRegex
from ctxcore.policies.catalog.vercel_prune import VercelPrune
from ctxcore.policies.catalog.whole_units import WholeUnits
from ctxcore.policies.catalog.whole_units_sticky import WholeUnitsSticky
from ctxcore.policies.protocol import Policy

POLICIES: tuple[type[Policy], ...] = (
    WholeUnits,
    WholeUnitsSticky,
    NoTrim,
    Compact,
    LangchainTrim,
    LangchainClearToolUses,
    LangchainSummarization,
    DeepagentsClipArguments,
    LangmemSummary,
    LlamaindexBuffer,
    LlamaindexMemory,
    LlamaindexSummaryBuffer,
    PydanticAiSlidingWindow,
    PydanticAiClearToolResults,
    PydanticAiDeduplicateReads,
    PydanticAiClamp,
    PydanticAiTiered,
    PydanticAiSummarizing,
    AutogenBuffered,
    SweAgentLastObservations,
    SweAgentClosedWindow,
    SweAgentRemoveRegex,
    MiniSweAgentClip,
    SmolagentsClip,
    OpenhandsRecentEvents,
    OpenhandsObservationMasking,
    OpenhandsBrowserOutput,
    OpenhandsAmortizedForgetting,
    OpenhandsConversationWindow,
    OpenhandsSummarize,
    OpenhandsSdkSummarize,
    OpencodePrune,
    OpencodeCompaction,
    GeminiMaskToolOutputs,
    GeminiCompress,
    ClaudeCodeMicrocompact,
    ClaudeCodeAutocompact,
    CodexCompact,
    RooTruncate,
    RooCondense,
    ClineHalfOrQuarter,
    ClineBasic,
    ClineAgentic,
    GooseCompact,
    LettaSummarize,
    FactoryMerge,
    AutogenHeadAndTail,
    AutogenTokenLimited,
    SemanticKernelTruncation,
    SemanticKernelSummarization,
    AdkContextFilter,
    AdkCompaction,
    AgentFrameworkTruncation,
    AgentFrameworkSlidingWindow,
    AgentFrameworkToolCalls,
    AgentFrameworkToolResults,
    AgentFrameworkContextWindow,
    AgentFrameworkComposed,
    AgentFrameworkSummarization,
    StrandsSlidingWindow,
    StrandsSummarizing,
    VercelPrune,
    AnthropicClearToolUses,
    AnthropicClearThinking,
    AnthropicCompaction,
    OpenaiTruncation,
    OpenaiCompaction,
    AgentsToolOutputTrimmer,
)
"""Default first."""
