"""The first process inside a sandbox: starts commands for the host, reaps, and reports how they ended.

It runs inside as process 1 on the machine's own Python (3.8 or later), without any package, its source read from
standard input. From inside it can be neither traced nor, by a signal, killed. It holds one socket to the host,
takes orders from there alone, and does nothing that code inside could make it wait for longer than a second.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import stat
import struct
import termios
import time
from contextlib import suppress

#: The descriptor under which the socket to the host is handed in.
CHANNEL_VARIABLE = "ARGUSIC_CHANNEL"
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
#: The number of the system call `keyctl`, by machine, and on every other.
_KEYCTL = {"x86_64": 250, "i686": 288, "armv7l": 311, "ppc64le": 271, "s390x": 280}
_KEYCTL_ELSEWHERE, _KEYCTL_JOIN_SESSION_KEYRING = 219, 1
_OPEN_FILES = 65536
#: How many ended processes are reaped before the host is listened to again: they may be made as fast as that.
_REAPED_AT_ONCE = 256


def send_message(channel: socket.socket, message: dict[str, object], fds: tuple[int, ...] = ()) -> None:
    """Send one message, with open file descriptors if any: four bytes of length, then JSON."""
    body = json.dumps(message).encode()
    data = struct.pack(">I", len(body)) + body
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))] if fds else []
    sent = channel.sendmsg([data], rights)
    channel.sendall(data[sent:])


def receive_message(channel: socket.socket) -> tuple[dict[str, object], list[int]] | None:
    """Receive one message and the descriptors that came with it, or None at the end of the stream."""
    # Descriptors travel with the first byte of their message: reading exactly the length keeps messages apart.
    space = socket.CMSG_SPACE(8 * struct.calcsize("i"))
    head, ancillary, _flags, _address = channel.recvmsg(4, space, socket.MSG_CMSG_CLOEXEC)
    fds: list[int] = []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.extend(struct.unpack(f"{len(data) // 4}i", data[: len(data) - len(data) % 4]))
    head = _rest(channel, head, 4)
    if len(head) < 4:
        return None
    length = struct.unpack(">I", head)[0]
    body = _rest(channel, b"", length)
    return (json.loads(body), fds) if len(body) == length else None


def _rest(channel: socket.socket, data: bytes, length: int) -> bytes:
    while len(data) < length and (part := channel.recv(min(length - len(data), 1 << 20))):
        data += part
    return data


class Supervisor:
    """Process 1 of a sandbox."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._jobs: dict[int, int] = {}
        """The session leader of each command, by the command's number."""
        self._running: dict[int, int] = {}
        """The number of each command whose leader has not been reaped, by that leader."""

    def serve(self) -> None:
        """Take orders until the host lets go of the channel. Everything inside ends with this process."""
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        send_message(self._channel, {"event": "ready"})
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(wake_read, select.POLLIN)
        more = False
        while True:
            for fd, _ in poll.poll(0 if more else None):
                if fd == wake_read:
                    os.read(wake_read, 65536)
                elif not self._take_order():
                    return
            more = self._reap()

    def _take_order(self) -> bool:
        received = receive_message(self._channel)
        if received is None:
            return False
        order, fds = received
        number = order["id"]
        assert isinstance(number, int)
        answer: dict[str, object] = {"id": number}
        handed_out: list[int] = []
        try:
            handed_out = getattr(self, f"_order_{order['op']}")(number, order, fds)
        except (OSError, ValueError) as error:
            answer["error"] = str(error)
        send_message(self._channel, answer, tuple(handed_out))
        for fd in [*fds, *handed_out]:
            os.close(fd)
        return True

    def _order_limit(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Limit every process started from now on."""
        each = order["each"]
        assert isinstance(each, dict)
        for name, value in each.items():
            what = getattr(resource, f"RLIMIT_{name}")
            most = resource.getrlimit(what)[1]
            resource.setrlimit(what, (value if most == resource.RLIM_INFINITY else min(value, most),) * 2)
        return []

    def _order_listen(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Hand out a socket that listens on this sandbox's loopback; only the host accepts on it."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", order["port"]))
        listener.listen(512)
        return [listener.detach()]

    def _order_connect(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Hand out a connection to a unix socket in here, if whoever listens on it has room for one at once."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as caller:
            caller.connect(str(order["path"]))
            return [caller.detach()]

    def _order_notify(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Hand out a listener through which the kernel asks about what is started from now on, as a filter says."""
        program = ctypes.create_string_buffer(bytes.fromhex(str(order["program"])))
        head = struct.pack("@HP", len(program) // 8, ctypes.addressof(program))
        listener: int = ctypes.CDLL(None, use_errno=True).syscall(order["call"], 1, order["flags"], head)
        if listener < 0:
            raise OSError(ctypes.get_errno(), "the kernel does not ask")
        return [listener]

    def _order_open(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Hand out a regular file for reading; nothing where there is none. Links are resolved in here."""
        try:
            fd = os.open(str(order["path"]), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            return []
        facts = os.fstat(fd)
        # Files that the kernel makes up belong to whoever opens them, and that would be this process.
        made_up = {os.lstat("/proc").st_dev, os.lstat("/proc/sys").st_dev}
        if not stat.S_ISREG(facts.st_mode) or facts.st_dev in made_up:
            os.close(fd)
            return []
        return [fd]

    def _order_terminal(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Start a command on a new terminal and hand out the terminal's other end."""
        master, slave = os.openpty()
        try:
            size = order["size"]
            assert isinstance(size, list)
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            self._start(number, lambda: _hold_terminal(master, slave, order), slave)
        finally:
            os.close(slave)
        return [master]

    def _order_pipes(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Start a command on the two pipes that came along: its input; its output and errors."""
        source, sink = fds

        def child() -> int:
            os.setsid()
            return _execute(source, sink, order)

        self._start(number, child, sink)
        return []

    def _order_kill(self, number: int, order: dict[str, object], fds: list[int]) -> list[int]:
        """Kill a command: every process that is still in its session or its process group."""
        leader = self._jobs.get(int(str(order["job"])))
        for _ in range(20):
            if not (members := _session(leader) if leader else []):
                break
            # Stopped first, so that none of them can fork away while the others are being killed.
            for what in (signal.SIGSTOP, signal.SIGKILL):
                for pid in members:
                    _signal(pid, what)
            self._reap()
        return []

    def _start(self, number: int, child: object, voice: int) -> None:
        assert callable(child)
        try:
            pid = self._fork()
        except OSError as error:
            # What a shell would do: say so where the command would have written, and give a status.
            _say(voice, f"cannot start another process: {error.strerror}")
            send_message(self._channel, {"event": "exit", "id": number, "status": 126})
            return
        if pid == 0:
            status = 126
            try:
                self._channel.close()
                status = child()
            finally:
                os._exit(status)
        self._jobs[number] = pid
        self._running[pid] = number

    def _fork(self) -> int:
        """Fork; where there is no room, reap, since whoever has ended counts, and try again at once, for a second."""
        for pause in (0.0, 0.0, 0.0, 0.01) * 100:
            with suppress(BlockingIOError):
                return os.fork()
            self._reap()
            time.sleep(pause)
        return os.fork()

    def _reap(self) -> bool:
        """Reap what has ended; return whether there may be more."""
        with suppress(ChildProcessError):
            for _ in range(_REAPED_AT_ONCE):
                pid, raw = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return False
                if (number := self._running.pop(pid, None)) is not None:
                    send_message(self._channel, {"event": "exit", "id": number, "status": _status(raw)})
            return True
        return False


def _hold_terminal(master: int, slave: int, order: dict[str, object]) -> int:
    """Lead the session of a terminal while a command runs on it in the foreground; return the command's status.

    Were the command itself the leader, its end would hang up on whatever it left in the background.
    """
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()) - {signal.SIGCHLD})
    pid = os.fork()
    if pid == 0:
        status = 126
        try:
            os.setpgid(0, 0)
            os.tcsetpgrp(slave, os.getpid())
            status = _execute(slave, slave, order)
        finally:
            os._exit(status)
    _, raw = os.waitpid(pid, 0)
    with suppress(OSError):  # The host has closed the terminal: there is no foreground left to take.
        os.tcsetpgrp(slave, os.getpid())
    return _status(raw)


def _execute(source: int, sink: int, order: dict[str, object]) -> int:
    """Become the command. Returns, with a shell's status, only where that fails."""
    argv, folder, extra = order["argv"], order["folder"], order["environment"]
    assert isinstance(argv, list) and isinstance(folder, str) and isinstance(extra, dict)
    for number in (0, 1, 2):
        os.dup2(source if number == 0 else sink, number)
    # The kernel shall choose a command, never process 1, where memory runs out, unless the host has seen to that.
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
        file.write(b"300")
    environment = {**{name: value for name, value in os.environ.items() if name != CHANNEL_VARIABLE}, **extra}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    try:
        os.chdir(folder)
        environment["PWD"] = folder
        os.execvpe(argv[0], argv, environment)
    except FileNotFoundError as error:
        _say(1, f"{error.filename or argv[0]}: {error.strerror}")
        return 127
    except (OSError, ValueError) as error:
        _say(1, f"{argv[0]}: {getattr(error, 'strerror', None) or error}")
        return 126


def _session(leader: int) -> list[int]:
    """Return the processes whose session or process group is `leader`."""
    found = []
    for name in [entry.name for entry in os.scandir("/proc") if entry.name.isdigit() and entry.name != "1"]:
        # One that has ended meanwhile is no longer of interest.
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
            if fields[0] != b"Z" and leader in (int(fields[2]), int(fields[3])):
                found.append(int(name))
    return found


def _signal(pid: int, number: int) -> None:
    with suppress(OSError):  # It has ended meanwhile.
        os.kill(pid, number)


def _say(fd: int, text: str) -> None:
    with suppress(OSError):  # Perhaps nobody listens.
        os.set_blocking(fd, False)
        os.write(fd, f"{text}\n".encode(errors="replace"))
        os.set_blocking(fd, True)


def _status(raw: int) -> int:
    return 128 + os.WTERMSIG(raw) if os.WIFSIGNALED(raw) else os.WEXITSTATUS(raw)


def _leave_keys(libc: ctypes.CDLL) -> None:
    """Take an empty keyring of the session in place of the host's, whose keys could be read with it."""
    number = _KEYCTL.get(os.uname().machine, _KEYCTL_ELSEWHERE)
    reason = ctypes.get_errno() if libc.syscall(number, _KEYCTL_JOIN_SESSION_KEYRING, None) < 0 else 0
    # Where the system has no keys or lets nobody here ask for one, there is nothing to be read inside either.
    if reason not in (0, errno.ENOSYS, errno.EPERM, errno.EOPNOTSUPP):
        raise OSError(reason, "The keys of the host could not be left behind: " + os.strerror(reason))


def main() -> None:
    """Become process 1's work: take the channel out of the environment and serve."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # For process 1 that means: ignored, wherever it comes from inside.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) or libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    _leave_keys(libc)
    channel_fd = int(os.environ[CHANNEL_VARIABLE])
    os.set_inheritable(channel_fd, False)
    os.closerange(3, channel_fd)
    os.closerange(channel_fd + 1, _OPEN_FILES)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(os.dup2(nothing, 0), 1)
    os.close(nothing)
    os.umask(0o022)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(_OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    # One byte: the kernel then writes no core file, nor hands one to a program on the host.
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    Supervisor(socket.socket(fileno=channel_fd)).serve()


if __name__ == "__main__":
    main()
