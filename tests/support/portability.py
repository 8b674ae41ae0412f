"""Finds what a file uses that some system lacks, where no guard keeps that system from it.

What the standard library has where is read from the stubs that mypy brings along (typeshed).
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import mypy

STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
SYSTEMS = {"win32": ("nt", "Windows"), "darwin": ("posix", "Darwin"), "linux": ("posix", "Linux")}
# Folders that only some systems have. (`os.devnull`, `tempfile` and `Path.home()` are everywhere.)
FOLDER = re.compile(r"/(?:proc|sys|dev|tmp|etc|usr|var|run|bin|home)(?:/|$)")
# Which handlers catch that a module, a name in a module, a folder is lacking.
CATCH_MODULE = {"BaseException", "Exception", "ImportError", "ModuleNotFoundError"}
CATCH_NAME = {"BaseException", "Exception", "AttributeError"}
CATCH_FOLDER = {"BaseException", "Exception", "OSError", "FileNotFoundError"}


class Use(NamedTuple):
    """What a system lacks: the line of its use, and its name (``os.fork``, ``fcntl``, ``/proc/stat``)."""

    line: int
    what: str


@cache
def _stub(module: str, system: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a module of the standard library has on a system, and those it has elsewhere only."""
    path = STUBS.joinpath(*module.split("."))
    stub = next((file for file in (path.with_suffix(".pyi"), path / "__init__.pyi") if file.exists()), None)
    here: set[str] = set()
    elsewhere: set[str] = set()

    def collect(body: list[ast.stmt], names: set[str]) -> None:
        for node in body:
            if isinstance(node, ast.If):
                answer = holds(node.test, system)
                collect(node.body, elsewhere if answer is False else names)
                collect(node.orelse, elsewhere if answer is True else names)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.Assign):
                names.update(target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.ImportFrom):
                names.update(alias.asname for alias in node.names if alias.asname == alias.name)

    collect(ast.parse(stub.read_text(encoding="utf-8")).body if stub else [], here)
    # What a stub says beside its names, such as __all__, is not what the module is for.
    return frozenset(here), frozenset(name for name in elsewhere - here if not name.startswith("__"))


def is_lacking(system: str, module: str, name: str = "") -> bool:
    """Whether a system lacks a module of the standard library, or a name in it."""
    here, elsewhere = _stub(module, system)
    if name:
        return name in elsewhere
    return bool(elsewhere) and all(own.startswith("_") for own in here)


def holds(test: ast.expr, system: str) -> bool | None:
    """What a condition is on a system; None where that depends on something else."""
    if isinstance(test, ast.BoolOp):
        parts = [holds(part, system) for part in test.values]
        decides = isinstance(test.op, ast.Or)
        return decides if decides in parts else None if None in parts else not decides
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = holds(test.operand, system)
        return None if inner is None else not inner
    match test:
        case ast.Call(func=ast.Name("hasattr"), args=[ast.Name(module), ast.Constant(str(name))]):
            return False if is_lacking(system, module, name) else None
    os_name, platform_name = SYSTEMS[system]
    names = {
        "sys": SimpleNamespace(platform=system),
        "os": SimpleNamespace(name=os_name),
        "platform": SimpleNamespace(system=lambda: platform_name),
        "multiprocessing": SimpleNamespace(
            get_all_start_methods=lambda: ["spawn"] if system == "win32" else ["fork", "spawn", "forkserver"]
        ),
    }
    try:
        # A condition of our own sources, with nothing but these names within its reach.
        value = eval(compile(ast.Expression(test), "<test>", "eval"), {"__builtins__": {}, **names})
    except Exception:
        return None
    return value if isinstance(value, bool) else None


def unguarded(source: str, system: str = "win32") -> list[Use]:
    """What a module uses that a system lacks, and that the system reaches.

    It does not reach what stands behind a test of ``sys.platform`` or ``os.name``, a ``hasattr`` of the name
    itself, an earlier ``return`` or ``assert`` by such a test, or a test function's ``skipif``. A handler of
    the error that would follow is a guard too.

    Args:
        source: the text of a module.
        system: a value of ``sys.platform``, of ``SYSTEMS``.
    """
    tree = ast.parse(source)
    finder = _Finder(system)
    # Those behind a guard too: what is imported there may be used where none is.
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            finder.modules.update((alias.asname or alias.name, alias.name) for alias in node.names)
    finder.block(tree.body, frozenset())
    return sorted(set(finder.found))


class _Finder:
    def __init__(self, system: str) -> None:
        self.system = system
        self.found: list[Use] = []
        # Modules by the names that the file gives them: `import os as _os`.
        self.modules: dict[str, str] = {}

    def block(self, body: list[ast.stmt], caught: frozenset[str]) -> None:
        """Statements in a row, up to the one that the system does not get past."""
        for node in body:
            self.visit(node, caught)
            if isinstance(node, ast.Assert) and holds(node.test, self.system) is False:
                return
            if isinstance(node, ast.If) and (answer := holds(node.test, self.system)) is not None:
                taken = node.body if answer else node.orelse
                if taken and isinstance(taken[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
                    return

    def visit(self, node: ast.AST, caught: frozenset[str]) -> None:
        match node:
            case ast.If() | ast.IfExp():
                answer = holds(node.test, self.system)
                self.visit(node.test, caught)
                if answer is not False:
                    self.inside(node.body, caught)
                if answer is not True:
                    self.inside(node.orelse, caught)
            case ast.BoolOp():
                for part in node.values:
                    self.visit(part, caught)
                    if holds(part, self.system) is isinstance(node.op, ast.Or):
                        break
            case ast.Try():
                errors = {name for handler in node.handlers for name in _errors(handler.type)}
                self.block(node.body, caught | errors)
                self.inside([*node.handlers, *node.orelse, *node.finalbody], caught)
            case ast.With():
                suppressed = {name for item in node.items for name in _suppressed(item.context_expr)}
                self.inside(node.items, caught | suppressed)
                self.block(node.body, caught | suppressed)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if not any(_skips(decorator, self.system) for decorator in node.decorator_list):
                    self.inside([node.args, *node.decorator_list], caught)
                    # What is caught around a definition is not caught where the function is called.
                    self.block(node.body, frozenset())
            case _:
                self.look(node, caught)
                for _, value in ast.iter_fields(node):
                    self.inside(value, caught)

    def inside(self, value: object, caught: frozenset[str]) -> None:
        if isinstance(value, list):
            if value and all(isinstance(part, ast.stmt) for part in value):
                self.block(value, caught)
            else:
                for part in value:
                    self.inside(part, caught)
        elif isinstance(value, ast.AST):
            self.visit(value, caught)

    def look(self, node: ast.AST, caught: frozenset[str]) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.use(node, caught & CATCH_MODULE, alias.name)
            case ast.ImportFrom(module=str(module), names=aliases):
                for alias in aliases:
                    self.use(node, caught & CATCH_MODULE, module, alias.name)
            case ast.Attribute(value=ast.Name(own), attr=name):
                self.use(node, caught & CATCH_NAME, self.modules.get(own), name)
            case ast.Call(func=ast.Name("getattr"), args=[ast.Name(own), ast.Constant(str(name))]):
                self.use(node, caught & CATCH_NAME, self.modules.get(own), name)
            case ast.Call(
                func=ast.Attribute(attr="get_context"), args=[ast.Constant("fork" | "forkserver" as way)]
            ):
                if self.system == "win32":
                    self.found.append(Use(node.lineno, f"start method {way}"))
            case ast.Constant(value=str(text)) if FOLDER.match(text) and not caught & CATCH_FOLDER:
                self.found.append(Use(node.lineno, text))

    def use(
        self, node: ast.stmt | ast.expr, guards: frozenset[str], module: str | None, name: str = ""
    ) -> None:
        if module and not guards and is_lacking(self.system, module, name):
            self.found.append(Use(node.lineno, f"{module}.{name}" if name else module))


def _errors(kind: ast.expr | None) -> Iterator[str]:
    """The names of the errors that a handler is for."""
    if kind is None:
        yield "BaseException"
    elif isinstance(kind, ast.Tuple):
        for part in kind.elts:
            yield from _errors(part)
    else:
        yield ast.unparse(kind).rpartition(".")[2]


def _suppressed(context: ast.expr) -> Iterator[str]:
    if isinstance(context, ast.Call) and ast.unparse(context.func) in ("suppress", "contextlib.suppress"):
        for argument in context.args:
            yield from _errors(argument)


def _skips(decorator: ast.expr, system: str) -> bool:
    match decorator:
        case ast.Call(func=ast.Attribute(attr="skipif"), args=[condition, *_]):
            return holds(condition, system) is True
    return False


def is_for_posix(file: Path, root: Path) -> bool:
    """Whether a test file uses what Windows lacks, itself or in a helper that it imports.

    Args:
        file: a test file.
        root: the folder that holds ``tests``.
    """
    seen: set[Path] = set()
    waiting = [file]
    while waiting:
        if (path := waiting.pop()) in seen:
            continue
        seen.add(path)
        source = path.read_text(encoding="utf-8")
        if unguarded(source):
            return True
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tests"):
                for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                    helper = root.joinpath(*name.split(".")).with_suffix(".py")
                    if helper.exists():
                        waiting.append(helper)
    return False
