"""What holds for all agents."""

from litro import Config, visitor

# Each browser sees and opens its own chats, by a cookie. Whoever reaches the server may still talk, and use your model:
# where people sign in, put a guard of yours here.
config = Config(access=visitor)
