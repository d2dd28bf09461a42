"""Which kind of file system a folder is on. Linux tells; elsewhere it is not known, and None is the answer."""

import re
from pathlib import Path
from typing import Final

NETWORKED: Final = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3", "smbfs", "virtiofs",
    }
)  # fmt: skip
"""Kinds whose locks or syncs may not hold what a kernel's own do."""

_MOUNTS: Final = Path("/proc/self/mountinfo")


def kind_of(folder: Path) -> str | None:
    """The kind of file system that an existing folder is on."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    return kind_among(lines, folder.resolve())


def kind_among(mounts: list[str], folder: Path) -> str | None:
    """The same, among the lines of a mountinfo: the deepest mount that holds the folder, the last one where two do."""
    found: tuple[int, str] | None = None
    for line in mounts:
        # Source: proc_pid_mountinfo(5); the fifth field is the mount point, the kind stands behind the dash.
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        depth = len(point.parts)
        if folder.is_relative_to(point) and (found is None or depth >= found[0]):
            found = (depth, after.split(" ")[0])
    return None if found is None else found[1]
