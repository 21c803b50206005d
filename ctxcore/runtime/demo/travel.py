"""Sample, in Chinese: a family's trip with corrections, a reversal, a train sold out, and an allergy said once at the start."""

from __future__ import annotations

from ctxcore.runtime.demo.plans import plan
from ctxcore.runtime.demo.script import Turn, Use, say, use

SYSTEM = """你是旅行社的预订助理，用简体中文与顾客交流，通过工具查询车次和酒店、占位并维护行程单。
规则：
1. 顾客提到的每一个条件都要立刻用 set_value 写入行程单；条件改变时写入新值，并在答复中说明旧值和新值。
2. 用 update_plan 维护任务计划，同一时间只有一个步骤处于 in_progress；步骤的结果被推翻时要重新打开它。
3. 换车次或换酒店时，先占到新的，再取消旧的，避免两头落空。
4. 每次占位之后用 estimate_cost 核对预算；超出预算必须告诉顾客，由顾客决定。
5. 只报告工具返回的价格、余票和房态，不得猜测。
6. 与健康有关的要求（例如过敏）必须写进酒店备注。"""

STEPS = ("记录出行条件", "选定去程车次", "选定返程车次", "选定酒店", "核对预算", "汇总确认")


def setting(**values: str | int) -> tuple[Use, ...]:
    """One ``set_value`` call per field."""
    return tuple(use("set_value", name=name, value=value) for name, value in values.items())


def trains(day: str, *, back: bool = False) -> Use:
    """A search for trains of a day."""
    origin, destination = ("云溪", "青州") if back else ("青州", "云溪")
    return use("search_trains", origin=origin, destination=destination, day=day)


TURNS = (
    Turn(
        "你好！国庆想从青州去云溪玩，两个大人带一个孩子，10月2日出发，10月6日回来，总预算 6000 元。孩子对花生严重过敏，订酒店的时候一定要写明，"
        "这一点我后面不再重复了。请先列个计划。",
        (
            say("好的，我先把条件记下来。", *setting(出发城市="青州", 目的地="云溪", 人数=3, 预算=6000)),
            say("", *setting(出发日期="2025-10-02", 返程日期="2025-10-06", 房间数=1, 饮食要求="儿童花生严重过敏")),
            say("", plan(STEPS, "cipppp", "条件已记录，先看去程。")),
            say("", trains("2025-10-02")),
            say("", trains("2025-10-06", back=True)),
            say("酒店按评分看一下，每晚不超过 600 元。", use("search_hotels", max_price=600)),
            say(
                "10月2日去程有 K1043（128 元，06:40）、D2209（246 元，10:05）、G8819（318 元，15:10）；10月6日返程有 K1044（128 元）、D2212"
                "（246 元）、G8822（318 元）。酒店里松风小院（420 元，4.7 分）可以按过敏原单独备餐，澄湖饭店（560 元，4.6 分）自助餐有过敏原标签。"
                "带孩子建议 D2209 去、D2212 回，住松风小院。您看可以吗？"
            ),
        ),
    ),
    Turn(
        "车次就按你说的，酒店也要松风小院，一间房住四晚。",
        (
            say("", use("hold_train", number="D2209", seats=3)),
            say("", *setting(去程车次="D2209")),
            say("", plan(STEPS, "ccippp", "去程已占座，处理返程。"), use("hold_train", number="D2212", seats=3)),
            say("", *setting(返程车次="D2212")),
            say("", plan(STEPS, "cccipp", "返程已占座，处理酒店。")),
            say("过敏要求写进备注。", use("hold_hotel", hotel="松风小院", rooms=1, nights=4, note="儿童花生严重过敏，请单独备餐")),
            say("", *setting(酒店="松风小院")),
            say("", plan(STEPS, "ccccip", "酒店已预留，核对预算。"), use("estimate_cost")),
            say("", plan(STEPS, "ccccci", "预算内，等顾客确认。")),
            say(
                "都占好了：去程 D2209、返程 D2212 各三张，共 1476 元；松风小院一间四晚 1680 元，备注了花生过敏。加上餐饮估算 1800 元，合计 4956 元，"
                "比 6000 元的预算少 1044 元。"
            ),
        ),
    ),
    Turn(
        "更正一下，孩子学校提前放假，我们改成 10月1日出发，最好坐便宜的 K1041。",
        (
            say("", *setting(出发日期="2025-10-01")),
            say("出发日期变了，去程要重新选。", plan(STEPS, "cicccp", "出发日期改为 10月1日，重新打开去程。"), trains("2025-10-01")),
            say("", use("hold_train", number="K1041", seats=3)),
            say("K1041 只剩 2 张，改占 D2207。", use("hold_train", number="D2207", seats=3)),
            say("新座位已占到，再取消原来的。", use("cancel_hold", number="H001")),
            say("", *setting(去程车次="D2207")),
            say("", plan(STEPS, "ccccip", "去程已改，重新核对预算。"), use("estimate_cost")),
            say(
                "出发日期已从 10月2日改为 10月1日。K1041 只剩 2 张，不够三个人，所以占了 D2207（246 元，09:15 开），原来的 D2209 已取消。注意酒店仍是"
                "10月2日起四晚，10月1日当晚还没有房间；目前合计 5316 元。需要加订一晚吗？"
            ),
        ),
    ),
    Turn(
        "算了，学校又改回去了，还是 10月2日走，跟原来一样坐 D2209。",
        (
            say("", *setting(出发日期="2025-10-02")),
            say("", plan(STEPS, "cicccp", "出发日期改回 10月2日，再次打开去程。"), use("hold_train", number="D2209", seats=3)),
            say("", use("cancel_hold", number="H004")),
            say("", *setting(去程车次="D2209"), plan(STEPS, "ccccip", "去程改回 D2209。")),
            say("已改回 10月2日出发，去程 D2209 三张重新占好，D2207 已取消，其余不变。"),
        ),
    ),
    Turn(
        "奶奶也一起去，变成四个人，要两间房。预算可以加到 9000 元。",
        (
            say("", *setting(人数=4, 房间数=2, 预算=9000)),
            say("", plan(STEPS, "ciiipp", "人数增加，车票和酒店都要补。")),
            say("先补两张车票。", use("hold_train", number="D2209", seats=1), use("hold_train", number="D2212", seats=1)),
            say("", use("hold_hotel", hotel="松风小院", rooms=1, nights=4, note="儿童花生严重过敏，请单独备餐")),
            say("松风小院没有第二间了，找一家能住下两间的。", use("search_hotels", max_price=700)),
            say("", use("hold_hotel", hotel="澄湖饭店", rooms=2, nights=4, note="儿童花生严重过敏，请核对自助餐过敏原标签")),
            say("", use("cancel_hold", number="H003"), *setting(酒店="澄湖饭店")),
            say("", plan(STEPS, "ccccip", "改住澄湖饭店两间，核对预算。"), use("estimate_cost")),
            say(
                "四个人的车票已补齐。松风小院只有一间，两间房只能换酒店：我占了澄湖饭店两间四晚（4480 元），备注了花生过敏。合计 8848 元，预算从 "
                "6000 元改为 9000 元后剩 152 元。"
            ),
        ),
    ),
    Turn(
        "澄湖太贵了，预算还是控制在 8000 以内。奶奶说可以跟孩子睡一张床，那就还是松风小院一间。",
        (
            say("", *setting(预算=8000, 房间数=1)),
            say("酒店要改回去，重新打开这一步。", plan(STEPS, "cccipp", "改回松风小院一间。"), use("search_hotels", max_price=450, district="古城")),
            say("", use("hold_hotel", hotel="松风小院", rooms=1, nights=4)),
            say("备注漏了过敏要求，重新预留。", use("cancel_hold", number="H009")),
            say("", use("hold_hotel", hotel="松风小院", rooms=1, nights=4, note="儿童花生严重过敏，请单独备餐；四人一间，请加被褥")),
            say("", use("cancel_hold", number="H008"), *setting(酒店="松风小院")),
            say("", plan(STEPS, "ccccip", "酒店改回，核对预算。"), use("estimate_cost")),
            say("", plan(STEPS, "ccccci", "预算内，等待确认。")),
            say("已改回松风小院一间四晚（1680 元），备注了花生过敏和加被褥，澄湖饭店已取消。合计 6048 元，预算 8000 元，剩 1952 元。"),
        ),
    ),
    Turn(
        "好，就这样，帮我汇总一遍。",
        (
            say("", use("get_values")),
            say("", plan(STEPS, "cccccc", "全部完成。")),
            say(
                "行程确认：青州往返云溪，四人，10月2日 D2209 去，10月6日 D2212 回；松风小院一间四晚，备注儿童花生严重过敏、单独备餐、加被褥；"
                "预算 8000 元，估算合计 6048 元。祝旅途愉快！"
            ),
        ),
    ),
)
