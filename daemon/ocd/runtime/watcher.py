"""The watchdog process, which ends a daemon whose event loop hangs. Standard library only.

Run by path as `python -I -S watcher.py PID BEAT_S DUMP_S END_S FILE`, as a child of the
daemon, which writes a byte to our stdin at every beat of its loop (ocd.runtime.watchdog). We need
neither its loop
nor its interpreter's lock. After DUMP_S without a beat a signal makes its faulthandler write all
stacks to FILE; after END_S (0: never) it is killed, so that its exit status is not zero and whoever
started it starts it again. Ends with the daemon: stdin is closed then.

Only time in which the daemon could have run but did not counts. Not counted: time in which it is
stopped (SIGSTOP, a debugger), the machine is suspended or the watcher itself does not run; while
one of its threads waits for a processor or a disk, only the CPU time that it used counts.
"""

import os
import select
import signal
import sys
import time

DUMP_SIGNAL = signal.SIGUSR2 if hasattr(signal, "SIGUSR2") else None
# Longer than one round can take: time beyond that was not available to the daemon.
ROUND_BEATS = 1.5
# Stacks of one stall are some kilobytes; a daemon that stalls all the time must not fill the disk.
MAX_FILE_BYTES = 1 << 20
_STOPPED = "TtXxZ"
_WAITING = "RD"


class Process:
    """The daemon as /proc shows it; where there is none, every state is unknown ("")."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._started = self._fields()[19:20]

    def _fields(self, task: str = "") -> list[str]:
        """Return the fields of its stat file from the state on; empty if it cannot be read."""
        path = f"/proc/{self.pid}/task/{task}/stat" if task else f"/proc/{self.pid}/stat"
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                # The name before it is in parentheses, and may contain any character.
                return file.read().rpartition(")")[2].split()
        except OSError:
            return []

    @property
    def is_ours(self) -> bool:
        """Whether it still is the process that started us: our parent, with the same start time."""
        return os.getppid() == self.pid and self._fields()[19:20] == self._started

    def cpu_s(self) -> float:
        """Return the processor time that all its threads have had."""
        ticks = self._fields()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") if ticks else 0.0

    def states(self) -> list[str]:
        """Return the states of its threads, the main thread's first."""
        try:
            others = [
                task for task in os.listdir(f"/proc/{self.pid}/task") if task != str(self.pid)
            ]
        except OSError:
            others = []
        return ["".join(self._fields(task)[:1]) for task in (str(self.pid), *others)]


class Stall:
    """How long the loop has not run although it could have."""

    def __init__(self, process: Process, longest_round_s: float) -> None:
        self._process = process
        self._longest_s = longest_round_s
        self.seconds = 0.0
        self._cpu_s = process.cpu_s()

    def end(self) -> None:
        """Reset: the loop has run."""
        self.seconds = 0.0
        self._cpu_s = self._process.cpu_s()

    def add(self, elapsed_s: float) -> None:
        """Count a round of this length, as far as it was the daemon's to use."""
        cpu_s = self._process.cpu_s()
        used_s, self._cpu_s = cpu_s - self._cpu_s, cpu_s
        self.seconds += countable_s(self._process.states(), min(elapsed_s, self._longest_s), used_s)


def countable_s(states: list[str], elapsed_s: float, used_s: float) -> float:
    """Return how much of a round counts, by the states of the threads and what they computed."""
    if states[0] in _STOPPED and states[0]:
        return 0.0
    if any(state and state in _WAITING for state in states):
        return min(elapsed_s, used_s)
    return elapsed_s


class HangReport:
    """The file that says when the loop hung; faulthandler writes the stacks between our lines."""

    def __init__(self, path: str, pid: int) -> None:
        self._path = path
        self._pid = pid

    @property
    def has_room(self) -> bool:
        """Whether more stacks may be written."""
        try:
            return os.stat(self._path).st_size < MAX_FILE_BYTES
        except OSError:
            return False

    def write(self, words: str) -> None:
        """Append a line; a full disk or a lost home does not stop the watcher."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            # Without O_CREAT: a home that was deleted is not made again.
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        except OSError:
            return
        try:
            os.write(file, f"{now} pid {self._pid}: {words}\n".encode())
        except OSError:
            return
        finally:
            os.close(file)


def watch(process: Process, beat_s: float, dump_s: float, end_s: float, report: HangReport) -> None:
    """Listen to the beats on stdin until it is closed, or the daemon had to be ended."""
    round_s = beat_s * ROUND_BEATS
    stall, dumped = Stall(process, 2 * round_s), False
    while True:
        before = time.monotonic()
        if select.select([0], [], [], round_s)[0]:
            if not os.read(0, 4096):
                return
            if dumped:
                report.write(f"the loop continues after {stall.seconds:.0f} s")
            dumped = False
            stall.end()
            continue
        stall.add(time.monotonic() - before)
        if not process.is_ours:
            return
        if stall.seconds >= dump_s and not dumped:
            dumped = _dump(process, stall, report)
        if end_s and stall.seconds >= end_s:
            report.write(f"ended by the watchdog after {stall.seconds:.0f} s without a turn")
            os.kill(process.pid, signal.SIGKILL)
            return


def _dump(process: Process, stall: Stall, report: HangReport) -> bool:
    if report.has_room and DUMP_SIGNAL is not None:
        report.write(f"no turn of the event loop for {stall.seconds:.0f} s; the stacks:")
        os.kill(process.pid, DUMP_SIGNAL)
    return True


def main(pid: str, beat_s: str, dump_s: str, end_s: str, path: str) -> None:
    """Watch the daemon that the command line names."""
    process = Process(int(pid))
    watch(process, float(beat_s), float(dump_s), float(end_s), HangReport(path, process.pid))


if __name__ == "__main__":
    main(*sys.argv[1:])
