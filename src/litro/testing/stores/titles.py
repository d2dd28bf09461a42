"""Checks of titles: what a session is called, told without reading it."""

from litro.sessions.base import MAX_TITLE, SessionKey, SessionStore
from litro.testing.stores.checking import (
    Connect,
    connected,
    delta,
    expect,
    listed,
    meta_of,
    new_key,
    said,
    titled,
    writing,
)


async def _is_called(store: SessionStore, key: SessionKey, title: str | None, when: str) -> None:
    expect((await meta_of(store, key)).title, title, f"meta.title {when}")
    for meta in await listed(store, key.agent):
        expect(meta.title, title, f"the title in the list {when}")


async def the_first_message_of_a_person_is_the_title(connect: Connect) -> None:
    """Not what the model says, and no later message; before one, there is no title."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            expect(writer.meta.title, None, "the title of a new session's writer")
            writer.append(delta(1), said("I am the model", role="assistant"))
            await writer.flush()
            await _is_called(other, key, None, "before somebody speaks")
            writer.append(said("Weather in Lisbon? ☀"), said("And in Porto?"))
            await writer.flush()
            for handle in (store, other):
                await _is_called(handle, key, "Weather in Lisbon? ☀", "under a lease")
        await _is_called(store, key, "Weather in Lisbon? ☀", "after close")
        async with writing(other, key) as writer:
            expect(writer.meta.title, "Weather in Lisbon? ☀", "the writer's meta.title")


async def the_last_title_event_is_the_title(connect: Connect) -> None:
    """Wherever it stands, before or behind the first message, over several leases and restarts."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(titled("One"))
            await writer.flush()
            await _is_called(other, key, "One", "where nobody has spoken")
            writer.append(said("Hello"))
            await writer.flush()
            await _is_called(other, key, "One", "behind the first message")
        async with writing(other, key) as writer:
            expect(writer.meta.title, "One", "the writer's meta.title")
            writer.append(titled("Two"), titled("Three"), *(delta("x" * 500) for _ in range(300)))
            await writer.flush()
            for handle in (store, other):
                await _is_called(handle, key, "Three", "behind much else")
        async with writing(store, key) as writer:
            writer.append(said("Goodbye"), delta(1))
        await _is_called(other, key, "Three", "a lease later")
    async with connected(connect) as later:
        await _is_called(later, key, "Three", "after a restart")


async def a_long_title_is_cut(connect: Connect) -> None:
    """At MAX_TITLE characters, not bytes, be it a message or a title."""
    async with connected(connect) as store:
        for make in (said, titled):
            key, text = new_key(), "☀é\n" * 2000
            async with writing(store, key) as writer:
                writer.append(make(text), delta(1))
            await _is_called(store, key, text[:MAX_TITLE], f"of {len(text)} characters")
