"""What is done to an image beside installing its packages. Whatever changes here makes another content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from argusic.sandbox.environment import keystore

#: What programs need nothing of; copyright notices stay.
LEFT_OUT = (
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/info/*",
    "path-exclude=/usr/share/locale/*",
    "path-include=/usr/share/locale/locale.alias",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
    "path-include=/usr/share/doc/apt/examples/debian.sources",
    "path-exclude=/usr/share/lintian/*",
)

#: What is done last, in the root folder that is the script's first argument.
FINISH = r"""#!/bin/sh
set -eu
root=$1
# Debian's own description of where it is to be had, as its package of apt brings it.
rm -f "$root/etc/apt/sources.list" "$root"/etc/apt/sources.list.d/*
cp "$root/usr/share/doc/apt/examples/debian.sources" "$root/etc/apt/sources.list.d/debian.sources"
# When a certificate was entered into Java's store is nothing that anyone needs to know.
chroot "$root" /usr/bin/python3 -I -B - /etc/ssl/certs/java/cacerts "$SOURCE_DATE_EPOCH" <"${0%/*}/keystore.py"
# What differs from one build to the next, or tells of the machine that built.
find "$root/var/log" -type f -delete
find "$root/var/cache/fontconfig" "$root/var/cache/man" "$root/tmp" "$root/var/tmp" "$root/run" -mindepth 1 -delete \
    2>/dev/null || :
find "$root/var/lib/apt/lists" "$root/var/cache/apt" -type f -delete
rm -f "$root"/etc/passwd- "$root"/etc/group- "$root"/etc/shadow- "$root"/etc/gshadow- "$root"/etc/subuid- \
    "$root"/etc/subgid- "$root"/var/lib/dpkg/*-old "$root"/var/cache/debconf/*-old "$root"/etc/.pwd.lock \
    "$root"/var/lib/dbus/machine-id "$root"/etc/resolv.conf "$root"/etc/hostname
: >"$root/etc/machine-id"
"""

#: What is done before packages are installed, in the root folder that is the script's first argument.
BEFORE = r"""#!/bin/sh
set -eu
# Java's alternatives have manual pages, whose links need a folder to lie in.
mkdir -p "$1/usr/share/man/man1"
# No service starts by being installed: nothing supervises it. Who needs one starts it.
printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
chmod 755 "$1/usr/sbin/policy-rc.d"
"""


def method() -> str:
    """Return the digest of the way of building."""
    program = Path(keystore.__file__).read_text(encoding="utf-8")
    return hashlib.sha256(json.dumps([BEFORE, FINISH, LEFT_OUT, program]).encode()).hexdigest()
