"""The local authority speaks what Sigstore speaks, certifies whom it knows, and logs what it certified."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from argusic.errors import InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.verifying import Signature, SignatureVerifier
from argusic.evidence.trust.authority import ISSUER, LocalAuthority
from argusic.evidence.trust.log import SignatureLog
from argusic.evidence.trust.service import Service, serving
from tests.evidence.signing.conftest import Clock, Signed


@pytest.fixture
def authority(tmp_path: Path, clock: Clock) -> LocalAuthority:
    return LocalAuthority.create(KeyFolder(tmp_path / "keys"), "ada", clock)


def ask(service: Service, path: str, data: object = None, **headers: str) -> int:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(service.address + path, body, headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def request_for(key: ec.EllipticCurvePrivateKey) -> str:
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    return base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()


def test_sigstores_own_program_verifies_what_was_signed(signed: Signed, tmp_path: Path) -> None:
    configuration = tmp_path / "configuration.json"
    configuration.write_text(signed.authority.configuration("http://127.0.0.1:1"))
    command = [sys.executable, "-m", "sigstore", "--trust-config", str(configuration), "verify", "identity"]
    command += [
        "--offline",
        "--bundle",
        str(signed.bundle),
        "--cert-identity",
        f"{ISSUER}/ada",
        "--cert-oidc-issuer",
        ISSUER,
    ]
    for name, status in (("evidence.yaml", 0), ("run.yaml", 0), ("altered.txt", 1)):
        (signed.folders[0] / "altered.txt").write_text("altered")
        done = subprocess.run([*command, str(signed.folders[0] / name)], capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stderr


def test_each_bundle_is_verified_once_whatever_the_number_of_its_runs(
    signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = SignatureVerifier.verify
    verified = []

    def counted(self: SignatureVerifier, path: PurePosixPath, data: bytes) -> Signature:
        verified.append(path)
        return verify(self, path, data)

    monkeypatch.setattr(SignatureVerifier, "verify", counted)
    assert signed.said() == []
    assert len(verified) == 1


def test_an_authority_is_read_again_as_it_was_made(authority: LocalAuthority, tmp_path: Path) -> None:
    again = LocalAuthority(KeyFolder(tmp_path / "keys"))
    assert (again.root(), again.signer()) == (authority.root(), authority.signer())
    key = KeyFolder(tmp_path / "keys").path("authority/identities.pem")
    key.write_bytes(b"rubbish")
    with pytest.raises(InputError, match="holds no private key of a local authority"):
        LocalAuthority(KeyFolder(tmp_path / "keys"))


@pytest.mark.parametrize("name", ["", "Ada", "a b", "../up", "-x"])
def test_an_authority_has_a_name_that_can_be_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="the name"):
        LocalAuthority.create(KeyFolder(tmp_path / "keys"), name)


def test_it_certifies_whoever_shows_its_token_and_holds_the_key(authority: LocalAuthority, clock: Clock) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    asked = {"certificateSigningRequest": request_for(key)}
    with serving(authority) as service:
        token = authority.token()
        assert ask(service, "/api/v2/signingCert", asked, Authorization=f"Bearer {token}") == 200
        assert ask(service, "/api/v2/signingCert", asked, Authorization="Bearer guessed") == 400
        assert ask(service, "/api/v2/signingCert", asked) == 400
        assert ask(service, "/api/v2/signingCert", {"x": 1}, Authorization=f"Bearer {token}") == 400
        clock.ahead = timedelta(hours=1)
        assert ask(service, "/api/v2/signingCert", asked, Authorization=f"Bearer {token}") == 400


def test_it_logs_only_what_it_certified(authority: LocalAuthority, tmp_path: Path) -> None:
    other = LocalAuthority.create(KeyFolder(tmp_path / "other"), "ada")
    request = x509.load_pem_x509_csr(base64.b64decode(request_for(ec.generate_private_key(ec.SECP256R1()))))
    envelope = json.dumps({"payload": "", "signatures": [{"sig": ""}]})
    with serving(authority) as service:
        for certifier, status in ((authority, 201), (other, 400)):
            (leaf, _) = certifier.certify(request, {"iss": ISSUER, "sub": "ada"})
            proposed = {"envelope": envelope, "verifiers": [base64.b64encode(leaf.encode()).decode()]}
            asked = {"kind": "dsse", "spec": {"proposedContent": proposed}}
            assert ask(service, "/api/v1/log/entries", asked) == status


def test_it_hands_an_identity_to_the_signer_alone_and_serves_nothing_else(authority: LocalAuthority) -> None:
    with serving(authority) as service:
        assert ask(service, "/oidc?audience=sigstore", Authorization=f"bearer {service.secret}") == 200
        assert ask(service, "/oidc") == 401
        assert ask(service, "/oidc", Authorization="bearer x") == 401
        assert ask(service, "/") == 404
        assert ask(service, "/api/v1/log", {}) == 404
    with pytest.raises(urllib.error.URLError):
        ask(service, "/oidc")


def test_a_log_goes_on_where_a_writer_died(tmp_path: Path, clock: Clock) -> None:
    log = SignatureLog(tmp_path / "log", ec.generate_private_key(ec.SECP256R1()))
    log.append({"n": 1}, clock())
    with (tmp_path / "log").open("ab") as file:
        file.write(b"half a hash")
    (answer,) = log.append({"n": 2}, clock()).values()
    assert answer["logIndex"] == 1
    assert answer["verification"]["inclusionProof"]["treeSize"] == 2
    assert (tmp_path / "log").stat().st_size == 64
