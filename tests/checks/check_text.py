"""Fails on untidy text files: check_text.py REPOSITORY. Prints `file:line: what is wrong`."""

import re
import sys
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".py", ".pyi", ".md", ".cmake", ".in", ".txt", ".json", ".toml", ".sh", ".js", ".css", ".html"}
FOLDERS = ["include", "src", "apps", "tests", "fuzz", "bench", "examples", "cmake", "docs", "python"]
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")  # split, so that this file passes its own check


# An option in a string of the library: it is mentioned by name, mention("max_iterations"), and whoever shows the text
# writes it as its reader does. Raw strings, strings and characters are taken whole, so that a comment mark within one
# is none; a quote behind a digit parts digits. What is left of a line behind // is a comment.
TOKEN = re.compile(r"""R"(\w*)\((.*?)\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9])'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/""", re.DOTALL)
FLAG = re.compile(r"--[a-z]")
LIBRARY = ("src", "include")


def flags(text):
    """The lines with a string that holds a flag."""
    for token in TOKEN.finditer(text):
        if not token.group().startswith(("//", "/*")) and (found := FLAG.search(token.group())):
            yield text.count("\n", 0, token.start() + found.start()) + 1


def text_files(root):
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            # Fuzzing seeds and test data are as they are on purpose.
            if path.suffix in SUFFIXES and not {"corpus", "data"} & set(path.relative_to(root / folder).parts[:1]):
                yield path
    yield from (path for path in root.iterdir() if path.is_file() and path.suffix in SUFFIXES)
    if (root / "scripts").is_dir():
        yield from (path for path in (root / "scripts").iterdir() if path.is_file())


def problems(path, is_library):
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        yield 1, "not UTF-8"
        return
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end"
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield number, "white space at the end of the line"
        if "\t" in line:
            yield number, "a tab"
        if UNFINISHED.search(line):
            yield number, "unfinished work; do it or write an issue"
    if is_library and path.suffix in {".cpp", ".hpp"}:
        for number in flags(text):
            yield number, "a flag in a text of the library; mention the option by its name"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_text.py REPOSITORY")
    root = Path(sys.argv[1])
    n_files = n_problems = 0
    for path in sorted(text_files(root)):
        n_files += 1
        for number, text in problems(path, path.relative_to(root).parts[0] in LIBRARY):
            n_problems += 1
            print(f"{path.relative_to(root)}:{number}: {text}")
    if n_files == 0:
        sys.exit(f"check_text: no text file below {root}")
    sys.exit(1 if n_problems else 0)


if __name__ == "__main__":
    main()
