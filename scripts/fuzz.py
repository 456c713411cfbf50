"""The work of scripts/fuzz: fuzzers by turns, what they found kept in build/fuzz/kept, executions counted in build/fuzz/record.json.

libFuzzer and AFL++ share what is kept. The count belongs to the code it was made with: it starts anew when a source of the library
or of a fuzzer has changed."""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/fuzz"
AFL = ROOT / "build/afl"
RECORD = BUILD / "record.json"
SOURCES = ("src", "include", "fuzz", "apps/lacuna")
AIM = 100_000_000
WITH_AFL = " (AFL++)"  # behind a fuzzer's name in the record
LIMITS = {"scoring": ["-max_len=262144"]}  # archives that grow; see fuzz/CMakeLists.txt
STATISTIC = re.compile(r"stat::number_of_executed_units: +(\d+)")


def code():
    """A word for the sources as they are."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def read_record(word):
    old = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return old if old.get("code") == word else {"code": word, "fuzzers": {}}


def write_record(record):
    part = RECORD.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1) + "\n")
    part.replace(RECORD)


def folders_of(name):
    """Where what it found is kept, where that goes which broke it, and its seeds."""
    kept, broken = BUILD / "kept" / name, BUILD / "broken"
    for folder in (kept, broken):
        folder.mkdir(parents=True, exist_ok=True)
    return kept, broken, [folder for folder in (ROOT / "fuzz/corpus" / name, BUILD / "fuzz/seeds" / name) if folder.is_dir()]


def run_and_time(command, folder, environment=None):
    """Exit code, what it printed and the seconds of processor time that it took: other programs may run beside it."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, output.read(), usage.ru_utime + usage.ru_stime


def run_libfuzzer(name, seconds, seed):
    """Executions, seconds of processor time and whether it ended well; inputs that broke it lie in build/fuzz/broken."""
    kept, broken, seeds = folders_of(name)
    command = [BUILD / "fuzz" / f"fuzz_{name}", f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=10", "-entropic=0", "-rss_limit_mb=2048",
               "-malloc_limit_mb=1024", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={broken / name}-",
               *LIMITS.get(name, []), kept, *seeds]  # fmt: skip
    code, text, taken = run_and_time(command, BUILD)
    found = STATISTIC.search(text)
    if code != 0:
        (broken / f"{name}.log").write_text(text)
    return int(found.group(1)) if found else 0, taken, code == 0


def keep(path, folder, prefix=""):
    """A copy under the name that libFuzzer gives, so that each content is there once."""
    shutil.copyfile(path, folder / (prefix + hashlib.sha1(path.read_bytes()).hexdigest()))


def run_afl(name, seconds, seed):
    """The same by AFL++, from the same seeds into the same folders."""
    kept, broken, seeds = folders_of(name)
    start, found = AFL / "start" / name, AFL / "found" / name
    for folder in (start, found):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for path in (path for folder in (*seeds, kept) for path in folder.iterdir()):
        keep(path, start)
    (start / "least").write_bytes(b"0")  # it does not begin with nothing
    # -m none: the address sanitizer reserves terabytes. Options for a machine that runs other things, too.
    command = ["afl-fuzz", "-i", start, "-o", found, "-V", str(seconds), "-s", str(seed), "-t", "10000", "-m", "none", "--",
               AFL / "fuzz" / f"fuzz_{name}"]  # fmt: skip
    for_all = ("AFL_NO_UI", "AFL_NO_AFFINITY", "AFL_SKIP_CPUFREQ", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_IGNORE_SEED_PROBLEMS")
    code, text, taken = run_and_time(command, AFL, {**os.environ, **dict.fromkeys(for_all, "1")})
    of = found / "default"
    for path in of.glob("queue/id:*+cov"):
        keep(path, kept)
    bad = [path for kind in ("crashes", "hangs") for path in of.glob(f"{kind}/id:*")]
    for path in bad:
        keep(path, broken, f"{name}-{path.parent.name}-")
    if code != 0:
        (broken / f"{name}.log").write_text(text)
    statistics = of / "fuzzer_stats"
    executions = re.search(r"^execs_done +: (\d+)$", statistics.read_text(), re.MULTILINE) if statistics.exists() else None
    return int(executions.group(1)) if executions else 0, taken, code == 0 and not bad


def table(record):
    lines = ["| fuzzer | executions | per second of a core | kept inputs | kept bytes | broken |", "|---|---:|---:|---:|---:|---:|"]
    for name, of in sorted(record["fuzzers"].items()):
        kept = [path.stat().st_size for path in (BUILD / "kept" / name.removesuffix(WITH_AFL)).iterdir()]
        rate = of["executions"] / max(of["seconds"], 1e-9)
        lines.append(f"| `{name}` | {of['executions']:,} | {rate:,.0f} | {len(kept):,} | {sum(kept):,} | {of['broken']} |")
    total = sum(of["executions"] for of in record["fuzzers"].values())
    lines.append(f"| all | {total:,} | | | | {sum(of['broken'] for of in record['fuzzers'].values())} |")
    lines += ["", f"{100 * total / AIM:.1f} % of {AIM:,}, code {record['code']}"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    known = sorted(path.name[5:-4] for path in (ROOT / "fuzz").glob("fuzz_*.cpp"))
    parser.add_argument("--engine", choices=("libfuzzer", "afl"), default="libfuzzer", help="afl: those without a mutator of their own [libfuzzer]")
    parser.add_argument("--minutes", type=float, default=10, help="no new slice is begun after these [10]")
    parser.add_argument("--slice", type=int, default=60, metavar="SECONDS", help="of one fuzzer at a time [60]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="fuzzers at the same time [all cores]")
    parser.add_argument("--fuzzers", metavar="A,B,...", help=", ".join(known))
    parser.add_argument("--no-build", action="store_true", help="with the fuzzers as they are built")
    arguments = parser.parse_args()
    run_slice, suffix = run_libfuzzer, ""
    if arguments.engine == "afl":
        run_slice, suffix = run_afl, WITH_AFL
        known = [name for name in known if '_mutator.hpp"' not in (ROOT / f"fuzz/fuzz_{name}.cpp").read_text()]
    names = arguments.fuzzers.split(",") if arguments.fuzzers else known
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"fuzz: no fuzzer '{unknown[0]}'; there are {', '.join(known)}")
    record = read_record(code())
    begin = time.monotonic()

    def work(name):
        if time.monotonic() - begin > 60 * arguments.minutes:
            return name, None
        seed = 1 + record["fuzzers"].get(name + suffix, {}).get("executions", 0) % 2**31
        return name, run_slice(name, arguments.slice, seed)

    is_sound = True
    with ThreadPoolExecutor(arguments.jobs) as pool:
        while time.monotonic() - begin < 60 * arguments.minutes:
            for name, result in pool.map(work, names):
                if result is None:
                    continue
                executions, seconds, ended_well = result
                of = record["fuzzers"].setdefault(name + suffix, {"executions": 0, "seconds": 0.0, "broken": 0})
                of["executions"] += executions
                of["seconds"] += seconds
                of["broken"] += not ended_well
                is_sound = is_sound and ended_well
                write_record(record)
                print(f"{name}{suffix}: {executions:,} executions, {'ok' if ended_well else 'BROKEN: see build/fuzz/broken'}", flush=True)
    print(table(record))
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
