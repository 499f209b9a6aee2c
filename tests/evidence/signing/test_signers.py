"""Who may sign what, from when to when: the policy comes from outside, and each way of being outside it is named."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
import sigstore.dsse
from pydantic import ValidationError
from sigstore.models import ClientTrustConfig

from argusic.database.codec import dump
from argusic.errors import EnvironmentLack, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.authorities import LocalSigning, PublicSigning, choose
from argusic.evidence.signing.batches import sign_runs
from argusic.evidence.signing.runner import runner_facts
from argusic.evidence.signing.statement import unverified_statement
from argusic.evidence.signing.trusting import Trusting, trusting
from argusic.evidence.signing.verifying import public_root
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.certificates import AUTHORITY_LIFE
from argusic.evidence.trust.service import serving
from argusic.records.trust import PUBLIC_GOOD, Signer, Trust
from tests.evidence.signing.conftest import Signed

GITHUB = "https://token.actions.githubusercontent.com"
CLAIMS = {
    "iss": GITHUB,
    "sub": "repo:o/r:ref:refs/heads/main",
    "repository": "o/r",
    "repository_visibility": "public",
    "ref": "refs/heads/main",
    "sha": "a" * 40,
    "runner_environment": "github-hosted",
    "job_workflow_ref": "o/r/.github/workflows/collect.yml@refs/heads/main",
}


def collector(signed: Signed, **fields: object) -> Signer:
    facts: dict[str, object] = {
        "name": "the collecting job",
        "authority": signed.authority.root().fingerprint,
        "issuer": GITHUB,
        "repository": "o/r",
        "workflow": ".github/workflows/collect.yml",
        "ref": "refs/heads/main",
        "runner": "github-hosted",
        "may": ("batch",),
        "since": signed.clock() - timedelta(days=1),
    }
    return Signer.model_validate({**facts, **fields})


def trust_in(signed: Signed, *signers: Signer) -> Trusting:
    return Trusting((Path("outside.yaml"),), (signed.authority.root(),), signers)


def test_a_workflow_is_known_by_repository_path_ref_issuer_and_runner(unsigned: Signed) -> None:
    unsigned.sign(claims=CLAIMS)
    verified = unsigned.verify(trust=trust_in(unsigned, collector(unsigned)))
    assert verified.findings == []
    (signature,) = verified.vouching.signatures
    assert signature.identity == "https://github.com/o/r/.github/workflows/collect.yml@refs/heads/main"
    assert signature.signer == "the collecting job"


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("repository", "o/other", "its repository is https://github.com/o/r, not https://github.com/o/other"),
        ("workflow", ".github/workflows/other.yml", "its workflow is https://github.com/o/r/.github/workflows/coll"),
        ("ref", "refs/heads/other", "its workflow is https://github.com/o/r/.github/workflows/collect.yml@refs/h"),
        ("issuer", "https://issuer.invalid", f"its issuer is {GITHUB}, not https://issuer.invalid"),
        ("runner", "self-hosted", "its runner is github-hosted, not self-hosted"),
        ("may", ("close",), "it may not sign a batch"),
    ],
)
def test_a_workflow_that_is_unlike_the_policy_in_one_thing_is_named(
    unsigned: Signed, field: str, value: object, why: str
) -> None:
    unsigned.sign(claims=CLAIMS)
    said = unsigned.said(trust=trust_in(unsigned, collector(unsigned, **{field: value})))
    assert any(f"who may not: it is not the collecting job: {why}" in line for line in said)
    assert sum("no valid signature names this run" in line for line in said) == 2


def test_a_ref_in_the_workflow_alone_is_not_enough(unsigned: Signed) -> None:
    unsigned.sign(claims={**CLAIMS, "ref": "refs/heads/feature"})
    said = unsigned.said(trust=trust_in(unsigned, collector(unsigned)))
    assert any("its ref is refs/heads/feature, not refs/heads/main" in line for line in said)


def test_a_signature_before_or_after_its_signers_time_is_named(signed: Signed) -> None:
    now = signed.clock()
    later = signed.said(trust=signed.trusting(since=now + timedelta(days=1)))
    assert any("it may sign from" in line for line in later)
    earlier = signed.said(trust=signed.trusting(until=now - timedelta(hours=1), since=now - timedelta(days=9)))
    assert any("it might sign until" in line for line in earlier)


def test_a_name_that_the_policy_does_not_hold_is_named(unsigned: Signed) -> None:
    unsigned.sign(claims={"sub": "mallory"})
    said = unsigned.said()
    assert any("https://local.argusic.invalid/mallory signed it, who may not" in line for line in said)


def test_a_key_of_another_authority_is_named(unsigned: Signed, tmp_path: Path) -> None:
    other = LocalAuthority.create(KeyFolder(tmp_path / "other"), "ada")
    sign_runs(unsigned.published.database, "small", LocalSigning(other))
    said = unsigned.said()
    assert any("it is certified by an authority that is not known here" in line for line in said)
    assert sum("no valid signature names this run" in line for line in said) == 2


def test_an_authority_that_is_known_and_may_sign_nothing_is_named(signed: Signed) -> None:
    said = signed.said(trust=Trusting((Path("x"),), (signed.authority.root(),), ()))
    assert any("nobody who is certified by this authority may sign" in line for line in said)


def test_a_certificate_of_an_authority_that_has_expired_is_named(unsigned: Signed) -> None:
    unsigned.clock.ahead = AUTHORITY_LIFE + timedelta(days=1)
    with pytest.raises(EnvironmentLack):
        unsigned.sign()  # The library itself refuses a token from the future.
    unsigned.clock.ahead = timedelta()
    aged = LocalAuthority(KeyFolder(Path(unsigned.root).parent / "keys"), unsigned.clock)
    certify = aged.certify

    def late(*arguments: object) -> list[str]:
        unsigned.clock.ahead = AUTHORITY_LIFE + timedelta(days=1)
        return certify(*arguments)  # type: ignore[arg-type]

    aged.certify = late  # type: ignore[method-assign, assignment]
    sign_runs(unsigned.published.database, "small", LocalSigning(aged))
    assert any("its signature does not hold" in line for line in unsigned.said())


def test_a_signature_that_was_logged_after_its_certificate_expired_is_named(unsigned: Signed) -> None:
    append = unsigned.authority.log.append
    unsigned.authority.log.append = (  # type: ignore[method-assign]
        lambda entry, at: append(entry, at + timedelta(hours=1))
    )
    unsigned.sign()
    assert any("its signature does not hold" in line for line in unsigned.said())


def test_what_is_no_statement_of_ours_is_named(unsigned: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    signing = LocalSigning(unsigned.authority)
    folder = unsigned.root / "runs/small/signatures"
    folder.mkdir()
    subject = sigstore.dsse.Subject(name="x", digest=sigstore.dsse.DigestSet({"sha256": "0" * 64}))
    foreign = sigstore.dsse.StatementBuilder([subject], "https://example.org/other", {}).build()
    unsigned.sign()
    ours = (folder / unsigned.bundle.name).read_bytes()
    statement = sigstore.dsse.Statement(unverified_statement(ours).model_dump_json(by_alias=True).encode())
    with signing.signer() as signer:
        unsigned.bundle.write_text(signer.sign_dsse(foreign).to_json())
        assert any("it holds no statement of Argusic" in line for line in unsigned.said())
        monkeypatch.setattr(sigstore.dsse.Envelope, "_TYPE", "text/plain")
        unsigned.bundle.write_text(signer.sign_dsse(statement).to_json())
    assert any("it signs 'text/plain', which is no in-toto statement" in line for line in unsigned.said())


def test_who_was_told_nobody_judges_nobody_and_says_so(signed: Signed) -> None:
    verified = signed.verify(trust=Trusting())
    assert verified.findings == []
    assert len(verified.vouching.unsigned) == 2
    assert "an authority that is not known here" in str(verified.vouching.unknown[0])


def test_trust_comes_from_the_users_folder_or_a_named_file_and_never_from_the_tree(
    signed: Signed, tmp_path: Path
) -> None:
    record = dump(Trust(roots=(signed.authority.root(),), signers=(signed.authority.signer(),)))
    keys = KeyFolder(tmp_path / "mine")
    assert not trusting(signed.root, keys=keys).told
    keys.add("trust/ada.yaml", record)
    own = trusting(signed.root, keys=keys)
    assert signed.said(trust=own) == []
    elsewhere = tmp_path / "named.yaml"
    elsewhere.write_bytes(dump(Trust()))
    assert trusting(signed.root, [elsewhere], keys).signers == ()
    inside = signed.root / "rules/trust/policy.yaml"
    inside.parent.mkdir(exist_ok=True)
    shutil.copy(keys.path("trust/ada.yaml"), inside)
    with pytest.raises(InputError, match="cannot vouch for itself"):
        trusting(signed.root, [inside], keys)


def test_a_job_of_github_signs_under_its_own_identity(unsigned: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(unsigned.authority, CLAIMS) as service:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{service.address}/oidc?x=1")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", service.secret)
        configuration = ClientTrustConfig.from_json(unsigned.authority.configuration(service.address))
        sign_runs(unsigned.published.database, "small", PublicSigning(configuration))
        assert unsigned.said(trust=trust_in(unsigned, collector(unsigned))) == []
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "guessed")
        refused = pytest.raises(EnvironmentLack, match="given no identity")
        with refused, PublicSigning(configuration).signer():
            pass


def test_a_private_repository_is_not_written_into_a_public_log(
    unsigned: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(unsigned.authority, {**CLAIMS, "repository_visibility": "private"}) as service:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{service.address}/oidc")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", service.secret)
        with pytest.raises(EnvironmentLack, match="this repository is not public"), PublicSigning().signer():
            pass


def test_who_has_no_authority_is_told_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    with pytest.raises(EnvironmentLack, match="argusic trust init"):
        choose(KeyFolder(tmp_path / "none"))


def test_the_public_root_comes_with_the_library() -> None:
    assert public_root().get_fulcio_certs()


def test_a_signer_of_the_public_instance_must_say_who_it_is(unsigned: Signed) -> None:
    facts = {"name": "x", "authority": PUBLIC_GOOD, "may": ["batch"], "since": unsigned.clock()}
    with pytest.raises(ValidationError, match="everyone on earth"):
        Signer.model_validate(facts)
    Signer.model_validate({**facts, "issuer": "https://accounts.example.org", "identity": "ada@example.org"})
    with pytest.raises(ValidationError, match="roots does not hold"):
        Trust(signers=(unsigned.authority.signer(),))


def test_a_runner_says_what_it_is() -> None:
    facts = {
        "GITHUB_ACTIONS": "true",
        "RUNNER_ENVIRONMENT": "github-hosted",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_RUN_ID": "7",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_JOB": "collect",
    }
    told = runner_facts(facts, "a" * 64)
    assert (told.kind, told.job) == ("github-hosted", "https://github.com/o/r/actions/runs/7/attempts/1 (collect)")
    assert runner_facts({}).kind == "local"
