"""What the official conformance suite asks of a server, as far as tools go. No model is ever asked."""

from litro import Agent

agent = Agent("openai:gpt-5")
