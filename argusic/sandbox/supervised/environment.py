"""The environment that every command in a sandbox starts with, the same in every kind of sandbox. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from argusic.sandbox.protocol import DISPLAY, HOME_FOLDER, SandboxSpec
from argusic.sandbox.supervised.way_out import PROXY_PORT

#: Where the certificates that the host trusts lie inside.
CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
#: Where the programs of a system without an opinion lie.
USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#: Where programs lie that the agent installs for itself.
_OWN_PROGRAMS = f"{HOME_FOLDER}/.local/bin"
_CA_VARIABLES = (
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
)


def environment(spec: SandboxSpec, *, certificates: bool, node: bool, path: str = USUAL_PATH) -> Mapping[str, str]:
    """Return the environment that every command inside starts with.

    Args:
        spec: The sandbox.
        certificates: Whether the bundle of trusted certificates is there.
        node: Whether the headers of Node are there, which native modules are built with.
        path: Where the system's programs lie.
    """
    values = {
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": HOME_FOLDER,
        "LANG": "C.UTF-8",
        "LOGNAME": "root",
        "PATH": path if _OWN_PROGRAMS in path.split(":") else f"{_OWN_PROGRAMS}:{path}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "SHELL": "/bin/bash",
        # Only one user exists inside, so unpacking must not ask for the owners that an archive names.
        "TAR_OPTIONS": "--no-same-owner",
        "TERM": "xterm-256color",
        "TZ": "UTC",
        "USER": "root",
        "npm_config_prefix": f"{HOME_FOLDER}/.local",
        "npm_config_update_notifier": "false",
    }
    if node:
        values["npm_config_nodedir"] = "/usr"
    if certificates:
        values |= dict.fromkeys(_CA_VARIABLES, CA_BUNDLE)
        values["npm_config_cafile"] = CA_BUNDLE
    if spec.display is not None:
        values["DISPLAY"] = DISPLAY
    if spec.network:
        proxy = f"http://127.0.0.1:{PROXY_PORT}"
        for name in ("http_proxy", "https_proxy"):
            values |= {name: proxy, name.upper(): proxy}
        around = "localhost,127.0.0.1,::1"
        values |= {"no_proxy": around, "NO_PROXY": around, "NODE_USE_ENV_PROXY": "1"}
        java = " ".join(
            f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={PROXY_PORT}" for scheme in ("http", "https")
        )
        values |= {"GRADLE_OPTS": java, "MAVEN_OPTS": java}
    return {**values, **spec.environment}
