"""Where the inspector is: `litro dev` says it, at whatever mount, and `litro info` lists it."""

import json
import subprocess
import sys
from collections.abc import Callable

from developing import Process, Project

from litro.cli.dev import _mounts, _on_this_machine

Start = Callable[..., Process]


def test_litro_dev_says_where_the_inspector_is(start: Start, project: Project):
    dev = start(project)
    address = dev.says(r"Inspector: (http://\S+)\n")[1]
    assert address == f"{dev.url}/__litro/inspector"
    assert dev.get("/__litro/inspector/").status_code == 200


def test_litro_dev_finds_it_below_the_mount_of_an_app(start: Start, with_app: Project):
    dev = start(with_app)
    assert dev.says(r"Inspector: (http://\S+)\n")[1] == f"{dev.url}/ai/__litro/inspector"
    moved = dev.get("/ai/__litro/inspector")
    assert (moved.status_code, moved.headers["location"]) == (307, "inspector/")
    (agent,) = dev.get("/ai/__litro/inspector/api/agents").json()["agents"]
    assert agent["name"] == "demo"


def test_a_server_that_this_machine_cannot_reach_by_loopback_says_none():
    hosts = ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1", "192.168.1.20", "box.local"]
    names = ["127.0.0.1", "localhost", "127.0.0.1", "::1", "::1", None, None]
    assert [_on_this_machine(host) for host in hosts] == names
    assert list(_mounts(object())) == []


def test_litro_info_lists_it_as_developments_own(project: Project):
    command = [sys.executable, "-m", "litro", "info", "--json"]
    told = subprocess.run(command, cwd=project.folder, capture_output=True, check=True)
    (only,) = [route for route in json.loads(told.stdout)["routes"] if "only" in route]
    assert only == {"methods": ["GET"], "path": "/__litro/inspector", "only": "development"}
