"""Words of the rules that find what a value is said of: nouns that are keys, and words that never are."""

from __future__ import annotations

NOUNS_ZH = """
数量 數量 库存 庫存 人数 人數 件数 颜色 顏色 尺码 尺寸 号码 型号 风格 款式 重量 体重 身高 长度 宽度 高度 面积 温度
年龄 时长 房间数 页数 字数 次数 天数 份数 比例 利率 折扣 日期 时间 入住 退房 出发 返程 另加 另收 容量 速度 距离 限重
端口 上限 下限 评分 分数 楼层 门牌 房号 版本 编号 截止 占比 交货 发货 到货 会议
"""
"""Chinese nouns besides those of money that are keys by themselves. Without segmentation, other words before a value are keys only in front of a copula."""

FILL_EN = """
weighs weigh weighed measures lasts holds takes a about above actually almost an approx approximately are aren't around as at be been being below between by can can't cannot capped changed
could currently definitely dropped equal equals exactly exceed fell fewer for from goes had has have in is isn't it's its just least less
like limited max maximum maybe min minimum more most moved must nearly no not now of on only over perhaps probably remains rose roughly set
should some somewhere stays still than that's the to under up was wasn't went were will within would
"""
"""English words that may stand between a key and its value."""

DEGREES_EN = """
about around approximately approx almost exactly nearly only just roughly some at least most more less fewer no not than up over under max maximum minimum min a an
"""
"""English words between a key and its value that say how much, and tie nothing: budget about 500."""

LOOSE_EN = """
by between for from in a the up within down out off above below
"""
"""English words that tie a number to no noun before them: talk between two, a sequence for 10."""

NOUNS_EN = """
meeting wedding building hearing training opening closing landing briefing rating reading setting string ring evening morning spring ceiling heating
lighting housing parking shipping pricing saving earning rehearsal cleaning drawing painting booking listing mailing padding spacing speed seed bed feed
shed deed supply reply assembly family
"""
"""English nouns that look like forms of verbs."""

NO_NOUNS_ZH = """
好像 可能 也许 或许 大概 似乎 应该 其实 估计 听说 据说 如果 假如 要是 比如 例如 就是 还是 或者 或是 而是 可是 于是 但是 只是 都是 正是 总是 老是 要么 一共 总共 合计 其中 现在 今天 昨天 明天
然后 最后 最终 目前 当时 以前 之前 之后 以后 后来 另外 平均 每人 每天 每月 每年 大约 差不多 至少 最多 一般 通常 至于 关于 对于 由于 因为 所以 因此 为了 认为 以为 成为 作为 视为
"""
"""Chinese words of two letters and more that are no noun, though they stand before a number or a copula."""

NEVER_EN = """
its greater fewer equal even each meant mean actually correction raised lowered format off out down once twice kicking
rather black white red blue green a about above actually add added after again all almost also am an and another any are around arrive as at back be because been before below
better between bigger book booked both bought bring but buy by can cancel carried carry change changed cheaper choose chose come could
create created deliver did do does each every find fit for found friday from gave get give go going got guess had has have having he hear
heard hello her here hey hi higher him his hold how i if in increase instead into is it just keep kept knew know larger least leave left
less let let's lets like longer love lower made make may maybe me might minus monday more most move moved must my nearly need needs no not
now of ok okay older on one ones only or order ordered other our over paid pay per perhaps pick please plus put raise really reduce remove
reserve roughly said saturday saw say says see sell send sent set she ship shorter should show since smaller so sold some somebody someone
sorry spend spent stay still sunday switch take than thanks that the their them then there these they think this those thursday till times
to today told tomorrow took transfer try tuesday under until up us use used wait want wants was we wednesday well were what when where which
who why will with mine ours yours his hers theirs within without would yes yesterday you younger your
"""
"""English words that no key has: verbs, pronouns, comparatives, days."""

NUMBERED_EN = """
age aisle apartment apt bay berth box building bus cabin carriage channel coach counter court desk dock exit flight floor gate hall height
lane locker number pier platform qty quantity room seat shelf size table terminal track ward weight zone
"""
"""English nouns that a number follows directly: gate 3."""

OWN_COST = """
annual average monthly my our overall shipping the total unit your
"""
"""English words that make `cost` a noun."""

GOES_ON_EN = """
a about across after again all also always already altogether an and any anymore anyway apiece approximately are around as at away back because before but by can combined could daily
do does down during each either else even ever every except exactly extra flat for from fully gets gives gross had has have hence hourly however i if in inclusive inside instead into is it its just
less like max maximum may maybe means might min minimum monthly more most must net never next no nor not now of off on once only onto or our out over overall per plus please rather right roughly
should since so sharp still than thanks that the then there these they this those though through throughout to today together tomorrow tonight too total totally under until up upfront us usually via was we weekly were
when where whereas which while who whole whose will with within without would yearly yes yet you your starting including excluding onwards onward instead later earlier ago
"""
"""English words after a number that do not name what it counts."""
