"""What makes of fresh shells one shell that lasts: each command's bash goes on where the last one ended.

Bash reads the file that BASH_ENV names before it runs a command. Ours takes up the folder, the variables and the
functions of the last command, and keeps them again when the command ends. So each command stays a process of its own,
with its exit status from the kernel and its own recorded terminal, and a command that kills its shell, hangs or fills
the disk costs what it changed and nothing more: the next goes on from the last that ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: What every command is run with. Bash itself puts the home folder in.
ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType({"BASH_ENV": "$HOME/.shell/begin"})

#: The first command of a session: it lays that file down, for the recording to show.
SET_UP: Final = r"""mkdir -p ~/.shell && cat > ~/.shell/begin << 'END'
# Read by bash before each command: the shell goes on where the last command left it.
unset BASH_ENV
exec < /dev/null
export PAGER=cat GIT_PAGER=cat MANPAGER=cat GIT_TERMINAL_PROMPT=0 DEBIAN_FRONTEND=noninteractive PIP_NO_INPUT=1
if [ -r ~/.shell/state ]; then . ~/.shell/state; fi
__keep() {
  set +eux +o noclobber
  {
    while IFS= read -r __name; do
      case $__name in
        __name | _ | BASH* | COLUMNS | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | LINENO | LINES | PIPESTATUS) ;;
        PPID | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | TERM | UID) ;;
        *) declare -p "$__name" ;;
      esac
    done < <(compgen -v)
    declare -f
    umask -p
    printf 'cd -- %q\n' "$PWD"
  } > ~/.shell/"state.$$" && command -p mv -f ~/.shell/"state.$$" ~/.shell/state
} 2> /dev/null
trap __keep EXIT
END"""
