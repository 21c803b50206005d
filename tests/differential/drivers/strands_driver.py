"""strands-agents."""

import json
from types import SimpleNamespace

from chat import outcome, serve, size
from joined import entries, with_system
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.types.exceptions import ContextWindowOverflowException


def message_of(chats):
    """One Strands message of a chat message, or of several results."""
    first = chats[0]
    if first["role"] == "tool":
        answers = [{"toolUseId": c["tool_call_id"], "status": "success", "content": [{"text": c["content"]}]} for c in chats]
        return {"role": "user", "content": [{"toolResult": answer} for answer in answers]}
    texts = [{"text": first["content"]}] if first["content"] else []
    calls = [
        {"toolUse": {"toolUseId": c["id"], "name": c["function"]["name"], "input": json.loads(c["function"]["arguments"])}}
        for c in first.get("tool_calls", ())
    ]
    return {"role": first["role"], "content": [*texts, *calls]}


class Agent:
    """The list of an agent and its manager, as messages come and calls are made."""

    def __init__(self, job):
        self.chats, self.settings = job["messages"], dict(job["settings"])
        self.share = self.settings.pop("proactive_compression", 0)
        self.start()

    def start(self):
        self.manager = self.make()
        self.agent = SimpleNamespace(messages=[])
        self.home, self.taken, self.done = {}, 0, 0

    def make(self):
        return SlidingWindowConversationManager(**{**self.settings, "per_turn": self.settings.get("per_turn") or False})

    def call(self, length, fixed, budget):
        """Take what has come, and do what happens at a call."""
        if length < self.done:
            self.start()
        self.done = length
        groups = entries(self.chats[:length])
        for number in range(self.taken, len(groups)):
            self.take(groups, number)
        self.taken = len(groups)
        system = sum(size(chat) for chat in self.chats[:length] if chat["role"] in ("system", "developer"))

        def filled():
            return fixed + system + sum(size(chat) for chat in self.kept().values())

        if self.share and filled() >= self.share * budget:
            self.manager.reduce_context(self.agent)
        if hasattr(self.manager, "_on_before_model_call"):
            self.manager._on_before_model_call(SimpleNamespace(agent=self.agent))
        self.recover(lambda: filled() <= budget)
        return with_system(self.chats[:length], self.kept())

    def recover(self, fits):
        """Reduce as often as the provider would refuse, until nothing changes: the real loop would go on for ever then."""
        before = None
        while not fits() and before != self.kept():
            before = self.kept()
            try:
                self.manager.reduce_context(self.agent, e=RuntimeError("too long"))
            except ContextWindowOverflowException:
                return

    def take(self, groups, number):
        """Before a user's message that begins a turn, the turn before it ends."""
        chat = self.chats[groups[number][0]]
        if chat["role"] == "user" and chat["content"].strip() and not (number and self.chats[groups[number - 1][0]]["role"] == "user"):
            self.manager.apply_management(self.agent)
        message = message_of([self.chats[index] for index in groups[number]])
        self.home[id(message)] = (groups[number], message)
        self.agent.messages.append(message)

    def kept(self):
        """Index → message in chat form."""
        found = {}
        for message in self.agent.messages:
            group = self.home.get(id(message), ((), None))[0]
            for order, index in enumerate(group):
                found[index] = self.chats[index]
                if self.chats[index]["role"] == "tool":
                    text = message["content"][order]["toolResult"]["content"][0]["text"]
                    found[index] = {**self.chats[index], "content": text}
        return found


class Summary(SummarizingConversationManager):
    """Its summaries have no size."""

    def _generate_summary(self, messages, agent):
        return {"role": "user", "content": [{"text": "A summary."}]}


class SummarizingAgent(Agent):
    """The other manager; it does nothing after a turn."""

    def make(self):
        return Summary(**{name: value for name, value in self.settings.items() if name not in ("summary", "ratio")})


def sliding_window(job):
    return calls_of(Agent(job), job)


def summarizing(job):
    return calls_of(SummarizingAgent(job), job)


def calls_of(agent, job):
    return [outcome(job, agent.call(length, fixed, job["budget"])) for length, fixed in job["calls"]]


if __name__ == "__main__":
    serve({"sliding_window": sliding_window, "summarizing": summarizing})
