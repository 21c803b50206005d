"""Words for colours, sizes and styles as data; `read_text(words=…)` adds more."""

from __future__ import annotations

COLORS_EN: dict[str, tuple[str, ...]] = {
    "black": ("black",), "white": ("white",), "red": ("red",), "blue": ("blue",), "green": ("green",), "yellow": ("yellow",), "gray": ("grey", "gray"),
    "pink": ("pink",), "purple": ("purple", "violet"), "orange": ("orange",), "brown": ("brown",), "beige": ("beige",), "navy": ("navy blue", "navy"),
    "silver": ("silver",), "gold": ("golden", "gold"), "turquoise": ("turquoise",), "dark blue": ("dark blue",), "light blue": ("light blue",),
    "dark green": ("dark green",), "light green": ("light green",), "dark gray": ("dark grey", "dark gray"), "light gray": ("light grey", "light gray"),
    "dark red": ("dark red",), "maroon": ("maroon",), "ivory": ("ivory",), "khaki": ("khaki",), "teal": ("teal",),
}  # fmt: skip
"""Normalised colour and its English words."""

COLORS_ZH: dict[str, tuple[str, ...]] = {
    "black": ("黑",), "white": ("白",), "red": ("红", "紅"), "blue": ("蓝", "藍"), "green": ("绿", "綠"), "yellow": ("黄", "黃"), "gray": ("灰",), "pink": ("粉红", "粉紅", "粉"),
    "purple": ("紫",), "orange": ("橙", "橘", "桔"), "brown": ("棕", "褐", "咖啡"), "beige": ("米", "米白", "杏"), "navy": ("藏青", "海军蓝", "藏蓝"), "silver": ("银", "銀"),
    "gold": ("金",), "turquoise": ("青",), "dark blue": ("深蓝", "深藍"), "light blue": ("浅蓝", "淺藍", "天蓝"), "dark green": ("深绿", "墨绿"), "light green": ("浅绿",),
    "dark gray": ("深灰",), "light gray": ("浅灰",), "dark red": ("深红", "酒红", "暗红"), "khaki": ("卡其",),
}  # fmt: skip
"""Normalised colour and its Chinese characters, heard before 色 or as 黑的."""

COLOR_FOLLOWS = """
market list mail box hole friday tape belt hat hats sheep ops flag flags light lights card cross bull screen screens chip collar print
prints thumb house noise paper papers elephant lie space board juice tea tree trees peel sea line alert carpet herring eye meat wine bean
beans onion rice bread slip panther team area field build builds test tests pixel lining jubilee medal mine coast rush standard fish ribbon
pages book planet beret sugar bear dwarf river state path
"""
"""Nouns that make a set phrase of a colour: black market, red flag, green build."""

SIZES_EN: dict[str, tuple[str, ...]] = {
    "small": ("small",),
    "medium": ("medium",),
    "large": ("large",),
    "extra large": ("extra large", "extra-large"),
    "extra small": ("extra small",),
}
"""Normalised size and its words."""

SIZE_LETTERS = {
    "XXS": "xxs",
    "XS": "xs",
    "S": "small",
    "M": "medium",
    "L": "large",
    "XL": "xl",
    "XXL": "xxl",
    "XXXL": "xxxl",
    "2XL": "xxl",
    "3XL": "xxxl",
}
"""Normalised size of the letters on a label."""

SIZES_ZH: dict[str, str] = {
    "小号": "small", "小號": "small", "小码": "small", "中号": "medium", "中號": "medium", "中码": "medium", "大号": "large", "大號": "large", "大码": "large",
    "加大号": "xl", "特大号": "xl", "加大码": "xl", "特大码": "xl", "均码": "one size",
}  # fmt: skip
"""Chinese size words and their normalised size."""

STYLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "casual": (("casual",), ("休闲", "休閒")), "formal": (("formal",), ("正式", "正装")), "sporty": (("sporty", "athletic"), ("运动", "運動")),
    "classic": (("classic",), ("经典", "經典")), "vintage": (("vintage", "retro"), ("复古", "復古")), "modern": (("modern", "contemporary"), ("现代", "現代")),
    "minimalist": (("minimalist", "minimalistic"), ("简约", "簡約", "极简")), "business": (("business",), ("商务", "商務")), "slim": (("slim",), ("修身",)),
    "loose": (("loose", "oversized"), ("宽松", "寬鬆")), "chinese": (("chinese",), ("中式",)), "nordic": (("nordic", "scandinavian"), ("北欧",)),
    "japanese": (("japanese",), ("日式",)), "rustic": (("rustic",), ("田园",)), "luxury": (("luxury",), ("轻奢",)),
}  # fmt: skip
"""Normalised style and its words in English and Chinese; heard only with style, look, fit, 风格, 款 after them."""
