"""Request gates: may this request reach an agent at all, judged by its head alone.

They are pure: a head and a policy, and a refusal or none, whatever the bytes. They are not authentication, which is an
agent's `access`; they read no body and know no route and no framework.
"""

from litro.gates.checks import Refusal, check, scheme_of
from litro.gates.cors import cors_headers
from litro.gates.head import Headers, RequestHead
from litro.gates.policy import GatePolicy

__all__ = [
    "GatePolicy",
    "Headers",
    "Refusal",
    "RequestHead",
    "check",
    "cors_headers",
    "scheme_of",
]
