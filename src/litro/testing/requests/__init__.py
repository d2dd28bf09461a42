"""What the model APIs refuse: strict checks of a request's body, to run in tests on everything that is sent.

    check_chat_request(body)      # OpenAI's POST /chat/completions
    check_messages_request(body)  # Anthropic's POST /v1/messages

Model servers that run on a laptop, and fake ones, accept requests that the APIs answer with 400, so a test against them
proves little. Each rule here names its source: a page of the API's documentation, or a public report that quotes the
refusal. A failure is an AssertionError that says where, what was found, and what is required.

It is not a schema of the APIs: keys and block types that it does not know pass.
"""

from litro.testing.requests.chat import check_chat_request
from litro.testing.requests.messages import check_messages_request

__all__ = ["check_chat_request", "check_messages_request"]
