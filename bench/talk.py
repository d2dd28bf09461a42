"""What is said in the chats of a benchmark: questions, answers in Markdown as models write it, and the pieces they come in.

Nothing but the standard library: a rival's server reads it too.
"""

import itertools
import re
from collections.abc import Iterator

BEGUN = "Asked and understood"
"""How each answer to an order begins: nothing else has it."""

_QUESTIONS = (
    "How do I read a large file line by line without holding all of it in memory?",
    "What is the difference between the two, and when would I take which?",
    "Can you show me that with an example? I have about 40 GB of logs, and a laptop.",
    "It prints `None` on the third line.\n\nWhat did I do wrong?",
)

_LIST = """There are **three things** to weigh here, and the *second* one is usually decisive:

1. **Memory.** A generator holds one line at a time; `readlines()` holds all of them.
2. **Speed.** Reading in blocks of `64 KiB` is about as fast as the disk, see [the notes](https://docs.python.org/3/library/io.html).
3. **Errors.** A line that is not UTF-8 raises `UnicodeDecodeError` in the middle:
   - pass `errors="replace"` where the text is for people,
   - open the file in binary mode where it is not.

Start with the simplest of them, measure it on a part of the data, and only then make it faster. In practice the disk is what you wait for,
so that clever code gains less than it looks like it would.

Number %d, for reference."""

_CODE = """The loop below does what you describe. It reads one line at a time, counts, and stops at the first line that it cannot read:

```python
from collections import Counter
from pathlib import Path


def count(path: Path) -> Counter[str]:
    \"\"\"How often each status is in the log.\"\"\"
    found: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            status = line.split()[8]
            if not status.isdigit():
                raise ValueError(f"{path}:{number}: {status!r} is no status")
            found[status] += 1
    return found
```

Call it with `count(Path("access.log"))`. What comes back is a dictionary, so `found["404"]` is the number of those that were not found,
and `found.most_common(3)` the three that come most often.

Number %d, for reference."""

_TABLE = """### How they compare

| Way | Memory | Time for 1 GB | Keeps order |
|:--|--:|--:|:-:|
| `readlines()` | 1.3 GB | 2.1 s | yes |
| a generator | 8 KB | 2.4 s | yes |
| `mmap` | as it goes | 1.9 s | yes |
| four processes | 32 KB | 0.8 s | **no** |

> The last row needs a file that can be cut anywhere, which a compressed one cannot.

Take the generator unless you have measured that it is too slow. If you have, the processes are the next step: each gets a part of the file,
moves on to the next line's beginning, and hands back its own count. Adding up the counts costs nothing worth speaking of.

Number %d, for reference."""

_TEXT = """That is because of the *default*, which is made once, when the function is defined, and not each time that it is called. Everything that
you put into it stays there until the process ends.

Write `None` for the default and make the list inside:

- `def add(item, to=None):`
- `to = [] if to is None else to`

After this, the third line prints what you expect. The same goes for dictionaries, sets, and for `datetime.now()`: what stands behind the
equals sign is looked at once. Linters know this one, so it is worth switching the rule on; ruff calls it **B006**.

Number %d, for reference."""

_ANSWERS = (_LIST, _CODE, _TEXT, _TABLE)


def question(number: int) -> str:
    """What is asked in a turn, counted from 1."""
    return _QUESTIONS[number % len(_QUESTIONS)]


def answer(number: int) -> str:
    """What is answered in that turn. It ends with words that no other answer has."""
    return _ANSWERS[number % len(_ANSWERS)] % number


def last_words(number: int) -> str:
    """What of the answer only this one has."""
    return f"Number {number}, for reference."


def pieces(text: str) -> list[str]:
    """The text in pieces as large as a model's tokens."""
    return re.findall(r"\s*\S{1,5}|\s+$", text)


def ordered(order: str) -> Iterator[str]:
    """The pieces of the answer to an order, `say COUNT`. Each tenth is its number, in brackets, and so is the last."""
    count = int(order.split()[1])
    yield f"{BEGUN}. "
    said = (piece for n in itertools.count() for piece in [*pieces(answer(n)), "\n\n"])
    for number, piece in enumerate(itertools.islice(said, count - 1), 2):
        yield f" ({number})" if number % 10 == 0 or number == count else piece
