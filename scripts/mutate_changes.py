"""The small changes that scripts/mutate makes of the library.

Five kinds: a comparison, a sign, a constant, a condition, a statement. Which ones a seed draws depends on the changed
lines alone, so that an edit elsewhere leaves the rest of a run valid."""

import hashlib
import re

ROOMS = ["core", "math", "data", "density", "learning", "evaluation", "model_io"]

# Texts and comments are blanked first, so that a change hits code. `<` and `>` need spaces: others are of templates.
BLANK = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
PREAMBLE = re.compile(r"\s*(#|using |template|namespace |static_assert|\[\[)")
COMPARISON = re.compile(r" (==|!=|<=|>=|<|>) ")
ARITHMETIC = re.compile(r"(?<=[\w)\]]) (\+|-|\*|/|\+=|-=|\*=) (?=[\w(-])")
LOGIC = re.compile(r" (&&|\|\|) ")
CONSTANT = re.compile(r"(?<![\w.'])(\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.'])")
CONDITION = re.compile(r"\b(?:if|while) \(([^;{}]*)\)(?: \{| [^()]*;| [a-z_:.]+\([^;]*;)?$")
OTHER = "return|throw|const |auto|using|case|else|static|if|for|while"
STATEMENT = re.compile(rf"^ +((?!{OTHER})[\w.>\[\]()*-]+(?: [-+*/]?= |\()[^{{}}]*;)$")
TOKENS = [("comparison", COMPARISON), ("sign", ARITHMETIC), ("constant", CONSTANT), ("condition", LOGIC)]
SWAP = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=",
        "0": "1", "0.0": "1.0", "1": "0", "1.0": "0.0"}  # fmt: skip


def balanced(text):
    depths = [text[: i + 1].count("(") - text[: i + 1].count(")") for i in range(len(text))]
    return bool(text) and min(depths) >= 0 and depths[-1] == 0


def changes_of_line(line):
    """(kind, column, old, new) of each change of a line whose texts and comments are blank."""
    if PREAMBLE.match(line):
        return
    for kind, pattern in TOKENS:
        for found in pattern.finditer(line):
            yield kind, found.start(1), found[1], SWAP.get(found[1], f"(2 * {found[1]})")
    condition = CONDITION.search(line)
    if condition and balanced(condition[1]):
        yield "condition", condition.start(1), condition[1], f"!({condition[1]})"
    statement = STATEMENT.match(line)
    if statement and balanced(statement[1]):
        yield "statement", statement.start(1), statement[1], ";"


def drawn(source, seed):
    """All changes of a tree, by kind, in the seed's order."""
    kinds = {}
    for room in ROOMS:
        for path in sorted((source / "src" / room).glob("*.cpp")):
            text, seen = path.read_text(encoding="utf-8"), {}
            file = str(path.relative_to(source))
            code = BLANK.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text).split("\n")
            for number, (line, blanked) in enumerate(zip(text.split("\n"), code), 1):
                words = line.strip()
                seen[words] = seen.get(words, 0) + 1
                for kind, column, old, new in changes_of_line(blanked):
                    old = line[column : column + len(old)]  # with its texts
                    new = f"!({old})" if new.startswith("!(") else new
                    place = column - len(line) + len(line.lstrip())
                    change = {"name": f"{file}|{words}|{seen[words]}|{place}|{new}", "kind": kind, "file": file,
                              "line": number, "column": column, "old": old, "new": new}  # fmt: skip
                    kinds.setdefault(kind, []).append(change)
    for changes in kinds.values():
        changes.sort(key=lambda change: hashlib.sha256(f"{seed}|{change['name']}".encode()).digest())
    return kinds


def changed(text, change):
    lines = text.split("\n")
    line, column = lines[change["line"] - 1], change["column"]
    lines[change["line"] - 1] = line[:column] + change["new"] + line[column + len(change["old"]) :]
    return "\n".join(lines)


def function_around(lines, number, indent=""):
    """First and last line of the function around a line (1 is the first); None outside of functions. Relies on the
    layout: what stands in a namespace is not indented. Constants, types and constexpr functions are outside."""
    first, passed = number - 1, re.compile(rf"\s*$|(?!{indent}\S)|\s*[}}#/]|\s*(public|private|protected):")
    while first > 0 and passed.match(lines[first]):
        first -= 1
    head, bracket, _ = lines[first].partition("(")
    if first == number - 1:
        return None
    if re.match(r"\s*(struct|class) ", head):
        return function_around(lines, number, indent + "  ") if len(indent) < 4 else None
    if not bracket or re.search(r"[={]|\bconstexpr\b|\benum\b", head):
        return None
    last = next((i for i in range(number - 1, len(lines)) if lines[i].startswith(indent + "}")), None)
    return None if last is None else (first + 1, last + 1)
