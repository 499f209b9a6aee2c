"""A real HTTP server that speaks the three protocols of model servers and says what a script tells it to.

    with ModelServer(by_turn(Reply("I look", calls=(Call("shell", {"command": "ls"}),)), Reply("Done."))) as server:
        ...server.url...  # http://127.0.0.1:PORT/v1

Routes: chat/completions, responses, messages, messages/count_tokens, models.

Streams, tool calls, reasoning, usage, delays, errors and cut connections are those of the protocols, on a socket.
`server.asked` holds what it was asked, `server.served` what it would bill for.
"""

from tests.model_server.asked import Asked
from tests.model_server.script import Call, Reply, Script, Usage, always, by_turn, in_order
from tests.model_server.server import ModelServer, Served

__all__ = ["Asked", "Call", "ModelServer", "Reply", "Script", "Served", "Usage", "always", "by_turn", "in_order"]
