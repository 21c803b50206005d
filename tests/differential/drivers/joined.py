"""Lists in which all results of one exchange are one message, as several packages hold them."""


def entries(chats):
    """Indexes of the messages that each entry is made of, system messages left out; results in a row are one entry.

    Args:
        chats: Messages in chat form.
    """
    found = []
    for index, chat in enumerate(chats):
        if chat["role"] in ("system", "developer"):
            continue
        if chat["role"] == "tool" and found and chats[found[-1][-1]]["role"] == "tool":
            found[-1].append(index)
        else:
            found.append([index])
    return found


def with_system(chats, kept, notice=None, before=None):
    """Pairs for an outcome: what was kept and all system messages, in order, and a notice before an index (None: at the end).

    Args:
        chats: Messages in chat form.
        kept: Index → message in chat form as it would be sent.
        notice: A message that was put in.
        before: Index that it stands before.
    """
    pairs = []
    for index, chat in enumerate(chats):
        if notice is not None and index == before:
            pairs.append((None, notice))
        if index in kept or chat["role"] in ("system", "developer"):
            pairs.append((index, kept.get(index, chat)))
    return [*pairs, (None, notice)] if notice is not None and before is None else pairs
