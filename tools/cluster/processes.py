"""Processes that outlive the launcher: started detached, identified by a pid file, stopped in order."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# The shell starts the program in the background and exits, so the launcher is not the program's parent: the program
# outlives it and can't become a zombie of a launcher that doesn't wait for it.
_DETACH = 'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null & echo $!'
_PATIENCE = 5.0


class ProcessError(Exception):
    """A required process has ended; the message contains the end of its log."""


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
        """The length of its log in bytes; growth is a sign of progress."""
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
        """The pid of the running process; None if the pid now belongs to another program."""
        if not self._pid_file.exists():
            return None
        pid, _, start_time = self._pid_file.read_text().strip().partition(" ")
        alive = bool(start_time) and _start_time(int(pid)) == start_time
        return int(pid) if alive else None

    def stop(self) -> None:
        """Stops the process; its port is free when this returns."""
        pid = self.pid()
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            if not self._is_gone_within(_PATIENCE):
                os.kill(pid, signal.SIGKILL)
                self._is_gone_within(_PATIENCE)
        self._pid_file.unlink(missing_ok=True)

    def check(self) -> None:
        """Raises ProcessError if the process has ended."""
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
    """A process's start time, in an unspecified unit; empty if it is gone or a zombie."""
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
