"""Triple stores on other machines, or in other processes: checkpoints pushed to them, pulled from them, asked about.

Nothing here opens a connection but to the server that was named. httpx is imported with the first request.
"""

from checkpoint_ld.remote.client import SparqlClient, connect
from checkpoint_ld.remote.credentials import Credentials, credentials
from checkpoint_ld.remote.endpoint import Endpoint, Profile, endpoint, profiles
from checkpoint_ld.remote.manifest import Manifest
from checkpoint_ld.remote.outgoing import Outgoing, outgoing, outgoing_of_quads
from checkpoint_ld.remote.pull import pull
from checkpoint_ld.remote.push import Pushed, PushReport, distinct, push, verify

__all__ = [
    "Credentials",
    "Endpoint",
    "Manifest",
    "Outgoing",
    "Profile",
    "PushReport",
    "Pushed",
    "SparqlClient",
    "connect",
    "credentials",
    "distinct",
    "endpoint",
    "outgoing",
    "outgoing_of_quads",
    "profiles",
    "pull",
    "push",
    "verify",
]
