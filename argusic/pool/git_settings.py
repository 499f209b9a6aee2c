"""The settings that git runs under on repositories nobody vouches for, and all that it may inherit from this user."""

from __future__ import annotations

#: The variables that name this user's proxies.
PROXIES = tuple(
    name for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY") for name in (upper, upper.lower())
)
#: What git may inherit: where programs are, how to trust and reach the network, and the agent of ssh keys.
INHERITED = (
    "PATH",
    "TMPDIR",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "SSH_AUTH_SOCK",
    *PROXIES,
)

#: Faults that git's strict check finds in many honest old repositories and that harm nobody.
HARMLESS = (
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badFilemode",
    "badName",
    "badTimezone",
    "emptyName",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "multipleAuthors",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
)

#: Nothing that a repository brings is run, and whatever it sends is checked.
CONFIGURATION = """\
[core]
	hooksPath = /dev/null
	fsmonitor = false
	attributesFile = /dev/null
	excludesFile = /dev/null
	protectHFS = true
	protectNTFS = true
	autocrlf = false
	symlinks = true
	logAllRefUpdates = false
	sshCommand = ssh -o BatchMode=yes
[credential]
	helper =
[init]
	defaultBranch = main
	templateDir =
[protocol]
	version = 2
[transfer]
	fsckObjects = true
	bundleURI = false
[fetch]
	fsckObjects = true
	unpackLimit = 1
	recurseSubmodules = false
	writeCommitGraph = false
[fastimport]
	unpackLimit = 1
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[http]
	lowSpeedLimit = 1000
	lowSpeedTime = 60
[advice]
	detachedHead = false
"""
