"""A disk that is full, and files that may not grow."""

import resource
import shutil
import subprocess

from judge import judge

SIZES = [0, 1, 100, 1000, 4096, 10_000, 100_000, 300_000]
DISKS = [4, 8, 16, 32, 64, 128, 256, 512, 1024]  # kilobytes
# A disk of one's own that nobody else sees: old files on it, the command, and what it left.
ON_A_SMALL_DISK = """
size=$1; old=$2; kept=$3; shift 3
mount -t tmpfs -o size=${size}k tmpfs out || exit 99
cp "$old"/* out/ || exit 99
"$@"
code=$?
cp out/* "$kept"/ 2>/dev/null
exit $code
"""


def run_small_files(shop, tally, wishes):
    for operation in wishes.operations.values():
        new, _, _ = shop.reference(operation)
        sizes = sorted({*SIZES, *(len(content) - 1 for content in new.values())})
        for size in sizes[:: wishes.stride]:
            limit = [lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))]
            shop.reset(operation, True)
            ended = shop.run(shop.command(operation, True), limit)
            tally.add("full disk", operation.name, "files may not grow", judge(shop, operation, True, ended), f"code {ended.code}, {size} bytes")


def run_small_disk(shop, tally, wishes):
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode != 0:
        tally.leave_out("a disk that is full: file systems of one's own are not allowed here")
        return
    old, kept = shop.folder.parent / "old", shop.folder.parent / "kept"
    for operation in wishes.operations.values():
        if not operation.outputs:
            continue
        least = 4 * len(operation.outputs)  # pages that the old files take
        for size in [size for size in DISKS if size >= least][:: wishes.stride]:
            shop.reset(operation, True)
            for folder in (old, kept):
                shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(shop.out, old)
            kept.mkdir()
            script = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(size), str(old), str(kept)]
            ended = shop.run([*script, *shop.command(operation, True)])
            for path in shop.out.iterdir():
                path.unlink()
            shutil.copytree(kept, shop.out, dirs_exist_ok=True)
            tally.add("full disk", operation.name, "the disk is full", judge(shop, operation, True, ended), f"code {ended.code}, {size} kB")


def run(shop, tally, wishes):
    run_small_files(shop, tally, wishes)
    run_small_disk(shop, tally, wishes)
