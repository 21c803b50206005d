"""The pages Dropped units, Plan and State: every sample, nothing open, broken files, and what they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.chat import conversation, upload

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("dropped", "plan", "state", "compaction")
SAMPLES = tuple(sorted(path.name.split(".")[0] for path in (ROOT / "sample_sessions").iterdir()))

TODO = {"todos": [{"content": "Paint", "status": "completed"}, {"content": "Dry", "status": "in_progress"}]}
AGAIN = {"todos": [{"content": "Paint", "status": "in_progress"}, {"content": "Dry", "status": "in_progress"}]}

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ :red[hot] \u202egnp.exe \x1b[31m"


@pytest.fixture(autouse=True)
def _full_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", "full")
    monkeypatch.syspath_prepend(str(ROOT / "pages"))


def touched(app: AppTest) -> AppTest:
    """The part of the page State about what tools touched."""
    app.session_state["state_tab"] = "Files and values"
    return app.run()


def opened(page: str, *, session: str = "", **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "pages" / "_shell.py"), default_timeout=30)
    for key, value in {"session": session, **query}.items():
        if value:
            app.query_params[key] = value
    app.run()
    return app.switch_page(f"{page}.py").run()


def with_file(monkeypatch: pytest.MonkeyPatch, folder: Path, content: bytes, page: str, **query: str) -> AppTest:
    path = folder / "mine.json"
    path.write_bytes(content)
    monkeypatch.setenv("CTXSCOPE_OPEN", json.dumps([str(path)]))
    return opened(page, session="mine.json", **query)


def words(app: AppTest) -> str:
    parts = [*app.text, *app.markdown, *app.caption, *app.info, *app.header, *app.error, *app.title]
    return "\n".join(part.value for part in parts).replace("\\", "")


def component(app: AppTest, name: str):
    """Proto of the component with this registered name."""
    return next(node.proto for node in app.get("bidi_component") if node.proto.component_name.endswith(name))


def grid_of(app: AppTest) -> tuple[dict, dict]:
    from _components.packing import unpack

    return unpack(component(app, "ctxscope_persistence").bytes)


def rows_of(app: AppTest, key: str) -> list[list]:
    nodes = [n.proto for n in app.get("bidi_component") if n.proto.component_name.endswith("ctxscope_rows")]
    found = [json.loads(proto.json) for proto in nodes if f"-{key}" in proto.id or proto.id.endswith(key)]
    return found[0]["rows"]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("page", PAGES)
def test_every_sample(page: str, sample: str) -> None:
    app = opened(page, session=sample)
    assert not app.exception
    assert app.title[0].value in ("Dropped units", "Plan", "State", "Compaction")
    assert not app.info, "a sample shows each page with something on it"


@pytest.mark.parametrize("page", PAGES)
def test_nothing_open(page: str) -> None:
    app = opened(page)
    assert not app.exception
    assert "Open a recorded session" in words(app)


@pytest.mark.parametrize("content", [b"", b"{", b'{"messages": []}', b'{"messages": [{"role": "user", "content": "hi"}]}'])
@pytest.mark.parametrize("page", PAGES)
def test_broken_and_empty_files(page: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, content, page)
    assert not app.exception
    assert words(app)


@pytest.mark.parametrize(("page", "said"), [("plan", "TaskCreate and TaskUpdate"), ("state", "read_file")])
def test_an_empty_page_says_what_is_looked_for(page: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, upload(conversation("Hello.", ("look", {}, "ok"))), page)
    assert said in words(app)


def test_the_grid_holds_what_the_replay_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxcore import read_session, replay

    steps = [("look", {"n": n}, "y" * 300) for n in range(12)]
    content = upload(conversation("The code is QX-1.", *steps))
    app = with_file(monkeypatch, tmp_path, content, "dropped", budget="1500")
    head, columns = grid_of(app)
    result = replay(read_session(content, "mine.json").threads[0], budget=1500)
    dropped = [len(result.drops(call)) for call in range(head["n"])]
    task = 1
    held = (columns["cut"] > task).astype(int) + (columns["cut"] > 0)
    assert np.maximum(columns["cut"] - held, 0).tolist() == dropped, "all before the cut but the system message and the task"
    assert f"{sum(times > 0 for times in result.first_dropped()[1])} would be dropped" in words(app)


def test_a_text_is_followed_to_the_call_from_which_it_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [("look", {"n": n}, f"answer {n} " + "y" * 300) for n in range(12)]
    app = with_file(monkeypatch, tmp_path, upload(conversation("Go.", *steps)), "dropped", budget="1500")
    app.text_input(key="dropped_text").set_value("ANSWER 0").run()
    assert not app.exception
    assert "In 1 message. 2 of 13 calls would see it, from call #1 on; it is gone from call #3." in words(app)
    assert len(grid_of(app)[0]["marks"]) == 1
    table = json.loads(next(node.proto.json for node in app.get("bidi_component") if "Gone from" in node.proto.json))
    assert table["search"] == "ANSWER 0"
    assert [column["label"] for column in table["columns"] if column["marked"]] == ["Text"]


def test_a_refused_call_is_marked_and_drops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, upload(conversation("Go " * 200, ("look", {}, "ok"))), "dropped", budget="100")
    assert grid_of(app)[1]["cut"].tolist() == [-1, -1]
    assert "Every call would be refused at this budget: nothing is sent at all" in words(app)
    assert "Every call is refused at this budget, so there is no unit to list." in words(app)
    assert "Nothing would be dropped" not in words(app)


def test_the_table_can_be_filtered_by_kind() -> None:
    app = opened("dropped", session="long-research")
    app.multiselect(key="dropped_kind").set_value(["user message"]).run()
    assert not app.exception
    assert {row[1] for row in rows_of(app, "dropped_rows")} == {"user message"}


def test_what_is_odd_in_a_plan_is_counted_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {"todos": [{"content": "Paint", "status": "completed"}]}
    content = upload(conversation("Go.", ("TodoWrite", TODO, "ok"), ("TodoWrite", AGAIN, "ok"), ("TodoWrite", gone, "ok")))
    app = with_file(monkeypatch, tmp_path, content, "plan")
    said = "1 step was reopened, 1 step was removed without completion, once two or more steps were in progress."
    assert said in words(app)
    assert "The plan was written 3 times. 2 steps in all; at the end 1 completed, 1 removed (0 of them completed before)." in words(app)
    assert "At call #3: 1 completed." in words(app)
    rows = rows_of(app, "plan_changes")
    assert [row[0] for row in rows] == [0, 0, 1, 2, 2]
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    marked = {"reopened", "removed without completion", "two in progress at once", "done without any tool call"}
    assert {"completed", "in progress", "picked call #3"} | marked == {t["name"] for t in figure["data"]}


def test_text_of_a_session_is_shown_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [("TodoWrite", {"todos": [{"content": HOSTILE, "status": "pending"}]}, "ok"), ("set_value", {"key": HOSTILE, "value": HOSTILE}, "ok")]
    content = upload(conversation("Go.", *steps, ("look", {}, "y" * 300), ("look", {}, "y" * 300)))
    for page in PAGES:
        app = with_file(monkeypatch, tmp_path, content, page, budget="1300")
        assert not app.exception
        shown = words(app) + json.dumps([n.proto.json for n in app.get("bidi_component")], ensure_ascii=False)
        assert "\u202e" not in shown
        assert "\x1b" not in shown
        assert not any(node.allow_html for node in app.markdown)


def test_whether_the_newest_value_is_in_the_picked_call() -> None:
    app = touched(opened("state", session="travel-desk-zh", call="30"))
    assert "Of 11 touched by then" in words(app)
    app.number_input(key="state_call").set_value(0).run()
    assert not app.exception
    assert "Before call #0 nothing had been touched." in words(app)


def test_chains_can_be_found_by_name() -> None:
    app = touched(opened("state", session="coding-agent"))
    app.text_input(key="state_find").set_value("LIMITER.py").run()
    assert {row[0] for row in rows_of(app, "state_chains")} == {"throttle/limiter.py", "tests/test_limiter.py"}
    app.text_input(key="state_find").set_value("no such thing").run()
    assert "Nothing matches these filters." in words(app)


WORK = ("Edit", {"file_path": "wall.py", "old_string": "a", "new_string": "b"}, "ok")

BROKEN = ("Bash", {"command": "pytest -q"}, "Exit code 1\n2 failed")


def worked(titles: int = 2) -> bytes:
    """A plan whose first step is called done after a test run that failed."""
    todo = {"todos": [{"content": f"Step {n}", "status": "pending" if n else "in_progress"} for n in range(titles)]}
    done = {"todos": [{"content": f"Step {n}", "status": "pending" if n else "completed"} for n in range(titles)]}
    return upload(
        conversation("Go.", ("TodoWrite", todo, "ok"), WORK, BROKEN, ("TodoWrite", done, "ok"), ("look", {}, "y" * 900), ("look", {}, "y" * 900))
    )


def test_a_claim_is_set_beside_what_the_record_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, worked(), "plan")
    assert "1 claimed done, 1 contradicted: tests failed at call #2." in words(app)
    assert [row[:3] for row in rows_of(app, "plan_facts")] == [
        [2, "tests failed (2): pytest -q", "against it"],
        [1, "changed wall.py", ""],
        [1, "2 tool calls, 1 succeeded, 1 failed", ""],
    ]
    assert [row[0] for row in rows_of(app, "plan_step_changes")] == [0, 3]
    app.selectbox(key="plan_step").set_value(1).run()
    assert not app.exception
    assert "Step 1: never claimed done. After call #6 it is pending." in words(app)


def test_the_second_layer_follows_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, worked(), "plan", budget="1500")
    app.toggle(key="plan_sight").set_value(True).run()
    assert not app.exception
    names = {trace.get("name") for trace in json.loads(app.get("plotly_chart")[0].proto.spec)["data"]}
    assert {"text in the context", "removed by the policy"} <= names
    assert "Its text before call #6: removed by the policy." in words(app)


def test_the_timeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, worked(), "plan")
    app.segmented_control(key="plan_view").set_value("Timeline").run()
    assert not app.exception
    names = {trace.get("name") for trace in json.loads(app.get("plotly_chart")[0].proto.spec)["data"]}
    assert {"done, contradicted ✗", "plan changed"} <= names


def test_a_long_plan_is_shown_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_file(monkeypatch, tmp_path, worked(120), "plan")
    assert not app.exception
    app.selectbox(key="plan_first").set_value(80).run()
    assert not app.exception
    titles = [note["text"] for note in json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["annotations"]]
    assert (titles[0], titles[-1]) == ("81. Step 80", "120. Step 119")


def test_a_session_without_a_plan_has_an_empty_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PLAN-08: a call that failed and was tried again."""
    app = with_file(monkeypatch, tmp_path, (ROOT / "tests" / "data" / "cases" / "PLAN-08.json").read_bytes(), "plan")
    assert "No plan in this thread" in words(app)


def test_the_plan_of_a_sub_agent_is_listed_under_the_call_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """PLAN-13."""
    monkeypatch.setenv("CTXSCOPE_OPEN", json.dumps([str(ROOT / "tests" / "data" / "cases" / "PLAN-13.jsonl")]))
    app = opened("plan", session="PLAN-13.jsonl")
    assert "started by call #1: 2 steps in all; at the end 2 completed." in words(app)


def test_a_plan_in_a_state_without_any_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    todos = [{"content": "Paint", "status": "completed"}, {"content": "Dry", "status": "pending"}]
    values = {"messages": [{"type": "human", "content": "Go", "id": "h"}], "todos": todos}
    state = {"values": values, "next": [], "metadata": {"step": 1}, "config": {"configurable": {"thread_id": "t"}}}
    app = with_file(monkeypatch, tmp_path, json.dumps(state).encode(), "plan")
    assert not app.exception
    assert "1 claimed done" in words(app)
    app.toggle(key="plan_sight").set_value(True).run()
    assert not app.exception
    app.segmented_control(key="plan_view").set_value("Timeline").run()
    assert not app.exception
