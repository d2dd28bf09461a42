"""The guard `visitor`: each browser has its own sessions, and the cookie that tells them apart is nobody else's to make."""

import re
from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from litro import Config, create_app, visitor
from litro.client import AgentClient
from litro.testing import running

pytestmark = [pytest.mark.anyio]

SECRET = "x" * 43
PATH = "/__litro/agent/demo"
SENDS = {"x-litro-agent": "1"}
AGENT = """
from starlette.requests import Request
from litro import Agent, visitor
from litro.providers import scripted

def known(request: Request) -> str:
    return request.headers.get("x-user") or visitor(request)

agent = Agent(scripted(lambda request, turn: ["Hello."]), access={guard})
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, guard in (("demo", "visitor"), ("known", "known")):
        folder = tmp_path / "agents" / name
        folder.mkdir(parents=True)
        (folder / "agent.py").write_text(AGENT.format(guard=guard))
        (folder / "instructions.md").write_text("Greet.")
    return tmp_path


class Browser(httpx2.AsyncClient):
    """A browser of somebody: it keeps cookies, and sends them along."""

    def __init__(self, app: Any, scheme: str = "http", **more: Any) -> None:
        super().__init__(
            transport=httpx2.ASGITransport(app=app), base_url=f"{scheme}://localhost", **more
        )

    async def say(self, session: str, **headers: str) -> httpx2.Response:
        return await self.post(f"{PATH}/{session}", json={"text": "Hi"}, headers=SENDS | headers)

    async def hear(self, session: str) -> str:
        return (await self.get(f"{PATH}/{session}")).text

    async def list(self) -> list[str]:
        return [each["session"] for each in (await self.get(PATH)).json()["sessions"]]


@pytest.fixture
async def app(project: Path) -> AsyncIterator[Any]:
    async with running(project, allowed_origins=["https://partner.example"]) as started:
        yield started.app


async def test_two_visitors_have_their_own_sessions_and_lists(app: Any):
    ann, bob = Browser(app), Browser(app)
    assert (await ann.say("a")).status_code == (await bob.say("b")).status_code == 200
    assert (await ann.list(), await bob.list()) == (["a"], ["b"])
    assert "turn-end" in await ann.hear("a")


async def test_another_visitor_s_session_is_not_there_whatever_is_asked(app: Any):
    ann, bob = Browser(app), Browser(app)
    await ann.say("a")
    await bob.say("b")
    asked: list[tuple[str, str, Mapping[str, str] | None]] = [
        ("GET", "", None), ("HEAD", "", None), ("POST", "", {"text": "Hi"}), ("PATCH", "", {"title": "mine"}), ("DELETE", "", None),
        ("POST", "/cancel", None), ("POST", "/fork", None), ("GET", "/queue", None), ("DELETE", "/queue/x", None),
    ]  # fmt: skip
    for stranger in (bob, Browser(app)):
        for method, verb, body in asked:
            answer = await stranger.request(method, f"{PATH}/a{verb}", json=body, headers=SENDS)
            assert answer.status_code == 404, (method, verb)
    streamed = await bob.get(f"{PATH}/a", headers={"accept": "text/event-stream"})
    assert streamed.status_code == 404
    assert await ann.list() == ["a"]


async def test_a_visitor_is_told_once_and_the_cookie_s_life_begins_anew_with_each_message(app: Any):
    ann = Browser(app)
    first = (await ann.get(f"{PATH}/a")).headers["set-cookie"]
    assert re.fullmatch(
        r"litro-visitor=[\w-]{43}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax", first
    )
    assert "set-cookie" not in (await ann.get(f"{PATH}/a")).headers
    assert (await ann.say("a")).headers["set-cookie"] == first


async def test_a_list_sets_no_cookie_since_a_page_asks_for_its_session_at_the_same_time(app: Any):
    answer = await Browser(app).get(PATH)
    assert answer.json()["sessions"] == []
    assert "set-cookie" not in answer.headers


async def test_over_https_no_other_host_of_the_domain_can_plant_a_cookie(app: Any):
    planted = {"litro-visitor": SECRET}
    said = await Browser(app, "https", cookies=planted).say("a")
    cookie = said.headers["set-cookie"]
    assert re.match(r"__Host-litro-visitor=[\w-]{43}; Path=/; ", cookie)
    assert cookie.endswith("; Secure")
    assert SECRET not in cookie
    assert await Browser(app, cookies=planted).list() == []


@pytest.mark.parametrize(("trusted", "secure"), [(["127.0.0.1"], True), ([], False)])
async def test_the_scheme_that_a_proxy_tells_counts_where_it_is_trusted(
    project: Path, trusted: list[str], secure: bool
):
    async with running(project, trusted_proxies=trusted) as started:
        said = await Browser(started.app).say("a", **{"x-forwarded-proto": "https"})
    cookie = said.headers["set-cookie"]
    assert (cookie.startswith("__Host-"), cookie.endswith("; Secure")) == (secure, secure)


@pytest.mark.parametrize(
    "value",
    ["", "1", "admin", SECRET[:-1], SECRET + "x", "x" * 6000, SECRET[:-1] + "%", "None"],
)  # fmt: skip
async def test_a_value_that_was_not_made_here_is_a_new_visitor(app: Any, value: str):
    forger = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app),
        base_url="http://localhost",
        headers={"cookie": f"litro-visitor={value}"},
    )
    made = set[str]()
    for session in ("a", "b"):
        said = await forger.post(f"{PATH}/{session}", json={"text": "Hi"}, headers=SENDS)
        assert said.status_code == 200
        made.add(said.headers["set-cookie"].partition(";")[0])
    assert len(made) == 2
    assert (await forger.get(f"{PATH}/a")).status_code == 404


async def test_the_log_has_a_hash_and_not_the_secret(app: Any, project: Path):
    ann = Browser(app)
    await ann.say("a")
    secret = ann.cookies["litro-visitor"]
    owner = f"visitor:{sha256(secret.encode()).hexdigest()[:32]}"
    started = (await ann.get(f"{PATH}/a")).text
    assert f'"by":"{owner}"' in started
    assert secret not in started
    # What the log has opens nothing.
    thief = Browser(app, cookies={"litro-visitor": owner.partition(":")[2]})
    assert (await thief.get(f"{PATH}/a")).status_code == 404


async def test_a_page_of_another_site_is_told_what_it_needs(app: Any):
    elsewhere = {"sec-fetch-site": "cross-site", "origin": "https://partner.example"}
    answer = await Browser(app).say("a", **elsewhere)
    assert answer.status_code == 403
    assert "'https://partner.example', is on another site" in answer.json()["message"]
    assert "set-cookie" not in answer.headers


async def test_a_guard_can_fall_back_on_it(app: Any):
    async with Browser(app) as ann:
        path = f"{PATH.replace('demo', 'known')}/a"
        signed_in = await ann.post(path, json={"text": "Hi"}, headers=SENDS | {"x-user": "ann"})
        assert '"by":"ann"' in signed_in.text
        assert "set-cookie" not in signed_in.headers
        assert (await ann.get(path)).status_code == 404


async def test_below_a_host_app_s_prefix_a_visitor_comes_back(project: Path, tmp_path: Path):
    litro = create_app(project, sessions=f"file:{tmp_path}/sessions", watch=False, signals=False)
    host = FastAPI(lifespan=litro.lifespan)
    host.mount("/ai", litro)
    async with litro.lifespan():
        transport = httpx2.ASGITransport(app=host)
        async with AgentClient("http://localhost/ai", transport=transport) as client:
            async for event in client.session("demo", "s1").send("Hi"):
                last = event.kind
            heard = [event.kind async for event in client.session("demo", "s1").resume()]
            page = await client.sessions("demo")
    assert last == heard[-1] == "turn-end"
    assert [each.session for each in page.sessions] == ["s1"]


def test_it_is_a_guard_like_any_other():
    assert Config(access=visitor).access is visitor
