"""The audit of claims: a report compared with what was recorded. It changes no score.

`audit` is a pure function; `audit_run` reads a published run and calls it; `audited_claims` is what a run states of it
when it is published; `blocks` says whether what was found keeps a run from counting before a person has screened it.
What is known of programs is data, in the YAML files here.
"""

from __future__ import annotations

from argusic.evidence.audit.auditing import audit, blocks
from argusic.evidence.audit.publishing import audited_claims
from argusic.evidence.audit.reading import audit_run
from argusic.evidence.audit.session import Ran, read_session

__all__ = ["Ran", "audit", "audit_run", "audited_claims", "blocks", "read_session"]
