/** Markdown before it is nodes: where a growing text is cut, what its shapes are, and what an unfinished one looks like. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./vendored.mjs";

const { decoded } = await import("../../src/litro/assets/chat/entities.js");
const { linkTo, pictureAt } = await import("../../src/litro/assets/chat/links.js");
const { mended } = await import("../../src/litro/assets/chat/mending.js");
const { LONGEST_LINE, LONGEST_TAIL, Segments } = await import("../../src/litro/assets/chat/segments.js");
const { shapesOf } = await import("../../src/litro/assets/chat/shapes.js");

const texts = { table: "Table", taskDone: "Done", taskOpen: "Not done", picture: "Picture" };
const HERE = "https://chat.example/page";

/** Shapes as one line, with the names and attributes that matter. */
function drawn(source, images = "none") {
  return shapesOf(source, { address: HERE, images, outline: [], texts }).map(draw).join("");
}

function draw(shape) {
  if (typeof shape === "string") return shape;
  if ("text" in shape) return `<code-box ${shape.language}>${shape.text}</>`;
  const { href, src, start } = shape.attributes;
  const { name } = shape;
  return `<${[name, href ?? src ?? start].filter(Boolean).join(" ")}>${shape.children.map(draw).join("")}</>`;
}

/** The pieces of a text that comes in these pieces, with neighbours joined. */
function cut(...pieces) {
  const segments = new Segments();
  const all = [...pieces.flatMap((piece) => segments.take(piece)), ...segments.end()];
  return all.reduce((joined, piece) => {
    const last = joined.at(-1);
    if (last?.kind === piece.kind && (piece.kind === "code" || piece.kind === "long")) last.text += piece.text;
    else joined.push({ ...piece });
    return joined;
  }, []);
}

/** Numbers that look random, the same each time. */
function* numbers(seed) {
  for (let state = seed; ; ) yield (state = (state * 48271) % 0x7fffffff) / 0x7fffffff;
}

const WORDS = [
  ...["a", "word ", "**", "*", "_", "`", "```", "~~~", "~~", "[", "](", ")", "![", "https://a.example ", "<img src=x>", "&amp;", "\\"],
  ...["\n", "\n", "\n\n", "\r\n", "\r", "- ", "* ", "1. ", "2) ", "> ", "# ", "---\n", "===\n", "| a | b |", "|---|---|\n", "|", "    ", "  ", "\t"],
];

test("a text is cut in the same places however it comes", () => {
  const random = numbers(7);
  const next = (below) => Math.floor(random.next().value * below);
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: 40 }, () => WORDS[next(WORDS.length)]).join("");
    const pieces = [];
    for (let at = 0; at < text.length; ) pieces.push(text.slice(at, (at += 1 + next(9))));
    assert.deepEqual(cut(...pieces), cut(text), JSON.stringify(text));
    assert.deepEqual(cut(...text), cut(text), JSON.stringify(text));
  }
});

test("blocks, items, rows and lines of code are finished one by one", () => {
  const text = "One\nline\n\n- a\n- b\n\n  more\n\nx | y\n--- | ---\n1 | 2\n3 | 4\n\n```js\nf()\n\ng()\n```\nThe end";
  assert.deepEqual(cut(text), [
    { kind: "blocks", source: "One\nline\n\n", join: null },
    { kind: "blocks", source: "- a\n", join: null },
    { kind: "blocks", source: "- b\n\n  more\n\n", join: "list" },
    { kind: "blocks", source: "x | y\n--- | ---\n", join: null },
    { kind: "blocks", source: "x | y\n--- | ---\n1 | 2\n", join: "table" },
    { kind: "blocks", source: "x | y\n--- | ---\n3 | 4\n\n", join: "table" },
    { kind: "fence", language: "js" },
    { kind: "code", text: "f()\n\ng()" },
    { kind: "unfence" },
    { kind: "blocks", source: "The end\n", join: null },
  ]);
});

test("what is read again with each piece does not grow with the answer", () => {
  const parts = {
    paragraphs: "A **paragraph** of some words.\n\n",
    items: "- An item with `code`\n",
    rows: "| a | b |\n",
    quotations: "> Somebody said so.\n",
    code: "  call(me);\n",
  };
  const heads = { rows: "| x | y |\n|---|---|\n", code: "```js\n" };
  for (const [name, part] of Object.entries(parts)) {
    const segments = new Segments();
    let read = 0;
    for (const piece of (heads[name] ?? "") + part.repeat(2000)) {
      segments.take(piece);
      read = Math.max(read, segments.source.length);
    }
    assert.ok(read < (name === "quotations" ? LONGEST_TAIL + 100 : 100), `${name}: ${read}`);
  }
});

test("of a line without an end, no more than its beginning is ever read", () => {
  const line = "x".repeat(1_000_000);
  const segments = new Segments();
  for (let at = 0; at < line.length; at += 1000) {
    segments.take(line.slice(at, at + 1000));
    assert.ok(segments.tail.length <= LONGEST_LINE);
  }
  assert.deepEqual(cut(`${line}\n\nAfter`), [
    { kind: "long", text: line },
    { kind: "unlong" },
    { kind: "blocks", source: "After\n", join: null },
  ]);
});

test("everything that GitHub's Markdown has is drawn", () => {
  const cases = {
    "a *b* **c** ***d*** ~~e~~ `f`": "<p>a <em>b</> <strong>c</> <em><strong>d</></> <del>e</> <code>f</></>",
    "one\ntwo": "<p>one<br></>two</>",
    "3. a\n4. b": "<ol 3><li><p>a</></><li><p>b</></></>",
    "- [x] a\n- [ ] b": "<ul><li><span>☑</><p>a</></><li><span>☐</><p>b</></></>",
    "> a\n\n---": "<blockquote><p>a</></><hr></>",
    "~~~py\nx\n~~~": "<code-box py>x</>",
    "|a|b|\n|-|-|\n|1|2|":
      "<div><table><thead><tr><th>a</><th>b</></></><tbody><tr><td>1</><td>2</></></></></>",
    "[a](/b) <c@d.example>": "<p><a https://chat.example/b>a</> <a mailto:c@d.example>c@d.example</></>",
  };
  for (const [source, expected] of Object.entries(cases)) assert.equal(drawn(source), expected);
});

test("headings stand under the page's own, and leave no level out", () => {
  assert.equal(drawn("### a\n\n##### b\n\n# c\n\n## d"), "<h2>a</><h3>b</><h2>c</><h3>d</>");
});

test("HTML, definitions and whatever refers to them are text", () => {
  assert.equal(drawn("<img src=x onerror=alert(1)>"), "<p><img src=x onerror=alert(1)></>");
  assert.equal(drawn("<svg onload=alert(1)>\n<p>"), "<p><svg onload=alert(1)><br></><p></>");
  const defined = drawn("![a][b]\n\n[b]: https://evil.example/p.png");
  assert.equal(defined, "<p>![a][b]</><p>[b]: <a https://evil.example/p.png>https://evil.example/p.png</></>");
});

test("where the page's address names the session, a link within the page is only its words", () => {
  const page = { address: `${HERE}#s1`, isNamed: true, images: "none", outline: [], texts };
  const shown = (source) => shapesOf(source, page).map(draw).join("");
  assert.equal(shown(`[a](#x) [b](page#y) [c](${HERE}#) ![d](#z)`), "<p><span>a</> <span>b</> <span>c</> <span>d</></>");
  assert.equal(shown("[a](other#x)"), "<p><a https://chat.example/other#x>a</></>");
  assert.equal(drawn("[a](#x)"), `<p><a ${HERE}#x>a</></>`);
});

test("a link goes to a page or to somebody's mail, whatever its address looks like", () => {
  const refused = [
    ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", " \u0001javascript:alert(1)", "java\nscript:alert(1)"],
    ...["data:text/html,<script>alert(1)</script>", "vbscript:x", "blob:https://chat.example/x", "file:///etc/passwd", "about:blank", "tel:1", "http://", "https://["],
  ];
  for (const address of refused) assert.equal(linkTo(address, HERE), null, address);
  assert.deepEqual(linkTo("a/b?c#d", HERE), { href: "https://chat.example/a/b?c#d", isElsewhere: false });
  assert.deepEqual(linkTo("#d", HERE), { href: `${HERE}#d`, isElsewhere: false });
  assert.deepEqual(linkTo("//evil.example", HERE), { href: "https://evil.example/", isElsewhere: true });
  assert.equal(drawn("[a](javascript&colon;alert(1)) [b](&#106;avascript:alert(1))").includes("<a javascript"), false);
});

test("a refused link is shown as it was written", () => {
  assert.equal(drawn("[a](javascript:alert)"), "<p>[a](javascript:alert)</>");
  assert.equal(drawn("![a](javascript:alert)"), "<p>a</>");
});

test("pictures are links, unless the page allows where they are from", () => {
  const picture = "![a](https://cdn.example/p.png)";
  assert.equal(drawn(picture), "<p><a https://cdn.example/p.png>a</></>");
  assert.equal(drawn(picture, "origin"), "<p><a https://cdn.example/p.png>a</></>");
  assert.equal(drawn(picture, "origin https://cdn.example"), "<p><img https://cdn.example/p.png></></>");
  assert.equal(drawn(`[${picture}](/b)`), "<p><a https://chat.example/b>a</></>");
  assert.equal(pictureAt("/p.png", HERE, "origin"), "https://chat.example/p.png");
  assert.equal(pictureAt("data:image/png;base64,AA==", HERE, "origin"), "data:image/png;base64,AA==");
  for (const address of ["data:text/html,x", "javascript:alert(1)", "//cdn.example/p.png", "http://chat.example/p.png"]) {
    assert.equal(pictureAt(address, HERE, "origin"), null, address);
  }
  assert.equal(pictureAt("/p.png", HERE, "none"), null);
});

test("character references that people write are characters, and others are text", () => {
  assert.equal(decoded("&lt;b&gt; &amp;amp; &#65;&#x42; &hellip;"), "<b> &amp; AB …");
  assert.equal(decoded("&nonsense; &constructor; &#0; &#xD800; &#9999999; a & b"), "&nonsense; &constructor; \ufffd \ufffd \ufffd a & b");
});

test("text that is nested or marked beyond reason is shown as it is", () => {
  const nested = ["> ".repeat(4000) + "a", ">".repeat(9000) + "a", "- ".repeat(4000) + "a", "1. ".repeat(3000) + "a"];
  const marked = ["*a".repeat(4000), "[".repeat(9000), "![".repeat(4000), "<a ".repeat(3000) + "a", "`a ``b ".repeat(1000) + "a"];
  for (const text of [...nested, ...marked]) assert.ok(drawn(text) === `<p>${text}</>`, text.slice(0, 9));
  assert.equal(drawn(`${"> ".repeat(25)}a`).startsWith("<p>> > "), true);
  assert.equal(drawn(`${"> ".repeat(20)}a`).split("<blockquote>").length, 21);
  const steps = Array.from({ length: 190 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n");
  assert.equal(drawn(steps).startsWith("<p>- a"), true);
});

test("what is unfinished looks as it is meant", () => {
  const cases = {
    "**bold": "**bold**",
    "a *b **c": "a *b **c***",
    "a `code": "a `code`",
    "a **": "a",
    "see [the page](https://a.exa": "see the page",
    "see [the pa": "see the pa",
    "a ![pictu": "a",
    "| a | b": "| a | b\n|-|-|",
    "| a | b |\n|-": "| a | b |\n|-|-|",
    "- a\n- **b": "- a\n- **b**",
    "words\n--": "words\n",
    "```p": "",
    "snake_case": "snake_case",
    "**a** b": "**a** b",
  };
  for (const [source, expected] of Object.entries(cases)) assert.equal(mended(source), expected);
});
