"""A database with two published runs, signed by a local authority that whoever verifies trusts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.authorities import LocalSigning
from argusic.evidence.signing.batches import SignedBatch, sign_runs
from argusic.evidence.signing.trusting import Trusting
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.verify import Verified, verify
from argusic.records.trust import Signer
from tests.evidence.published import Published, publish_two


@dataclass
class Clock:
    """A clock that can be moved."""

    ahead: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Signed:
    """A database with two runs in one batch."""

    published: Published
    authority: LocalAuthority
    clock: Clock

    @property
    def root(self) -> Path:
        return self.published.database.root

    @property
    def folders(self) -> list[Path]:
        return self.published.folders

    @property
    def bundle(self) -> Path:
        (bundle,) = (self.root / "runs/small/signatures").iterdir()
        return bundle

    def trusting(self, **fields: object) -> Trusting:
        signer = self.authority.signer().model_copy(update=fields)
        return Trusting((Path("outside.yaml"),), (self.authority.root(),), (signer,))

    def verify(self, *paths: Path, trust: Trusting | None = None) -> Verified:
        return verify(self.published.database, paths, trust=trust or self.trusting())

    def said(self, *paths: Path, trust: Trusting | None = None) -> list[str]:
        return [str(finding) for finding in self.verify(*paths, trust=trust).findings]

    def sign(self, cycle: str = "small", claims: Mapping[str, str] | None = None) -> list[SignedBatch]:
        return sign_runs(self.published.database, cycle, LocalSigning(self.authority, claims))

    def signer(self, **fields: object) -> Signer:
        return self.authority.signer().model_copy(update=fields)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def unsigned(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Signed:
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "store"))
    published = publish_two(tmp_path)
    return Signed(published, LocalAuthority.create(KeyFolder(tmp_path / "keys"), "ada", clock), clock)


@pytest.fixture
def signed(unsigned: Signed) -> Signed:
    unsigned.sign()
    return unsigned


@pytest.fixture
def unshared() -> Callable[..., list[str]]:
    """Return a maker of commands that run without any network."""
    for prefix in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return lambda *command: [*prefix, *command]
    pytest.fail("neither root nor an unprivileged user may unshare the network here")
