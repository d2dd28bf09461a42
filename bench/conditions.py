"""What the machine is like while a benchmark runs: numbers are only worth their surroundings.

It measures nothing of Litro.
"""

import os
import statistics
import time
from pathlib import Path

SYNCS = 30
NOT_A_DISK = {"tmpfs", "ramfs", "devtmpfs"}


def pressure() -> float:
    """How much of the last ten seconds somebody waited for a CPU, in percent (`some avg10` of PSI)."""
    try:
        return float(Path("/proc/pressure/cpu").read_text().split()[1].partition("=")[2])
    except OSError:
        return float("nan")


def sync_time(folder: Path) -> float:
    """What one append and its fdatasync take now, in milliseconds."""
    taken: list[float] = []
    fd = os.open(folder / "probe", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        for _ in range(SYNCS):
            begin = time.perf_counter()
            os.write(fd, b"x" * 119 + b"\n")
            os.fdatasync(fd)
            taken.append(time.perf_counter() - begin)
    finally:
        os.close(fd)
    return statistics.median(taken) * 1e3


def filesystem(path: Path) -> str:
    """The type and device of the file system that a path is on."""
    device = path.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, _, kind = line.partition(" - ")
        if place.split()[2] == wanted:
            return " ".join(kind.split()[:2])
    return "an unknown file system"


def is_disk(path: Path) -> bool:
    """Whether a sync there costs anything."""
    return filesystem(path).split()[0] not in NOT_A_DISK


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used, all its threads that live."""
    try:
        # Nanoseconds, where /proc/PID/stat counts hundredths of a second.
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except OSError:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Bytes of memory that are a process's own."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1]) * 1024
    return 0
