"""Stretches of a text whose numbers are no values: addresses, code, versions, clock times, ordinals, and set phrases (一起, 千万别)."""

from __future__ import annotations

import re

_CODE_FORMS = (
    r"```[\s\S]*?(?:```|\Z)",  # code
    r"`[^`\n]{1,300}`",
    r"(?<![A-Za-z])(?:https?|ftp|file)://[^\s，。；）)]{1,2000}+",
    r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}\.[\w.]{1,63}",
    r"(?<![\w/.])(?:~|\.{1,2})?/[\w.~-]{1,255}+(?:/[\w.~-]{1,255}+)*+(?::\d{1,7}){0,2}",  # paths
    r"(?m:^)[ \t]*\d{1,6}(?:[ \t]{2,}|\t|:[ \t]*|→).*|(?<=\n)[ \t]*\d{1,6}[ \t]*(?m:$)",  # numbered listings
    r"(?m:^)[ \t]*(?:[|#{}\[\]\\@]|</?[A-Za-z!?]|> |\+[+\sA-Za-z]|\$ |//|-->|\*\*?/|\"[^\"\n]{1,80}\"[ \t]*:).*",  # tables, tags, JSON, shell
    r"(?m:^)(?=[^\n]{0,400}(?:[)\]\"'];|[{}]|\)\s?[:{]|=>|->)[ \t]*(?m:$))[^\n]{0,400}",  # code by its end
    r"(?m:^)(?![^\n]{0,600}?[.?!] [A-Z][a-z]*(?: [a-z'’-]+){4})(?=[^\n]{0,200}(?:[A-Za-z_]\([^\n]{0,100}\)|[A-Za-z0-9_\]] ?[-+*/]?==? ?[\w\"'\[(]|::|</?\w|\w\.\w{1,10}:\d))[^\n。，]{0,400}(?m:$)",  # code by its signs, unless sentences stand in the line
    r"(?<![\d.])\d{1,3}% \(\d+/\d+\)",  # progress
    r"(?<![\w.])\d{1,6}(?:\.\d{1,4})?(?:\s[-+*/x×÷]\s\d{1,6}(?:\.\d{1,4})?)+(?!\s?(?:cm|mm|m\b|in\b|inch|people))",  # sums
    r"(?<![\w.])[A-Za-z_][\w.]{0,60}\([^()\n]{0,100}\)",  # calls
    r"(?m:^)[ \t]*/[a-z][\w-]{0,40}(?:[ \t].*)?(?m:$)",  # commands to an agent: /loop 5m
    r"(?m:^)\W{0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*|(?m:^)remote: .*",  # lines of a log
    r"(?m:^)[ \t]*\d{1,6}[ \t][+-][ \t].*",  # listings of changes
)

_FORMS = (
    *_CODE_FORMS,
    r"(?<![A-Za-z0-9_])[A-Za-z_]{1,40}+[-_]?\d[\w-]{0,60}",  # names with digits: gpt4, x86, user_12
    r"(?<![A-Za-z0-9_.])v?\d{1,6}+(?:\.\d{1,6}+){2,5}(?![\d])",  # versions and addresses
    r"(?<![A-Za-z])(?:version|release|python|node|java|v|版本)[号號]?\s?\d{1,4}(?:\.\d{1,4})?",
    r"(?<![A-Za-z0-9_])[#№]\s?\d{1,12}",
    r"(?<!\d)\+?\d{2,4}(?:[- ]\d{2,8}){2,4}(?!\d)(?<!\d\d\d\d-\d\d-\d\d)",  # telephone numbers
    r"(?<!\d)1[3-9]\d{9}(?!\d)",
    r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?",  # clock times
    r"(?<![\d.])\d{1,2}(?:[:.]\d{2})?\s?(?:a\.?m|p\.?m|o'clock)\b",
    r"(?:凌晨|早上|上午|中午|下午|晚上|傍晚)\s?[\d一二两三四五六七八九十]{1,3}[点點时](?:半|[\d一二三四五六七八九十零]{1,3}分?)?",
    r"(?<![\d一二两三四五六七八九十])[\d一二两三四五六七八九十]{1,3}[点點](?:半|钟|鐘|整|之?前|之?后|[\d一二三四五六七八九十]{1,3}分)",
    r"第[\d一二三四五六七八九十百千零两]{1,8}+",
    r"(?<![\d.,])\d{1,4}(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    r"(?m:^)[ \t]{0,8}(?:\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,2}[、）)])(?=\s|\D)(?!\d)",  # list marks
    r"\b(?:step|phase|stage|level|part|option|task|round|depth|index|sprint|release|week|day|chapter|section|figure|table|line|page|question|q|no\.|issue|pr|(?:exit|error|status) code|exit|error|http)[\s:=]{0,2}#?\d{1,6}\b",
    r"\bnumber one\b|\b(?:one (?:of|by one|another|thing|day|more time)|no one|any ?one|some ?one|every ?one|this one|that one|which one|each one|the \w{1,20} one)\b",
    r"(?<!\d)\d{1,2}[/.]\d{1,2}[/.]\d{2,4}(?!\d)",  # dates that other rules read or leave
    r"\.[A-Za-z]{1,8}:\d{1,7}(?::\d{1,5})?",  # places in files
    r"(?m:^)[ \t]*-\d{1,9}(?:\.\d{1,6})?|(?<![\w)）%％])--?[a-z][\w-]{0,30}[ =]-?\d{1,9}|\b(?:head|tail|kill|cut|nice|ls|sort|grep|log) -\d{1,9}",  # options of commands
    r"(?<![\d.,])\d{1,3}\.\d{3}(?=\s?(?:€|EUR\b|euros?\b))",  # 1.299 € can be two amounts
    r"(?<![\d:])\d{1,3}\s?[:：]\s?\d{1,3}(?![\d:])",  # ratios and times
    r"(?<![\d/])\d{1,5}/\d{1,5}(?![\d/])",  # fractions and progress
    r"\b(?:ISO|RFC|HTTP|IEEE|DIN|UTF|SHA|CVE|UTC|GMT|MD|COVID|EN)[ +-]?\d{1,6}(?:[:-]\d{1,6})?",
    r"(?:编号|編號|订单号|單號|单号|号码|账号|帳號|卡号|身份证号?|工号|学号|流水号|邮编|验证码|密码|端口(?!是|为|為|:|：|改))[是为為:：\s]{0,3}[A-Za-z]{0,4}[\d-]{2,24}",
    r"\b(?!(?:port|(?:invoice|order|ticket|reference|booking) (?:no\.?|number))(?: is| to|:| =) )(?:id|account|order|card|serial|tracking|invoice|reference|ref|booking|confirmation|flight|passport|phone|port|pin|zip|postal|postcode|code|localhost)(?: (?:no\.?|number|code|id))?(?: is|:| =)?[\s#:]{0,2}(?:[A-Z]{1,4}[ -]?)?\d{2,20}\b(?! ?(?:usd|eur|dollars|euros|items|pieces))",
    r"[\w.-]{1,60}:\d{2,5}(?!\d)",  # ports
    r"(?<![\d.])\d{9,}(?![\d.])(?!\s?[元块塊美欧日港]|\s?(?:dollars|euros|yen|usd|eur|cny))",  # too long for a number without separators
    r"\b\d{1,6} out of (?:the )?\d{1,6}(?: \w{1,20})?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten) (?:out of|of (?:them|you|those|these)|of us(?! (?:travell?|fly|go|com)\w*))(?: \w{1,20})?",
    r"(?:步骤|步驟|章节|图|表|附件|附录|问题|选项|方案|阶段)\s?[\d一二三四五六七八九十]{1,3}",
    r"[一二三四五六七八九十百千万\d]{1,6}分之[一二三四五六七八九十百\d]{1,6}(?=[^\d一二三四五六七八九十百千万])(?<!百分之\d)(?<!百分之\d\d)(?<!百分之\d\d\d)(?<!百分之[一二三四五六七八九十])(?<!百分之[一二三四五六七八九十]{2})(?<!百分之[一二三四五六七八九十]{3})",
    r"百分之百|百分百",
    r"\b24/7\b|\b50/50\b|\b101\b(?= (?:course|class))|\b20/20\b",
    r"一(?:起|下|点|點|些|样|樣|直|定|共|般|切|旦|边|邊|会|會|时|時|旁|致|律|并|併|再|向|概|度|方面|开始|路|流|心|生|身)",
    r"(?:统|統|唯|单|單|同|划|专|專|万|萬|之|不|进|進|归|歸|首|均|第)一(?![万千百十])",
    r"千[万萬](?:别|別|不|要|记|記|小心)|万(?:能|圣|岁|歲|分|象|物|事|里)|千(?:方百计|变万化|篇一律)|百(?:度|科|姓|货|貨|般|合|分百)",
    r"[三四五六七八九]{1}[心花颜顏分]{1}[二六八七九五]{1}[意门門色裂]{1}|乱七八糟|七上八下|五颜六色|五顏六色|四面八方|三番五次|三三两两|接二连三|独一无二|丢三落四|十分(?![钟鐘之])|十全十美|十足|一[清二楚干二净五一十心一意]{3}",
    r"[一二三四五六七八九]{0,1}[两二三四五六七八九][、]?[三四五六七八九](?=[个個十百千万天次位件年])",  # 两三个: open between two
    r"(?:星期|礼拜|禮拜|周|週)[一二三四五六]",
    r"[一二两12]米[\d一二三四五六七八九]{1,2}",  # heights: left out
    r"[打]?[一二三四五六七八九\d.]{1,4}折",  # discounts
)

_ALL = re.compile("|".join(f"(?:{form})" for form in _FORMS), re.IGNORECASE)
_CODE = re.compile("|".join(f"(?:{form})" for form in _CODE_FORMS), re.IGNORECASE)


def not_values(text: str) -> list[tuple[int, int]]:
    """Start and end of each such stretch, in order and apart."""
    return [match.span() for match in _ALL.finditer(text)]


def code(text: str) -> list[tuple[int, int]]:
    """Start and end of code and addresses alone."""
    return [match.span() for match in _CODE.finditer(text)]
