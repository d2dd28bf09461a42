"""What clients drive: a tool for each way that a call may go. No model is ever asked."""

from litro import Agent

agent = Agent("openai:gpt-5")
