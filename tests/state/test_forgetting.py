"""What an agent does when core fields are gone."""

from __future__ import annotations

import json

import pytest

from ctxcore.cli import main
from ctxcore.errors import InputError
from ctxcore.state.domains import domain_named
from ctxcore.state.entries import State
from ctxcore.state.forgetting import Reply, forgetting_test, recorded_agent
from tests.conftest import ROOT
from tests.state.talk import state_of, talk, tool
from tests.state.test_injection import VALUES, made

SHOP = domain_named("shop")
ORDER, TRIP = ROOT / "sample_sessions" / "shop-order-zh.jsonl", ROOT / "sample_sessions" / "trip-booking.jsonl"


def asks(_state: State, _gone: frozenset[str]) -> Reply:
    return Reply(text="您的预算是多少？另外您想要哪一款商品？")


def goes_on(_state: State, _gone: frozenset[str]) -> Reply:
    return Reply(text="好的。", calls=("place_order",))


def minds_the_budget(_state: State, gone: frozenset[str]) -> Reply:
    return Reply(text="您的预算是多少？") if "budget_max" in gone else goes_on(_state, gone)


def test_an_agent_that_asks_notices_and_one_that_acts_does_not() -> None:
    state = made(VALUES)
    good, bad = (forgetting_test(SHOP, state, "process_order", agent) for agent in (asks, goes_on))
    assert (good.noticed, good.went_on, bad.noticed, bad.went_on) == (100, 0, 0, 100)
    assert good.gate_refused == bad.gate_refused == 100


def test_doing_nothing_is_noticing() -> None:
    assert forgetting_test(SHOP, made(VALUES), "process_order", lambda _s, _g: Reply(text="请稍等。")).went_on == 0


def test_each_field_is_counted_by_the_trials_that_took_it_away() -> None:
    tested = forgetting_test(SHOP, made(VALUES), "process_order", minds_the_budget, trials=200, seed=3, most=1)
    (product, product_noticed), (budget, budget_noticed) = tested.by_field["product_context.id"], tested.by_field["budget_max"]
    assert product + budget == 200
    assert (product_noticed, budget_noticed) == (0, budget)
    assert min(product, budget) > 50
    assert tested.noticed == budget


def test_the_same_seed_gives_the_same_trials() -> None:
    one, same, other = (forgetting_test(SHOP, made(VALUES), "process_order", minds_the_budget, seed=seed, most=1) for seed in (1, 1, 2))
    assert one == same
    assert one.by_field != other.by_field


def test_the_agent_gets_a_state_without_the_fields() -> None:
    seen: list[bool] = []

    def looks(state: State, gone: frozenset[str]) -> Reply:
        seen.append(all(state.value(name) is None for name in gone))
        return Reply()

    forgetting_test(SHOP, made(VALUES), "process_order", looks, trials=20)
    assert seen == [True] * 20


@pytest.mark.parametrize("empty", ["", "  ", [], {}, None])
def test_an_empty_value_is_missing(empty: object) -> None:
    from ctxcore.state.injection import context_for

    assert context_for(SHOP, made({**VALUES, "budget_max": empty}), "process_order").missing == ("budget_max",)


def test_nonsense_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        forgetting_test(SHOP, made(VALUES), "process_order", asks, trials=0)
    with pytest.raises(InputError, match="resolve_complaint"):
        forgetting_test(SHOP, made(VALUES), "dance", asks)


def test_a_recording_that_asked_before_it_acted_noticed() -> None:
    order = tool("place_order", {"order": "1"}, product_id="P-1")
    lines = ("u: 下单", "a: 您想要哪一款商品？您的预算是多少？", "u: P-1，预算3000元", *order, "a: 好")
    agent, reasons = recorded_agent(talk(*lines), SHOP, "process_order")
    assert forgetting_test(SHOP, state_of("shop", *lines), "process_order", agent).went_on == 0
    assert reasons == {"product_context.id": "asked for it in message 1", "budget_max": "asked for it in message 1"}


def test_a_recording_that_acted_without_a_field_went_on() -> None:
    order = tool("place_order", {"order": "1"}, product_id="P-1")
    lines = ("u: 就要这个", *order, "a: 好")
    agent, _ = recorded_agent(talk(*lines), SHOP, "process_order")
    assert forgetting_test(SHOP, state_of("shop", *lines), "process_order", agent).went_on == 100


def test_a_recording_has_few_replies_and_the_answer_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    """In the sample one reply (message 4) asks for both fields at once, so all hundred trials get that one; a live agent may answer in two ways."""
    main(["forget", str(ORDER), "--domain", "shop", "--action", "process_order", "--trials", "100", "--seed", "7"])
    assert "They rest on 1 recorded reply." in capsys.readouterr().out
    assert forgetting_test(SHOP, made(VALUES), "process_order", minds_the_budget, trials=50, most=1).replies == 2


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_command_exits_1_where_a_trial_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, order = run(capsys, "forget", str(ORDER), "--domain", "shop", "--action", "process_order", "--trials", "100", "--seed", "7")
    assert (code, order["noticed"], order["went_on"]) == (0, 100, 0)
    code, trip = run(capsys, "forget", str(TRIP), "--domain", "travel", "--action", "book_trip", "--trials", "40", "--seed", "7")
    assert list(trip) == [
        *("schema", "domain", "action", "trials", "seed", "noticed", "went_on", "cannot_tell", "fields_per_trial", "distinct_replies"),
        *("by_field", "gate"),
    ]
    assert trip["gate"] == {"refused": 40, "let_through": 0}
    origin, destination = trip["by_field"]["origin"], trip["by_field"]["destination"]
    assert (code, trip["noticed"], trip["went_on"]) == (1, 0, origin["deleted"]), "only the loss of the origin was ever seen"
    assert (trip["cannot_tell"], origin["cannot_tell"]) == (40 - origin["deleted"], 0)
    assert destination["cannot_tell"] == destination["deleted"] > 0


def test_where_the_recording_shows_nothing_nobody_can_tell() -> None:
    """Both fields were there when it acted; and where it never acts, it shows nothing either."""
    order = tool("place_order", {"order": "1"}, product_id="P-1")
    for lines in (("u: P-1，预算3000元，下单", *order, "a: 好"), ("u: P-1，预算3000元", "a: 好的。")):
        agent, _ = recorded_agent(talk(*lines), SHOP, "process_order")
        tested = forgetting_test(SHOP, state_of("shop", *lines), "process_order", agent)
        assert (tested.noticed, tested.went_on, tested.cannot_tell, tested.replies) == (0, 0, 100, 0)
        assert tested.untold == {name: deleted for name, (deleted, _) in tested.by_field.items()}


def test_every_field_that_is_taken_away_is_counted_and_never_are_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert "user_intent" in forgetting_test(SHOP, made(VALUES), "process_order", asks).by_field, "a core field that the action does not need"
    tested = forgetting_test(domain_named("travel"), state_of("travel", "u: hi"), "book_trip", goes_on, most=50)
    assert tested.taken == len(tested.by_field) - 1
    assert sum(deleted for deleted, _ in tested.by_field.values()) == 100 * tested.taken
    assert main(["forget", str(TRIP), "--domain", "travel", "--action", "book_trip", "--fields", "50"]) in (0, 1)
    assert f"Each trial took {tested.taken} fields away, never all {len(tested.by_field)} core fields." in " ".join(capsys.readouterr().out.split())


def test_the_command_refuses_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", str(ORDER), "--domain", "shop", "--action", "fly"]) == 2
    assert main(["forget", str(ORDER), "--domain", "market", "--action", "process_order"]) == 2
    assert "process_order" in capsys.readouterr().err
