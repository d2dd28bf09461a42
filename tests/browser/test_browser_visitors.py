"""The page of `litro new`, as several people open it: each has chats of their own."""

from chat_page import Chat
from playwright.sync_api import Browser, BrowserContext, expect
from serving_page import Server


def test_each_visitor_sees_and_opens_only_chats_of_their_own(
    chat: Chat, context: BrowserContext, browser: Browser, server: Server, session: str
):
    chat.ask("Hello from me")
    chat.ends()
    mine = chat.page.locator(".session")
    expect(mine).to_have_count(1)
    second_tab = Chat(context.new_page(), server.url, session)
    second_tab.shows("You said: Hello from me")
    # The first answer about a session has made it.
    [cookie] = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    assert chat.page.evaluate("document.cookie") == ""
    with browser.new_context() as other:
        stranger = Chat(other.new_page(), server.url, session)
        expect(stranger.problem).to_contain_text("This chat is not there any more.")
        stranger.button("Start a new chat").click()
        stranger.ask("Hello from somebody else")
        stranger.ends()
        expect(stranger.page.locator(".session")).to_have_count(1)
    chat.page.reload()
    chat.shows("You said: Hello from me")
    expect(mine).to_have_count(1)
