"""Checks of keys and owners: who may use which session, and which ids are one."""

from typing import Final

from litro.errors import InvalidSessionId, NotOwner
from litro.sessions.base import SessionKey
from litro.testing.stores.checking import (
    Connect,
    connected,
    decoded,
    delta,
    expect,
    listed,
    meta_of,
    new_key,
    read_lines,
    refused,
    require,
    take_mail,
    uses,
    writing,
)

_INVALID: Final = ("", "a/b", "..\\a", "a b", "é", "a\n", "a\0", "%41", "x" * 201)


async def a_session_belongs_to_its_creator(connect: Connect) -> None:
    """None owns what None created; any other owner is refused, and the refusal keeps no lease."""
    async with connected(connect) as store, connected(connect) as other:
        for owner, strangers in ((None, ("u1", "", "None")), ("u1", (None, "U1", "u1 ", "u2"))):
            key = new_key()
            async with writing(store, key, owner=owner) as writer:
                writer.append(delta("a"))
            for handle in (store, other):
                for stranger in strangers:
                    await refused(
                        NotOwner,
                        handle.open(key, owner=stranger),
                        f"owner {stranger!r} on {owner!r}'s",
                    )
                async with writing(handle, key, owner=owner) as writer:
                    expect(writer.meta.owner, owner, "the writer's meta.owner")
            expect((await meta_of(other, key)).owner, owner, "meta.owner")


async def invalid_ids_are_refused_everywhere(connect: Connect) -> None:
    """By every method, as agent and as session."""
    async with connected(connect) as store:
        for text in _INVALID:
            for key in (SessionKey("agent", text), SessionKey(text, "s1")):
                for name, asked in uses(store, key):
                    await refused(InvalidSessionId, asked, f"{name} of {key!r:.80}")
            await refused(InvalidSessionId, listed(store, text), f"list of agent {text[:80]!r}")


async def ids_that_look_alike_are_separate_sessions(connect: Connect) -> None:
    """Differing by case alone, device names, dots and hyphens; listed under their own names."""
    agent = new_key().agent
    ids = ["abc", "ABC", "Abc", "-x", "x", "--", "con", "CON", "con.txt", "nul", "lpt1", "COM0"]
    ids += ["a.b", "a", "a.B", ".a", ".", "..", "a.", "a.jsonl", "a.inbox", "_", "x" * 64]
    async with connected(connect) as store, connected(connect) as other:
        for session in ids:
            async with writing(store, SessionKey(agent, session)) as writer:
                expect(writer.append(delta(session)), 1, f"the first seq of {session!r}")
        for session in ids:
            events = decoded(await read_lines(other, SessionKey(agent, session), 1))
            expect([event.payload for event in events], [session], f"what {session!r} holds")
        found = [meta.key.session for meta in await listed(other, agent)]
    expect(sorted(found), sorted(ids), "the sessions listed")


async def two_agents_never_share_a_session(connect: Connect) -> None:
    """The same id under two agents is two logs, two leases, two mailboxes."""
    one, two = new_key(), new_key()
    async with connected(connect) as store:
        async with writing(store, one, owner="u1") as first, writing(store, two) as second:
            first.append(delta("one"))
            second.append(delta("two"))
            await store.post(one, b'"for one"', id="m1")
            require(
                await store.post(two, b'"for two"', id="m1"),
                "the same mail id elsewhere must answer True.",
            )
            expect(await take_mail(second, 1), [b'"for two"'], "the second agent's mail")
        for key, payload in ((one, "one"), (two, "two")):
            found = [event.payload for event in decoded(await read_lines(store, key, 1))]
            expect(found, [payload], f"what {key.agent} holds")
            expect([meta.key for meta in await listed(store, key.agent)], [key], "the sessions")
