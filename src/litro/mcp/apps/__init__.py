"""MCP Apps: components packed into one self-contained document each, for hosts that show them beside a conversation.

`definition` is what files declare; `sources` and `loading` find and import them; `packing` makes documents of them, by `addresses`,
`document` (pure) and `toolchain` (Node); `output` keeps what was packed. It knows no MCP SDK, and serves nothing.
"""
