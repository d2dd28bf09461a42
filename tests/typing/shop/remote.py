"""The client of a server elsewhere."""

from litro.client import AgentClient, SessionInfo
from litro.errors import RemoteError


async def ask(address: str, question: str) -> str:
    async with AgentClient(address, headers={"authorization": "Bearer …"}) as client:
        session = client.session("demo", "s1")
        try:
            return "".join(
                [
                    event.payload["text"]
                    async for event in session.send(question, on_busy="queue")
                    if event.kind == "text-delta"
                ]
            )
        except RemoteError as error:
            return f"{error.type} {error.status} {error.ref} {error.retry_after}: {error}"


async def tidy(client: AgentClient) -> list[SessionInfo]:
    session = client.session("demo", "s1")
    async for event in session.resume(-10, limit=10, deltas=False):
        print(event.seq, event.ts, event.kind, event.turn)
    for waiting in await session.queue():
        print(
            waiting.id, waiting.text, waiting.mode, waiting.by, await session.withdraw(waiting.id)
        )
    if await session.cancel():
        await session.rename("Prices")
    fork = await session.fork(at=7)
    await client.session("demo", fork.session).delete()
    page = await client.sessions("demo", limit=10)
    return [found for found in page.sessions if found.title and not found.running]
