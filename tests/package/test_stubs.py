"""The stubs name what the compiled part has, no more and no less."""

import ast
from pathlib import Path

from lacuna import _core

STUBS = ast.parse((Path(__file__).resolve().parents[2] / "python/lacuna/_core.pyi").read_text())


def names(body):
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return {name for name in found if not name.startswith("_")}


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_stubs_match_the_module():
    assert names(STUBS.body) == public(_core)
    for node in STUBS.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            assert names(node.body) == public(getattr(_core, node.name)), node.name
