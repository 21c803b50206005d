"""Currency words and signs and their ISO 4217 codes."""

from __future__ import annotations

BEFORE = {
    "US$": "USD", "HK$": "HKD", "NT$": "TWD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "S$": "SGD", "NZ$": "NZD", "R$": "BRL", "$": "USD",
    "¥": "CNY", "￥": "CNY", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR", "฿": "THB", "₽": "RUB", "₫": "VND", "₺": "TRY",
    "人民币": "CNY", "人民幣": "CNY", "RMB": "CNY",
}  # fmt: skip
"""Signs and words before the number."""

CODES = (
    "CNY", "USD", "EUR", "GBP", "JPY", "HKD", "TWD", "KRW", "AUD", "CAD", "SGD", "NZD", "CHF", "INR", "THB", "RUB", "VND", "BRL", "MXN", "SEK", "NOK", "DKK",
    "PLN", "CZK", "TRY", "ZAR", "AED", "MYR", "IDR", "PHP", "SAR", "ILS", "HUF", "MOP",
)  # fmt: skip
"""Codes as written in capitals, before or after the number."""

AFTER = {
    "块钱": "CNY", "塊錢": "CNY", "元人民币": "CNY", "元人民幣": "CNY", "人民币": "CNY", "人民幣": "CNY", "元": "CNY", "块": "CNY", "塊": "CNY", "圆": "CNY",
    "RMB": "CNY", "rmb": "CNY", "yuan": "CNY", "美元": "USD", "美金": "USD", "美刀": "USD", "刀": "USD", "dollars": "USD", "dollar": "USD", "bucks": "USD",
    "US dollars": "USD", "欧元": "EUR", "歐元": "EUR", "€": "EUR", "euros": "EUR", "euro": "EUR", "英镑": "GBP", "英鎊": "GBP", "£": "GBP",
    "pounds sterling": "GBP", "日元": "JPY", "日圆": "JPY", "日圓": "JPY", "円": "JPY", "yen": "JPY", "港币": "HKD", "港幣": "HKD", "港元": "HKD", "港纸": "HKD",
    "新台币": "TWD", "新臺幣": "TWD", "新台幣": "TWD", "台币": "TWD", "台幣": "TWD", "韩元": "KRW", "韓元": "KRW", "won": "KRW", "澳元": "AUD", "澳币": "AUD",
    "加元": "CAD", "加币": "CAD", "新加坡元": "SGD", "新币": "SGD", "瑞士法郎": "CHF", "瑞郎": "CHF", "Swiss francs": "CHF", "francs": "CHF", "卢比": "INR",
    "rupees": "INR", "泰铢": "THB", "泰銖": "THB", "baht": "THB", "卢布": "RUB", "roubles": "RUB", "rubles": "RUB",
}  # fmt: skip
"""Words and signs after the number."""

DOLLARS = ("USD", "AUD", "CAD", "SGD", "NZD", "HKD", "TWD")
"""What a bare dollar sign can be."""

YEN_SIGN = ("CNY", "JPY")
"""What a bare ¥ can be."""

MONEY_NOUNS_ZH = (
    "预算", "預算", "总价", "總價", "单价", "單價", "总额", "總額", "金额", "金額", "定金", "订金", "訂金", "尾款", "手续费", "手續費", "首付", "押金", "运费", "運費",
    "价格", "價格", "价钱", "价位", "房租", "租金", "月租", "月供", "工资", "月薪", "薪水", "年薪", "费用", "費用", "成本", "报价", "報價", "花费", "学费", "邮费", "税费",
    "保费", "奖金", "余额", "餘額", "存款", "房价", "票价", "餐费", "退款", "赔偿", "总共花", "消费", "服务费", "人均", "车费", "差价", "售价", "原价", "现价", "定价",
    "利润", "营收", "收入", "支出", "净利", "毛利", "销售额", "营业额", "市值", "估值", "欠款", "罚款", "利息", "本金", "水电", "水电费", "物业费", "停车费", "电费", "水费", "话费",
    "小费", "保证金", "违约金", "标价", "底价", "开销", "货款", "贷款", "佣金", "补贴", "报销", "投资", "资金",
)  # fmt: skip
"""Nouns whose number is an amount of money even without a currency."""

MONEY_NOUNS_EN = (
    "budget", "price", "cost", "costs", "deposit", "fee", "rent", "salary", "fare", "payment", "refund", "balance", "down payment", "bill", "invoice", "tip", "wage",
    "tuition", "premium", "allowance", "subtotal", "grand total", "price tag", "bid", "quote", "shipping", "savings", "mortgage", "loan", "spend", "spending",
)  # fmt: skip
