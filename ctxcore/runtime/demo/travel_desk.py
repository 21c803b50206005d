"""Real tools of a booking desk: trains and hotels in a table of their own, holds that use seats and rooms up, a trip sheet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date
from itertools import count
from typing import Any

from ctxcore.runtime.demo.plans import update_plan
from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool

TRAINS = (
    ("K1041", "青州", "云溪", "2025-10-01", "06:40", "12:55", 128, 2),
    ("D2207", "青州", "云溪", "2025-10-01", "09:15", "13:05", 246, 6),
    ("G8815", "青州", "云溪", "2025-10-01", "14:30", "17:20", 318, 9),
    ("K1043", "青州", "云溪", "2025-10-02", "06:40", "12:55", 128, 12),
    ("D2209", "青州", "云溪", "2025-10-02", "10:05", "13:50", 246, 8),
    ("G8819", "青州", "云溪", "2025-10-02", "15:10", "18:00", 318, 20),
    ("D2210", "云溪", "青州", "2025-10-05", "09:40", "13:30", 246, 4),
    ("G8820", "云溪", "青州", "2025-10-05", "16:05", "18:55", 318, 15),
    ("D2212", "云溪", "青州", "2025-10-06", "09:40", "13:30", 246, 9),
    ("K1044", "云溪", "青州", "2025-10-06", "13:20", "19:35", 128, 16),
    ("G8822", "云溪", "青州", "2025-10-06", "17:30", "20:20", 318, 11),
)
"""Number, from, to, day, departure, arrival, price in yuan, seats. Invented."""

HOTELS = (
    ("松风小院", "古城区", 420, 4.7, 1, "含早餐；厨房可按过敏原单独备餐；距古城门步行 5 分钟"),
    ("澄湖饭店", "湖滨区", 560, 4.6, 6, "含早餐；湖景；有儿童游乐室；自助餐过敏原有标签"),
    ("青瓦客栈", "古城区", 298, 4.2, 5, "不含早餐；楼梯较陡，无电梯；附近有小吃街"),
    ("云岭度假酒店", "北山区", 780, 4.8, 8, "含早晚餐；有温泉；离车站 22 公里，提供接送"),
    ("站前商务酒店", "车站区", 260, 3.9, 14, "不含早餐；离车站步行 3 分钟；夜间较吵"),
    ("竹里民宿", "古城区", 365, 4.5, 2, "含早餐；小花园；可借用儿童推车"),
)
"""Name, district, price in yuan per room and night, rating, rooms, notes. Invented."""

NUMBERS = ("人数", "房间数", "预算")
DATES = ("出发日期", "返程日期")
WORDS = ("出发城市", "目的地", "酒店", "去程车次", "返程车次", "饮食要求")


class TravelDesk:
    """One customer's trip."""

    def __init__(self) -> None:
        """An empty trip sheet and full tables."""
        self._trip: dict[str, Any] = dict.fromkeys((*WORDS, *DATES, *NUMBERS))
        self._holds: dict[str, dict[str, Any]] = {}
        self._numbers = count(1)
        self._table = sqlite3.connect(":memory:", check_same_thread=False)
        self._table.row_factory = sqlite3.Row
        self._table.execute("create table train (车次, 出发, 到达, 日期, 开车, 到站, 票价, 余票)")
        self._table.execute("create table hotel (酒店, 区域, 每晚价格, 评分, 余房, 说明)")
        self._table.executemany("insert into train values (?,?,?,?,?,?,?,?)", TRAINS)
        self._table.executemany("insert into hotel values (?,?,?,?,?,?)", HOTELS)

    def close(self) -> None:
        """Close the table."""
        self._table.close()

    def _rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._table.execute(query, values)]

    def set_value(self, name: str, value: str | int) -> dict[str, Any]:
        """Set a field of the trip sheet."""
        if name in NUMBERS and (not isinstance(value, int) or value < 1):
            raise ValueError(f"{name}必须是正整数，收到 {value}")
        if name in DATES:
            date.fromisoformat(str(value))
        if name not in self._trip:
            raise ValueError(f"没有字段“{name}”；可用字段：{'、'.join(self._trip)}")
        old, self._trip[name] = self._trip[name], value
        return {"name": name, "old": old, "new": value}

    def get_values(self) -> dict[str, Any]:
        """The whole trip sheet with the holds."""
        return {"行程单": {k: v for k, v in self._trip.items() if v is not None}, "已占位": list(self._holds.values())}

    def search_trains(self, origin: str, destination: str, day: str) -> list[dict[str, Any]]:
        """Trains of a day, cheapest first."""
        return self._rows("select * from train where 出发=? and 到达=? and 日期=? order by 票价, 车次", origin, destination, day)

    def search_hotels(self, max_price: int = 10_000, district: str = "") -> list[dict[str, Any]]:
        """Hotels up to a price, best rated first."""
        return self._rows("select * from hotel where 每晚价格<=? and 区域 like ? order by 评分 desc, 酒店", max_price, f"%{district}%")

    def hold_train(self, number: str, seats: int) -> dict[str, Any]:
        """Hold seats, if there are enough."""
        found = self._rows("select * from train where 车次=?", number)
        if not found:
            raise ValueError(f"没有车次 {number}")
        if found[0]["余票"] < seats:
            raise ValueError(f"{number} 余票 {found[0]['余票']} 张，不足 {seats} 张")
        self._table.execute("update train set 余票=余票-? where 车次=?", (seats, number))
        return self._hold("车票", number, seats, found[0]["票价"] * seats)

    def hold_hotel(self, hotel: str, rooms: int, nights: int, note: str = "") -> dict[str, Any]:
        """Hold rooms, if there are enough."""
        found = self._rows("select * from hotel where 酒店=?", hotel)
        if not found:
            raise ValueError(f"没有酒店 {hotel}")
        if found[0]["余房"] < rooms:
            raise ValueError(f"{hotel} 余房 {found[0]['余房']} 间，不足 {rooms} 间")
        self._table.execute("update hotel set 余房=余房-? where 酒店=?", (rooms, hotel))
        return self._hold("酒店", hotel, rooms, found[0]["每晚价格"] * rooms * nights, **({"备注": note} if note else {}))

    def _hold(self, kind: str, what: str, quantity: int, price: int, **more: str) -> dict[str, Any]:
        number = f"H{next(self._numbers):03d}"
        self._holds[number] = {"编号": number, "类型": kind, "项目": what, "数量": quantity, "金额": price, **more}
        return self._holds[number]

    def cancel_hold(self, number: str) -> dict[str, Any]:
        """Give seats or rooms back."""
        if number not in self._holds:
            raise ValueError(f"没有占位 {number}；现有：{'、'.join(self._holds) or '无'}")
        gone = self._holds.pop(number)
        table, key, free = ("train", "车次", "余票") if gone["类型"] == "车票" else ("hotel", "酒店", "余房")
        self._table.execute(f"update {table} set {free}={free}+? where {key}=?", (gone["数量"], gone["项目"]))  # noqa: S608 - names are fixed above
        return {"已取消": number, "项目": gone["项目"], "退回金额": gone["金额"]}

    def estimate_cost(self, daily_food_per_person: int = 120) -> dict[str, Any]:
        """Cost of all holds and of meals, against the budget."""
        start, end = (date.fromisoformat(self._trip[name]) for name in DATES)
        days = (end - start).days + 1
        held = {kind: sum(h["金额"] for h in self._holds.values() if h["类型"] == kind) for kind in ("车票", "酒店")}
        meals = days * daily_food_per_person * self._trip["人数"]
        total = sum(held.values()) + meals
        return {**held, "餐饮估算": meals, "合计": total, "预算": self._trip["预算"], "剩余": self._trip["预算"] - total}

    def tools(self) -> list[Tool]:
        """What the assistant gets."""
        text, whole = {"type": "string"}, {"type": "integer", "minimum": 1}
        day = {"type": "string", "description": "YYYY-MM-DD"}
        name = {"type": "string", "description": f"字段：{'、'.join(self._trip)}"}

        def tool(function: Callable[..., Any], description: str, *required: str, **properties: Any) -> Tool:
            return Tool(name=function.__name__, description=description, parameters=schema(*required, **properties), function=function)

        return [
            tool(self.set_value, "设置行程单的一个字段，返回旧值和新值。", "name", "value", name=name, value={"type": ["string", "integer"]}),
            tool(self.get_values, "读取整张行程单和全部占位。"),
            tool(self.search_trains, "按日期查询车次，票价从低到高。", "origin", "destination", "day", origin=text, destination=text, day=day),
            tool(self.search_hotels, "查询酒店，评分从高到低。", max_price=whole, district=text),
            tool(self.hold_train, "为旅客占座，余票不足时报错。", "number", "seats", number=text, seats=whole),
            tool(self.hold_hotel, "预留房间，可附备注。", "hotel", "rooms", "nights", hotel=text, rooms=whole, nights=whole, note=text),
            tool(self.cancel_hold, "取消一个占位，退回座位或房间。", "number", number=text),
            tool(self.estimate_cost, "按现有占位和餐饮估算总费用，并与预算比较。", daily_food_per_person=whole),
            update_plan(),
        ]
