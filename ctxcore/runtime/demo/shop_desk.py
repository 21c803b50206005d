"""Real tools of a small electronics shop: a catalogue with details, stock, prices, an order book."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool

PRODUCTS = (
    ("MC-100", "云眸摄像机", "摄像机", 899, ("black", "white"), "2K 画质，180 度转动，夜视 8 米，支持本地存储卡。", ("镜头", "云台", "夜视", "存储")),
    (
        "MC-200",
        "云眸摄像机 Pro",
        "摄像机",
        1699,
        ("black", "red", "white"),
        "4K 画质，双镜头，夜视 15 米，支持网线供电。",
        ("双镜头", "供电", "夜视", "存储"),
    ),
    ("MC-210", "望舒户外摄像机", "摄像机", 1299, ("white",), "2K 画质，防水等级 IP66，太阳能板另购。", ("防水", "电池", "安装", "存储")),
    ("SP-010", "回声音箱", "音箱", 599, ("black", "grey"), "单声道，电池续航 12 小时，可两台组成立体声。", ("续航", "音质", "连接", "防水")),
    ("SP-030", "回声音箱 Max", "音箱", 1899, ("black", "red"), "三分频，可接电视，房间校准。", ("音质", "连接", "校准", "尺寸")),
    ("KB-061", "听雨键盘", "键盘", 469, ("black", "white", "pink"), "61 键，热插拔轴体，三模连接。", ("手感", "续航", "连接", "键帽")),
    ("MO-007", "掠影鼠标", "鼠标", 329, ("black", "red"), "62 克，无线延迟 1 毫秒，充电一次用 80 小时。", ("重量", "续航", "手感", "接收器")),
    ("HD-500", "磐石移动硬盘", "硬盘", 769, ("black", "blue"), "2 TB，读写每秒 1000 MB，抗摔 2 米。", ("速度", "温度", "防摔", "接口")),
)
"""Id, name, kind, price in yuan, colours, description, topics of its manual. Invented."""

MANUAL = (
    "{name}的{topic}：出厂设置适合大多数家庭，首次使用请先充电并升级固件；",
    "如需调整{topic}，请在应用的“设备—高级”里修改，修改后约 30 秒生效；",
    "长期不用时建议关闭{topic}，再次打开需要重新连接手机并等待指示灯变绿，通常不超过两分钟；",
    "如果{topic}不正常，先重启设备，再检查应用版本，仍不正常请保留照片或录像联系售后；",
    "{name}支持把{topic}的设置导出为文件，换机时导入即可，文件里不含任何密码；",
    "升级固件不会改动{topic}的设置，但升级前最好记下当前的数值，万一断电可以照着恢复；",
    "与{topic}有关的保修期为一年，人为损坏不在保修之内，维修一般需要 5 到 7 个工作日。",
)
"""What the manual says of each topic."""

REVIEWS = (
    "用了{months}个月，{topic}符合预期，包装完好。",
    "{topic}比上一代好，但说明书写得太简单，第{months}个月才弄明白。",
    "客服解释{topic}很耐心，第{months}个月换过一次配件。",
    "家里老人也会用，{topic}基本不用管，第{months}个月固件自动更新过一次，更新时大约五分钟不能用。",
    "对比过同价位的三款，{topic}算中上，第{months}个月参加活动还返了一张优惠券，客服回复也快。",
)
"""What buyers say of each topic. Invented."""


class ShopDesk:
    """One customer's visit."""

    def __init__(self) -> None:
        """An empty order book."""
        self._orders: dict[str, dict[str, Any]] = {}
        self._numbers = count(1)

    def _product(self, product_id: str) -> tuple[Any, ...]:
        for product in PRODUCTS:
            if product[0] == product_id:
                return product
        raise ValueError(f"没有商品 {product_id}")

    def search_products(self, kind: str, max_price: int = 100_000) -> dict[str, Any]:
        """Products of a kind up to a price."""
        found = [product for product in PRODUCTS if product[2] == kind and product[3] <= max_price]
        return {"items": [{"id": p[0], "name": p[1], "price": p[3], "colors": list(p[4]), "description": p[5]} for p in found]}

    def get_product(self, product_id: str) -> dict[str, Any]:
        """All about a product: its manual and reviews."""
        _, name, kind, price, colors, description, topics = self._product(product_id)
        manual = {topic: "".join(line.format(name=name, topic=topic) for line in MANUAL) for topic in topics}
        reviews = [line.format(topic=topic, months=3 * n + 1) for topic in topics for n, line in enumerate(REVIEWS)]
        return {
            "id": product_id,
            "name": name,
            "kind": kind,
            "price": price,
            "colors": list(colors),
            "about": description,
            "manual": manual,
            "reviews": reviews,
        }

    def check_stock(self, product_id: str, color: str) -> dict[str, Any]:
        """Whether a colour is there."""
        product = self._product(product_id)
        return {"product_id": product_id, "color": color, "in_stock": color in product[4], "days_to_deliver": 2 if color == product[4][0] else 4}

    def place_order(self, product_id: str, color: str, invoice: str = "none") -> dict[str, Any]:
        """Place an order."""
        product = self._product(product_id)
        if color not in product[4]:
            raise ValueError(f"{product[1]} 没有颜色 {color}")
        number = f"OD{next(self._numbers):04d}"
        self._orders[number] = {"order": number, "product_id": product_id, "color": color, "price": product[3], "invoice": invoice}
        return self._orders[number]

    def invoice_rules(self) -> dict[str, Any]:
        """What invoices there are."""
        return {
            "types": ["personal", "company", "vat_special", "electronic"],
            "note": "电子发票在签收后 24 小时内发到邮箱；增值税专用发票需提供税号和开户行，5 个工作日内寄出。",
        }

    def tools(self) -> list[Tool]:
        """What the assistant gets."""
        text, whole = {"type": "string"}, {"type": "integer", "minimum": 1}
        kinds = {"type": "string", "description": f"类别：{'、'.join(dict.fromkeys(p[2] for p in PRODUCTS))}"}

        def tool(function: Callable[..., Any], description: str, *required: str, **properties: Any) -> Tool:
            return Tool(name=function.__name__, description=description, parameters=schema(*required, **properties), function=function)

        return [
            tool(self.search_products, "按类别和最高价格查找商品。", "kind", kind=kinds, max_price=whole),
            tool(self.get_product, "读取商品的说明书和买家评价。", "product_id", product_id=text),
            tool(self.check_stock, "查询某种颜色是否有货。", "product_id", "color", product_id=text, color=text),
            tool(self.place_order, "下单。", "product_id", "color", product_id=text, color=text, invoice=text),
            tool(self.invoice_rules, "查询可以开哪些发票。"),
        ]
