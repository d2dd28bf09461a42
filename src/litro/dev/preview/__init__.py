"""`litro mcp preview`: a local page that plays the host of MCP Apps, so that people build cards without a desktop host.

`site` is the ASGI app, `board` what its page is told, `frame` the cards' documents and what they may do, `asking` the agent that
answers for the host. It loads, packs and watches nothing: `litro.app.preview` does.
"""
