"""A Hugging Face hub of its own on the loopback: the routes that its clients ask for, for models and Spaces.

    with HubServer() as hub:
        revision = hub.add("model", "ada/tiny", {"README.md": b"# Tiny\n", "model.bin": weights})
        ...HF_ENDPOINT=hub.url...

`GET /api/models/O/N[/revision/REV]`, `GET /api/models/O/N/tree/REV[/FOLDER]`, `HEAD` and `GET /O/N/resolve/REV/PATH`,
and the same below `/api/spaces` and `/spaces`. `hub.faults` holds what goes wrong, `hub.asked` what was asked.
"""

from tests.hub_server.server import HubServer
from tests.hub_server.state import Fault, Repository

__all__ = ["Fault", "HubServer", "Repository"]
