"""The bundle of certificates that this machine trusts, and so a sandbox on it does."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path

from argusic.sandbox.supervised.environment import CA_BUNDLE

_CA_PLACES = (CA_BUNDLE, "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem")


def trusted_certificates(environment: Mapping[str, str]) -> Path | None:
    """Return the bundle of certificates that this machine trusts, or None where there is none."""
    places = [environment.get("SSL_CERT_FILE"), *_CA_PLACES, ssl.get_default_verify_paths().cafile]
    return next((Path(place) for place in places if place and Path(place).is_file()), None)
