"""How a value is said: bounds, about, questions, negation, hearsay, conditions, changes — heard in the words around it."""

from __future__ import annotations

import re

from ctxcore.state.found import Shade
from ctxcore.state.text_rules.doubts import is_uncertain
from ctxcore.state.text_rules.owners import of_others
from ctxcore.state.text_rules.reading import Draft, Reading

_I = re.IGNORECASE
_NUMBERS = frozenset(("money", "count"))

NEAR = 28
"""Code points before a number in which its bounds are heard."""

DOUBT = 40
"""Code points after a value in which it may be doubted."""

_MAX_BEFORE = re.compile(
    r"(?:(?:不|别)(?:要|能|可以|可|得|会|应该|应|许|想|准)?(?:超[过過出]|高于|高於|大于|多于)|最多|至多|最高|顶多|不高于|不高於|不多于|不大于|低于|少于|小于|上限(?:是|为|:|：)?|封顶|最大|最贵|限额|"
    r"\bunder|\bbelow|\bat most|\bat the most|\bno more than|\bnot more than|\bnot over|\bnot exceed(?:ing)?|n't exceed|(?<!\bit )(?<!\bthat )\bup to|\bmax(?:imum)?(?: of| is)?|\bless than|\bfewer than|\bcheaper than|\blower than|\bsmaller than|\bwithin|"
    r"\bcapped at|\bcap (?:of|is|at)|\bno higher than|≤|<=?)[\s:：]*(?:[出花付给要有能在到是为我用买住提前]{1,3}|可以|接受|about|around|the|a|an|[$€£¥￥])?\s*$",
    _I,
)
_MAX_AFTER = re.compile(
    r"\s*(?:人民币)?(?:以内|以內|之内|之內|以下|封顶|内(?!存|容|部)|为限|or less|or under|or below|or fewer|max\b|maximum|tops\b|at most|and under|at the most)",
    _I,
)
_MIN_BEFORE = re.compile(
    r"(?:至少|最少|最低|不低于|不少于|不小于|起码|(?<!不)(?<!能)(?<!要)(?<!会)(?<!可)(?<!别)超[过過]|大于|高于|多于|\bat least|\bno less than|\bnot less than|\bmin(?:imum)?(?: of| is)?|\bmore than|(?<!not )\bover|\babove|"
    r"\bgreater than|\bolder than|≥|>=?)[\s:：]*(?:[出花付给要有能在到是为我用买住提前]{1,3}|需要|[$€£¥￥])?\s*$",
    _I,
)
_NO_LESS = re.compile(
    r"(?:(?:不|别)(?:要|能|可以|可|得|会|应该|应|许|想|准)?(?:低于|低於|少于|小于)|不下于|\b(?:no|not|n't|never)(?: be| cost)? (?:less|fewer|lower|smaller|cheaper) than)\s*[$€£¥￥]?\s*$",
    _I,
)
"""Says the opposite of the words it ends with, so it is heard first."""
_MIN_AFTER = re.compile(r"\s*(?:以上|之上|起(?!来|床|飞)|or more|or above|or over|and up|and above|\+|at least)", _I)
_STRICT = re.compile(r"(?:more than|over|above|greater than|older than|超[过過]|大于|高于|多于|>)\s*[$€£¥￥]?\s*$", _I)
_ABOUT_BEFORE = re.compile(
    r"(?:大约|大約|大概|约|約|差不多|将近|接近|近|\baround|\babout|\bapprox(?:imately|\.)?|\broughly|\bnearly|\balmost|\bcirca|~|≈|\bsome|\bsomewhere around)\s*(?:[出花付给要有能在到是为用了]{1,2}|需要|[$€£¥￥]|a|an)?\s*$",
    _I,
)
_ABOUT_AFTER = re.compile(r"\s*(?:左右|上下|前后|来块|-?ish\b|or so|give or take|more or less)", _I)
_THAN = re.compile(r"\bthan (?:the |a |an )?$|比$", _I)
"""Rather blue than red: the second is not wanted."""
_BUDGET = re.compile(r"预算|預算|budget", _I)

_CHANGE_BEFORE = re.compile(
    r"(?:再加|另加|另收|多加|再多|再减|(?<![至最不减缺])少|(?<![参更增添外])加|(?<!上)涨|(?<!增)减|(?<!下)降|便宜|贵|\badd(?: another)?|\banother|\bextra|\badditional|\bincrease(?:d)? by|\braise(?:d)? by|\breduce(?:d)? by|\blower(?:ed)? by|\bplus|\bminus)(?:了)?\s*[$€£¥￥]?\s*$",
    _I,
)
_CHANGED_BY = re.compile(r"\b(?:by|divided? .{1,20} by|multipl\w+ .{1,20} by)\s*(?:another |about |around |up to |at least )?[$€£¥￥]?\s*$", _I)
_CHANGE_AFTER = re.compile(r"\s*(?:more\b(?! or less)(?! than)|extra\b|less\b|cheaper|higher|lower|off\b)", _I)
_CHANGE_NOT = re.compile(r"(?:or|and)\s*$", _I)

_NOT = re.compile(
    r"(?:不要|不想要|不想|别要|别买|别用|不(?:太|怎么|是很|大|再|是太)?喜欢|不是|並非|并非|(?<!有)没有|(?<!有)沒有|(?<!有)没(?![收])|不用|不需要|不接受|不考虑|除了|拒绝|讨厌|不再|不选|不能(?:是|用)|(?<![特级分性个])别(?!的|人|处|忘)|不(?=买|订|选|穿|在|去)|"
    r"\bnot(?! only| mind| forget)\b|n't\b(?! (?:mind|forget|wait))|\bno\b(?! problem| more than| less than| higher| wait| later)|\bwithout\b|\bexcept\b|\bother than\b|\bnever\b|\binstead of\b|\brather than\b|\banything but\b|\bavoid\b|\bneither\b|\bnor\b|\bhate\b)",
    _I,
)
_NOT_ENDS = re.compile(
    r"而是|就(?![不没别无])|[而但就才换要是](?:是|要|换|改)|\bbut\b|\bit's\b|(?<!n't )(?<!not )(?<!never )\b(?:make|get|use|give) (?:it|me)\b|\bat most\b|，",
    _I,
)
_BOUND_NOT = re.compile(
    r"(?:不(?:要|能|可|会|得)?超[过過]|别超[过過]|不(?:要|能|可以|可|得|会|应该|应|许|想|准)?(?:高于|低于|少于|多于|大于|小于)|不下于|not (?:more|less|over|exceed\w*)(?: than)?|n't exceed|no (?:more|less|higher|fewer) than)[^，,]{0,6}$",
    _I,
)
_TAKEN = re.compile(
    r"[^，,。.!?]{0,8}(?:不行|没有了|没了|卖完|缺货|断货|售罄|不可以|没空|不方便|不要了|不合适|太[贵大小多少]|\bis taken\b|\b(?:is|are) sold out\b|\bis gone\b|\bis out\b|\bdoesn't work\b|\bdoes not work\b|\bwon't work\b|\bis not (?:ok|possible)\b|\bisn't\b)",
    _I,
)

_ASK_ZH = re.compile(
    r"[吗嗎]|[^么]呢|有没有|有沒有|是不是|能不能|可不可以|可以.{0,12}[吗嗎]|多少|还是.{0,20}[?？]|要不要|会不会|行不行|好不好|几[个件天]|什么|哪"
)
_TAG_ZH = re.compile(r"^\s*(?:对吗|可以吗|行吗|好吗|是吗|够吗|够不够|行不行|可不可以|对不对|能行吗|没问题吧|怎么样|如何|合适吗|贵吗|多吗)")
_ASK_EN = re.compile(
    r"^\W*(?:(?:and|so|but|or|also|ok|okay|hi|hello|hey|well|then|please)\W+){0,2}(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|may|might|have you|has|what|which|who|when|where|why|how|any chance|am|isn't|aren't|don't|doesn't|can't)\b",
    _I,
)
_HEARD = re.compile(
    r"听说|聽說|据说|據說|听人说|有人说|有人說|(?:他|她|他们|她们|别人|人家|朋友|同事|老板|医生|客服|销售|网上|邻居|老师|大家|妈妈|爸爸|导游|中介|店员|对方|你们?|室友|经理)(?:们)?(?:之前|昨天|都|也|跟我|告诉我)?(?:说|說|讲|告诉我|提到)|传闻|好像听|"
    r"\b(?:he|she|they|someone|somebody|people|my \w+|the \w+|a \w+|everyone|you) (?:once |also |just |always )?(?:said|says|say|told|claims?|claimed|mentioned|thinks?|reckons?)\b|\bi(?:'ve)? heard\b|\bapparently\b|\bsupposedly\b|\ballegedly\b|\breportedly\b|\brumou?r|\baccording to\b",
    _I,
)
_IF = re.compile(
    r"如果|要是|假如|假设|倘若|除非|的话|只有.{0,20}才|只要.{0,20}就|万一(?![千百十万])|若(?!干)|一旦|\bif\b|\bunless\b|\bprovided\b|\bin case\b|\bas long as\b|\bassuming\b|\bonly when\b|\bsuppose\b",
    _I,
)


_ONE_OF = r"(?:\d[\d,.]*|[一二两三四五六七八九十百千万]+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b)"
_OR_AFTER = re.compile(rf"\s*(?:or|或者?是?|还是|[/／])\s*[$€£¥￥]?{_ONE_OF}|, ?\d{{1,6}}(?:\.\d+)?,? (?:and |or )?\d", _I)
_OR_BEFORE = re.compile(rf"{_ONE_OF}\s*[\u4e00-\u9fff]?\s*(?:or|或者?是?|还是)\s*[$€£¥￥]?$", _I)
_UNTIL = re.compile(r"\buntil\b|\bonce\b|直到", _I)
_EXAMPLE = re.compile(r"\be\.g\.|\bfor (?:example|instance)\b|\bsuch as\b|\bi\.e\.|例如|比如|譬如|举例", _I)


_OVER: frozenset[Shade] = frozenset(("min", "condition"))
"""Of `more than`; with a denial it is an upper bound."""


def shades_of(reading: Reading, draft: Draft, key: str) -> frozenset[Shade]:
    """Every shade that the words around the value give it, with those it has."""
    before, after = reading.before(draft.start), reading.after(draft.start, draft.end)
    found: set[Shade] = set(draft.shades)
    if draft.kind in _NUMBERS:
        found |= _bounds(before[-NEAR:], after, key) | _changes(before[-NEAR:], after)
    if draft.kind in _NUMBERS or draft.kind in ("date", "period"):
        found |= _about(before[-NEAR:], after)
    denied = _denied(before, after)
    if draft.kind == "attribute" and _THAN.search(before):
        denied = {"negated"}
    if "negated" in denied and "min" in found and _STRICT.search(before):
        found, denied = (found - _OVER) | {"max"}, set()
    return frozenset(found | denied | _wider(reading, draft))


def _bounds(before: str, after: str, key: str) -> set[Shade]:
    if _NO_LESS.search(before):
        return {"min"}
    if _MAX_BEFORE.search(before) or _MAX_AFTER.match(after):
        return {"max"}
    if _MIN_BEFORE.search(before) or _MIN_AFTER.match(after):
        return {"min", "condition"} if not key and _STRICT.search(before) else {"min"}
    return {"max"} if _BUDGET.search(key) else set()


def _about(before: str, after: str) -> set[Shade]:
    return {"approximate"} if _ABOUT_BEFORE.search(before) or _ABOUT_AFTER.match(after) else set()


def _changes(before: str, after: str) -> set[Shade]:
    if _CHANGE_BEFORE.search(before) or _CHANGED_BY.search(before) or (_CHANGE_AFTER.match(after) and not _CHANGE_NOT.search(before)):
        return {"relative_change"}
    return set()


def _denied(before: str, after: str) -> set[Shade]:
    if _TAKEN.match(after):
        return {"negated"}
    denials = [match.end() for match in _NOT.finditer(before)]
    if not denials or _NOT_ENDS.search(before, denials[-1]) or _BOUND_NOT.search(before):
        return set()
    return {"negated"}


def _wider(reading: Reading, draft: Draft) -> set[Shade]:
    sentence = reading.sentence_at(draft.start)
    whole = reading.text[max(sentence.start, draft.start - 160) : min(sentence.end, draft.end + 160)]
    found: set[Shade] = set()
    if _asked(reading, draft):
        found.add("asked")
    found |= _whose(reading, draft.start)
    if is_uncertain(reading.before(draft.start), reading.text[draft.end : draft.end + DOUBT]):
        found.add("uncertain")
    if draft.kind in _NUMBERS and (_OR_AFTER.match(reading.text, draft.end, draft.end + DOUBT) or _OR_BEFORE.search(reading.before(draft.start))):
        found.add("undecided")
    until = draft.kind in ("attribute", "count") and _UNTIL.search(reading.before(draft.start))
    if until or _IF.search(whole) or _EXAMPLE.search(reading.text, max(0, draft.start - 40), draft.start):
        found.add("condition")
    return found


def _asked(reading: Reading, draft: Draft) -> bool:
    sentence, clause = reading.sentence_at(draft.start), reading.clause_at(draft.start)
    words = reading.text[clause.start : min(clause.end, clause.start + 400)]
    if _ASK_ZH.search(words):
        return True
    if reading.text[sentence.end - 1 : sentence.end] not in ("?", "？"):
        return False
    following = reading.text[clause.end : min(sentence.end, clause.end + 80)]
    if clause.end >= sentence.end or _TAG_ZH.match(following):
        return True
    opening = reading.text[max(sentence.start, clause.start - 160) : clause.end]
    return any(_ASK_EN.match(part) for part in re.split(r"[,，]", opening))


_NOT_DONE = re.compile(
    r"不(?![仅但只错如妨管过久同论由止光]|得不|客气|好意思|要紧)|(?<!特)(?<!级)(?<!分)(?<!性)(?<!个)别(?![的人处墅致具忘])|(?<!有)没(?!问题|事|关系|错|准)|未(?!来|必)|勿|甭|"
    r"\b(?:do|does|did|is|are|was|were|wo|wou|would|ca|could|have|has|had|should|must|need)n't\b(?! (?:mind|forget|wait))|\bnot\b(?! only| mind| forget)|\bno(?:t any)?\b(?! problem| worries)|"
    r"\bnever\b(?! mind)|\bwithout\b|\bexcept\b|\binstead of\b|\brather than\b|\banything but\b|\bavoid\b|\bneither\b|\bnor\b|\bhate\b|\brefuse\b|\bruled out\b",
    _I,
)
_WHY_NOT = re.compile(r"\bwhy (?:not|don't)|(?:不|没)[^，]{0,3}不|为什么不", _I)
_LET_GO = re.compile(r"(?:[^，,。.!?！？]{0,6})(?:就?算了|就?不用了|就?免了|除外|不考虑|就?不要了?)", _I)


def heard_around(reading: Reading, start: int, end: int) -> frozenset[Shade]:
    """Shades of the words of a domain: denied, of somebody else, reported, doubted, or in a clause that begins with if."""
    before, after = reading.before(start), reading.after(start, end)
    found: set[Shade] = set()
    if _denied(before, after) or _is_not_done(before) or _LET_GO.match(after):
        found.add("negated")
    found |= _whose(reading, start)
    if is_uncertain(before, reading.text[end : end + DOUBT]):
        found.add("uncertain")
    if _IF.search(before):
        found.add("condition")
    return frozenset(found)


def _is_not_done(before: str) -> bool:
    denials = [match.end() for match in _NOT_DONE.finditer(before)]
    return bool(denials) and not _NOT_ENDS.search(before, denials[-1]) and not _WHY_NOT.search(before)


def _whose(reading: Reading, start: int) -> set[Shade]:
    sentence = reading.sentence_at(start)
    if _HEARD.search(reading.text[max(sentence.start, start - 160) : start]):
        return {"hearsay"}
    return {"others"} if of_others(reading.text[:start], reading.before(start)) else set()
