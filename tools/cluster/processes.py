"""Processes that go on after the launcher has ended: started detached, known by a pid file, stopped in order."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# The shell starts the program in the background and ends, so that the program is nobody's child: it outlives its
# launcher, and it can't stay behind as a zombie of one that does not wait for it.
_DETACH = 'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null & echo $!'
_PATIENCE = 5.0


class ProcessError(Exception):
    """A process that is needed has ended; the message carries the end of its log."""


@dataclass(frozen=True)
class Process:
    """A named process of one run folder."""

    run_dir: Path
    name: str

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.run_dir / f"{self.name}.log"

    def log_length(self) -> int:
        """How much it has said so far, in bytes: one that says something new is at work."""
        return self.log.stat().st_size if self.log.exists() else 0

    def start(self, command: list[str]) -> None:
        """Starts it unless it is running."""
        if self.pid() is not None:
            return
        shell = ["/bin/sh", "-c", _DETACH, "sh", str(self.log), *command]
        started = subprocess.run(shell, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True)
        pid = int(started.stdout)
        self._pid_file.write_text(f"{pid} {_start_time(pid)}\n")

    def pid(self) -> int | None:
        """The pid of the running process; a pid that now belongs to another program does not count."""
        if not self._pid_file.exists():
            return None
        pid, _, start_time = self._pid_file.read_text().strip().partition(" ")
        alive = bool(start_time) and _start_time(int(pid)) == start_time
        return int(pid) if alive else None

    def stop(self) -> None:
        """Ends it and returns when it is gone: its port is free then."""
        pid = self.pid()
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            if not self._is_gone_within(_PATIENCE):
                os.kill(pid, signal.SIGKILL)
                self._is_gone_within(_PATIENCE)
        self._pid_file.unlink(missing_ok=True)

    def check(self) -> None:
        """Refuses to go on without it."""
        if self.pid() is None:
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
            raise ProcessError(f"{self.name} has ended; the end of {self.log}:\n{tail}")

    @property
    def _pid_file(self) -> Path:
        return self.run_dir / f"{self.name}.pid"

    def _is_gone_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.pid() is None:
                return True
            time.sleep(0.02)
        return False


def _start_time(pid: int) -> str:
    """When a process started, in whatever unit; empty when there is none or only a zombie."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            state, *fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if state in "ZX" else fields[18]
    ps = shutil.which("ps") or "/bin/ps"
    done = subprocess.run([ps, "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()
