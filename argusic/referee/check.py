"""`argusic check`: whether the database obeys its own rules. Each rule lives in a module of `checks`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from argusic.database.database import Database
from argusic.errors import Finding
from argusic.referee.checks.append_only import check_append_only
from argusic.referee.checks.changelog import check_changelog
from argusic.referee.checks.conditions import check_conditions
from argusic.referee.checks.disputes import check_disputes
from argusic.referee.checks.environment import check_environment
from argusic.referee.checks.files import check_files
from argusic.referee.checks.held import check_held
from argusic.referee.checks.identities import check_identities
from argusic.referee.checks.index import check_index
from argusic.referee.checks.own_folder import check_own_folder
from argusic.referee.checks.packs import check_packs
from argusic.referee.checks.private_keys import check_private_keys
from argusic.referee.checks.references import check_references
from argusic.referee.checks.reproductions import check_reproductions
from argusic.referee.checks.requests import check_requests
from argusic.referee.checks.signed import check_signed
from argusic.referee.checks.survey import survey
from argusic.referee.methodology.compare import check_methodology


def check(database: Database, base: str | None = None) -> list[Finding]:
    """Return everything that is wrong with the files of a database, sorted by place; nothing where all is well.

    Checked are: that every file is one the table of paths knows and holds the record that its path says; that whatever
    a record names exists and agrees with it; that no cycle is closed over a run that is held; that a run's folder is
    whole and holds nothing else; that what a closed cycle froze is unchanged; that the runs of a cycle had the same
    conditions; that reproductions are of runs that are here, under their rules; that what agents reveal is what they
    committed to, and is not overdue; that the parts of the published environment agree; that what the index rests on is
    here, may be here and is what its rankings pin; that packs hold what manifests name and nothing else; that no
    private key lies here; that the methodology page says what is configured; and against `base`, that nothing was taken
    back, that a change of the rules, or of what measurements rest on, is in the changelog, and that new runs are what
    their manifests say and are vouched for.

    Args:
        database: The database.
        base: A git revision that everything published until then is compared with; None to compare nothing.

    Raises:
        InputError: `base` names no commit, or the database is in no git repository.
    """
    return in_order([*standing(database), *(against(database, base) if base is not None else ())])


def standing(database: Database) -> list[Finding]:
    """Return what is wrong with the files as they are. See `check`."""
    if posing := list(check_own_folder(database)):
        return posing  # Whatever else were found would be found by what they say.
    surveyed = survey(database)
    return [
        *surveyed.findings,
        *check_files(surveyed),
        *check_references(surveyed),
        *check_disputes(surveyed),
        *check_held(surveyed),
        *check_packs(database, surveyed),
        *check_conditions(surveyed),
        *check_requests(surveyed),
        *check_reproductions(database, surveyed),
        *check_identities(surveyed, datetime.now(UTC).date()),
        *check_environment(database),
        *check_index(database, surveyed),
        *check_private_keys(database),
        *check_methodology(database, surveyed),
    ]


def against(database: Database, base: str) -> list[Finding]:
    """Return what is wrong with how the files differ from those of a commit. See `check`."""
    if posing := list(check_own_folder(database)):
        return posing  # As above.
    return [
        *check_append_only(database, base),
        *check_changelog(database, base),
        *check_signed(database, base),
    ]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by place, each once."""
    return sorted(set(findings), key=lambda finding: (str(finding.place.file), finding.place.line or 0, str(finding)))
