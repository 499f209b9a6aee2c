"""The services of a local authority on a loopback port, there only while something is being signed.

`POST /api/v2/signingCert` certifies (Fulcio), `POST /api/v1/log/entries` logs (Rekor v1), and `GET /oidc` hands an
identity to whoever knows the secret, as GitHub Actions hands one to its jobs.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from cryptography import x509

from argusic.evidence.trust.authority import LocalAuthority

#: The largest request: a statement of the most subjects that a batch may have is far below.
_MOST_BYTES: Final = 64 * 1024 * 1024
_NO_PROXY: Final = ("no_proxy", "NO_PROXY")


@dataclass(frozen=True)
class Service:
    """A local authority that is being served.

    Attributes:
        address: Where.
        secret: What must be known to be handed an identity.
    """

    address: str
    secret: str


@contextmanager
def serving(authority: LocalAuthority, claims: Mapping[str, str] | None = None) -> Iterator[Service]:
    """Serve a local authority on a loopback port.

    Args:
        authority: The authority.
        claims: The claims of the identity that it hands out; by default its own name.
    """
    secret = secrets.token_urlsafe(32)

    class Handler(_Handler):
        served = authority
        expected = f"bearer {secret}"
        handed_out = claims

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            with _no_proxy_for("127.0.0.1"):
                yield Service(f"http://127.0.0.1:{server.server_port}", secret)
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: LocalAuthority
    expected: str
    handed_out: Mapping[str, str] | None

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the command that signs says what is signed."""

    def do_GET(self) -> None:
        """Hand out an identity."""
        if self.path.split("?")[0] != "/oidc":
            self._answer(404, {"message": "There is nothing here."})
        elif not hmac.compare_digest(self.headers.get("authorization", "").lower(), self.expected.lower()):
            self._answer(401, {"message": "An identity is handed out to the signer alone."})
        else:
            self._answer(200, {"value": self.served.token(self.handed_out)})

    def do_POST(self) -> None:
        """Certify or log."""
        steps = {"/api/v2/signingCert": self._certify, "/api/v1/log/entries": self._log}
        step = steps.get(self.path)
        length = int(self.headers.get("content-length", 0))
        if step is None or not 0 < length <= _MOST_BYTES:
            self._answer(404, {"message": "There is nothing here."})
            return
        try:
            status, answer = step(json.loads(self.rfile.read(length)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            status, answer = 400, {"message": f"{error}"}
        self._answer(status, answer)

    def _certify(self, asked: Any) -> tuple[int, dict[str, Any]]:
        claims = self.served.claims(self.headers.get("authorization", "").removeprefix("Bearer "))
        request = x509.load_pem_x509_csr(base64.b64decode(asked["certificateSigningRequest"]))
        if not request.is_signature_valid:
            raise ValueError("the request is not signed with the key that it is for")
        chain = self.served.certify(request, claims)
        return 200, {"signedCertificateEmbeddedSct": {"chain": {"certificates": chain}}}

    def _log(self, asked: Any) -> tuple[int, dict[str, Any]]:
        proposed = asked["spec"]["proposedContent"]
        envelope = json.loads(proposed["envelope"])
        for verifier in proposed["verifiers"]:
            if not self.served.certified(x509.load_pem_x509_certificate(base64.b64decode(verifier))):
                raise ValueError("only what this authority certified is logged")
        signatures = [
            {"signature": signature["sig"], "verifier": verifier}
            for signature, verifier in zip(envelope["signatures"], proposed["verifiers"], strict=True)
        ]
        spec = {
            "envelopeHash": _digest(proposed["envelope"].encode()),
            "payloadHash": _digest(base64.b64decode(envelope["payload"])),
            "signatures": signatures,
        }
        entry = {"apiVersion": "0.0.1", "kind": "dsse", "spec": spec}
        return 201, self.served.log.append(entry, self.served.clock())

    def _answer(self, status: int, answer: dict[str, Any]) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _digest(data: bytes) -> dict[str, str]:
    return {"algorithm": "sha256", "value": hashlib.sha256(data).hexdigest()}


@contextmanager
def _no_proxy_for(host: str) -> Iterator[None]:
    """Let the HTTP clients of this process reach a host directly, whatever proxy the environment names."""
    before = {name: os.environ.get(name) for name in _NO_PROXY}
    for name, value in before.items():
        os.environ[name] = f"{value},{host}" if value else host
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
