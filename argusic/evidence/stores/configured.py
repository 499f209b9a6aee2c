"""The store of a repository: the one function that everything which reads or keeps evidence goes through.

Which store it is stands in `rules/evidence.yaml`; without that file it is the folder alone.
"""

from __future__ import annotations

from functools import partial

from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH
from argusic.errors import EnvironmentLack
from argusic.evidence.store import EvidenceStore, FolderStore
from argusic.evidence.stores.cached import CachedStore
from argusic.evidence.stores.committed import CommittedPacks
from argusic.evidence.stores.elsewhere import Elsewhere
from argusic.records.evidence_home import BucketHome, EvidenceHome, ReleasesHome, RepositoryHome

#: Where else than on this machine evidence may be kept.
Home = BucketHome | ReleasesHome | RepositoryHome


def store_of(database: Database, *, offline: bool = False) -> EvidenceStore:
    """Return the evidence store of a repository.

    Args:
        database: The database.
        offline: Whether nothing is to be brought from elsewhere.

    Raises:
        InputError: `rules/evidence.yaml` is not valid.
    """
    here, home = FolderStore(database.store_folder), home_of(database)
    if home is None:
        return here
    # What the repository itself holds is on this machine, and needs no network.
    offline = offline and not isinstance(home, RepositoryHome)
    return CachedStore(here, partial(_reach, database, home), offline=offline)


def elsewhere_of(database: Database) -> Elsewhere | None:
    """Return where else than on this machine a repository keeps its evidence; None where nowhere.

    Raises:
        InputError: `rules/evidence.yaml` is not valid.
        EnvironmentLack: What its kind of store needs is not installed.
    """
    home = home_of(database)
    return _reach(database, home) if home is not None else None


def home_of(database: Database) -> Home | None:
    """Return what `rules/evidence.yaml` says; None where it names nothing but the folder.

    Raises:
        InputError: It is not valid.
    """
    if not database.holds(EVIDENCE_HOME_PATH):
        return None
    home = database.read(EVIDENCE_HOME_PATH, EvidenceHome)
    return home.bucket or home.releases or home.repository


def _reach(database: Database, home: Home) -> Elsewhere:
    if isinstance(home, RepositoryHome):
        return CommittedPacks(database, home)
    # A library that only those need who use it: one may not be there, the other is slow to load.
    if isinstance(home, BucketHome):
        try:
            from argusic.evidence.stores.bucket import Bucket
        except ModuleNotFoundError as error:
            what = f"the evidence of this repository lies in a bucket, and {error.name} is not installed."
            raise EnvironmentLack(what, advice="Run: pip install 'argusic[bucket]'") from None
        return Bucket(home)
    from argusic.evidence.stores.github_assets import GitHubAssets
    from argusic.evidence.stores.releases import Releases

    return Releases(GitHubAssets(home), database.cache_folder / "packs", database.store_folder)
