"""Documents that would load something from elsewhere: read by parsers of HTML, CSS and addresses, every one told."""

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from litro.mcp.apps.toolchain import Document, examine
from litro.ui.engine import find_node

LOADS = {
    # Attributes of HTML
    '<img src="https://x.example/a.png">': ["<img src> 'https://x.example/a.png'"],
    "<script src=https://x.example/a.js>ignored</script>": ["<script src> 'https://x.example/a.js'"],
    "<my-card src='http://x.example'></my-card>": ["<my-card src> 'http://x.example'"],
    '<img srcset="a.png 1x, https://x.example/1,2 2x,//y.example 3x">': [
        "<img srcset> 'https://x.example/1,2'",
        "<img srcset> '//y.example'",
    ],
    '<img srcset="data:image/png;base64,AA== 1x,https://x.example">': ["<img srcset> 'https://x.example'"],
    '<link rel=preload as=image imagesrcset="https://x.example/a 1x, b 2x">': ["<link imagesrcset> 'https://x.example/a'"],
    "<link rel=stylesheet href=https://x.example/a.css>": ["<link href> 'https://x.example/a.css'"],
    "<object data='https://x.example/a.swf'></object>": ["<object data> 'https://x.example/a.swf'"],
    "<video poster='https://x.example/a.png'></video>": ["<video poster> 'https://x.example/a.png'"],
    "<base href='https://x.example/'>": ["<base href> 'https://x.example/'"],
    "<table background='https://x.example/a'></table>": ["<table background> 'https://x.example/a'"],
    "<meta http-equiv=Refresh content='0; url=https://x.example'>": ["<meta content> 'https://x.example'"],
    # Addresses that browsers read as external
    "<img src=//x.example>": ["<img src> '//x.example'"],
    r"<img src='\\x.example\a'>": [r"<img src> '\\\\x.example\\a'"],
    r"<img src='/\x.example'>": [r"<img src> '/\\x.example'"],
    "<img src='https:\\\\x.example'>": [r"<img src> 'https:\\\\x.example'"],
    "<img src=' \t HT\nTPS://x.example'>": [r"<img src> ' \t HT\nTPS://x.example'"],
    "<img src='\x01https://x.example'>": [r"<img src> '\x01https://x.example'"],
    "<img src='http&#115;&colon;//x.example'>": ["<img src> 'https://x.example'"],
    "<img src=https:x.example>": ["<img src> 'https:x.example'"],
    # SVG
    "<svg><image href='https://x.example/a'/></svg>": ["<image href> 'https://x.example/a'"],
    "<svg><use xlink:href='https://x.example/#a'/></svg>": ["<use xlink:href> 'https://x.example/#a'"],
    "<svg><rect fill='url(https://x.example/#a)'/></svg>": ["CSS url() 'https://x.example/#a'"],
    "<svg><style>a{fill:url(https://x.example)}</style></svg>": ["CSS url() 'https://x.example'"],
    # CSS
    "<p style=\"background:url('https://x.example')\">": ["CSS url() 'https://x.example'"],
    "<style>a{b:URL( https://x.example )}</style>": ["CSS url() 'https://x.example'"],
    "<style>@font-face{src:url(//x.example)}</style>": ["CSS url() '//x.example'"],
    '<style>@import"https://x.example"</style>': ["CSS @import 'https://x.example'"],
    '<style>@import/**/url("https://x.example") layer(a);</style>': ["CSS @import 'https://x.example'"],
    "<style>@IMPORT url(https://x.example);</style>": ["CSS @import 'https://x.example'"],
    r"<style>a{b:url(\68 ttps://x.example)}</style>": ["CSS url() 'https://x.example'"],
    r"<style>a{b:u\72l(https://x.example)}</style>": ["CSS url() 'https://x.example'"],
    r"<style>@\69mport 'https://x.example'</style>": ["CSS @import 'https://x.example'"],
    r"<style>a{b:url('https://x.example/\0\d800\110000')}</style>": ["CSS url() 'https://x.example/\ufffd\ufffd\ufffd'"],
    "<style>a{b:image-set('https://x.example' 1x type('image/png'))}</style>": ["CSS image-set() 'https://x.example'"],
    "<style>a{b:'}' c:url(https://x.example)}</style>": ["CSS url() 'https://x.example'"],
    # Places
    "<template><img src=https://x.example></template>": ["<img src> 'https://x.example'"],
    "<a-b><template shadowrootmode=open><style>@import 'https://x.example'</style></template></a-b>": ["CSS @import 'https://x.example'"],
    "<iframe srcdoc=\"<img src='https://x.example'>\"></iframe>": ["<img src> 'https://x.example'"],
    "<iframe srcdoc=\"<template><iframe srcdoc='<img src=&amp;quot;https://x.example&amp;quot;>'>\">": ["<img src> 'https://x.example'"],
    "<p title='>'><img alt='<script>' src=https://x.example>": ["<img src> 'https://x.example'"],
    "<!-- <script> --><img src=https://x.example>": ["<img src> 'https://x.example'"],
    "<img src=https://x.example>" * 3 + "<input src=https://x.example>": [
        "<img src> 'https://x.example'",
        "<input src> 'https://x.example'",
    ],
}  # fmt: skip

LOADS_NOTHING = [
    "<a href=https://x.example ping=https://x.example>x</a>",
    "<map><area href=https://x.example></map>",
    "<svg><a href=https://x.example xlink:href=https://x.example><text>x</text></a></svg>",
    "<form action=https://x.example></form>",
    "<img src=data:image/png;base64,AA>",
    "<img src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\">'>",
    "<img src=blob:https://x.example/1>",
    "<img src=a.png srcset='a.png 1x, /b.png 2x'><img src=#a><img src=''><img src>",
    "<img src=https://><img src='https://[x'><img src='http://a b'>",
    "<script>const a = \"<img src='https://x.example'>\"; fetch('https://x.example')</script>",
    '<script type=application/json>{"src": "https://x.example"}</script>',
    "<!-- <img src=https://x.example> <style>@import 'https://x.example'</style> -->",
    "<!--lit-part https://x.example--><p>url(https://x.example)</p>",
    "<p title='<img src=https://x.example>' data-src=https://x.example data=https://x.example>x</p>",
    "<p href=https://x.example poster=''>x</p>",
    "<textarea><img src=https://x.example></textarea><title><img src=https://x.example></title>",
    "<style>/* url(https://x.example) @import 'https://x.example' */ a{content:'https://x.example'}</style>",
    "<style>@namespace svg url(http://www.w3.org/2000/svg); @namespace 'http://www.w3.org/1999/xhtml';</style>",
    "<style>a{b:url(#a) url(data:image/png;base64,AA) url() url(a.png)} @import 'a.css';</style>",
    "<style>a{b:url(https://x.example bad)} @important 'https://x.example';</style>",
    "<meta name=description content='0; url=https://x.example'><meta http-equiv=refresh content=5>",
    "<div data-litro-hydrate='{\"src\":\"https://x.example\"}'></div>",
    "<svg xmlns='http://www.w3.org/2000/svg'><use href='#a'/><rect fill='red'/></svg>",
]  # fmt: skip


def told(problem: str) -> list[str]:
    match = re.fullmatch(r"it would load from elsewhere: (.*), so it would show nothing .*", problem, re.DOTALL)  # fmt: skip
    assert match, problem
    return re.split(r", (?=<[a-z-]+ [a-z:]+> '|CSS )", match[1])


async def test_whatever_would_be_loaded_from_elsewhere_is_told_once():
    documents = [Document(html=f"<!doctype html><body>{one}") for one in LOADS]
    examined = await examine(find_node(None), documents)
    found = {one: [told(problem) for problem in e.problems] for one, e in zip(LOADS, examined, strict=True)}  # fmt: skip
    assert found == {one: [wanted] for one, wanted in LOADS.items()}


async def test_links_text_and_what_a_document_brings_along_are_not_told():
    documents = [Document(html=f"<!doctype html><body>{one}") for one in LOADS_NOTHING]
    examined = await examine(find_node(None), documents)
    found = {one: e.problems for one, e in zip(LOADS_NOTHING, examined, strict=True) if e.problems}
    assert found == {}


async def test_all_of_a_document_is_told_in_one_sentence():
    every = "".join(one for one in LOADS if not one.startswith("<base") and "/*" not in one)
    (examined,) = await examine(find_node(None), [Document(html=every)])
    (problem,) = examined.problems
    assert {"<link href> 'https://x.example/a.css'", "CSS @import 'https://x.example'"} <= set(told(problem))  # fmt: skip
    assert "whatever csp allows" in problem


async def test_a_document_as_deep_and_as_wide_as_any_is_examined():
    deep = "<div>" * 4_000 + "<img src=https://x.example>"
    wide = "<br>" * 200_000 + "<img src=https://x.example>"
    examined = await examine(find_node(None), [Document(html=deep), Document(html=wide)])
    assert [told(one.problems[0]) for one in examined] == [["<img src> 'https://x.example'"]] * 2


MARKUP = st.sampled_from([*LOADS, *LOADS_NOTHING])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=5, deadline=None)
@given(st.lists(st.lists(MARKUP | TEXT, max_size=6).map("".join), min_size=20, max_size=40))
async def test_what_is_text_is_told_of_by_nobody(texts: list[str]):
    documents = [
        Document(html=f'<p title="{one}">{one}</p><textarea>{one}</textarea>')
        for one in map(html.escape, texts)
    ]
    examined = await examine(find_node(None), documents)
    assert [one.problems for one in examined] == [()] * len(documents)
