"""From what a file imports to the files of the repository that are meant.

A target is a path without ending, as far as the import tells it:

- ``./aicx/corpus/lock``: counted from the root of the repository, for imports that say where they lie;
- ``aicx/corpus/lock``: from some source folder, which may lie anywhere in the repository;
- ``json``: as before, but one word names too much: it is believed beside the importing file and in a source root.

Whether a file is meant is decided by name alone, without reading build files. Where several files would do, those
nearest to the importing file are taken.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from aicx.repomap.symbols import RawImport

# Files that stand for their folder.
_FOLDER_STEMS = frozenset({"__init__", "__main__", "index", "mod", "lib", "main"})
_SOURCE_ROOTS = frozenset({"", "src", "lib", "source", "app", "include"})
_SCRIPT_SUFFIXES = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte")
_ALIASES = ("@/", "~/", "#/", "$lib/")
# Names beyond these are values rather than modules, in files that import dozens from one place.
_MAX_NAMES = 12
_MAX_TARGETS = 300
_MAX_TARGET_LENGTH = 200


def targets(path: str, language: str, imports: Iterable[RawImport]) -> list[str]:
    """The targets of the imports of the file at ``path``, each once, in the order of the file."""
    folder = posixpath.dirname(path)
    find = _FINDERS.get(language, _from_paths)
    found: dict[str, None] = {}
    for item in imports:
        for target in find(folder, path, item):
            if target.strip("./") and len(target) <= _MAX_TARGET_LENGTH:
                found.setdefault(target)
    return list(found)[:_MAX_TARGETS]


def module_of(path: str, language: str | None) -> str:
    """Returns the name that other files import: its path without ending, or its folder where it stands for that."""
    folder, _, name = path.rpartition("/")
    if language == "go":
        return folder
    stem = name.partition(".")[0] if language in ("javascript", "typescript", "tsx") else posixpath.splitext(name)[0]
    if stem in _FOLDER_STEMS and language not in ("c", "cpp", "csharp", "java", "php"):
        return folder
    return f"{folder}/{stem}" if folder else stem


def tail(target: str) -> str:
    """The last word of a target or module, under which both meet in the index."""
    return posixpath.splitext(target.rpartition("/")[2])[0].lower()


def is_meant(target: str, importer: str, module: str, path: str, language: str | None) -> bool:
    """Whether ``target``, imported by the file ``importer``, names the file at ``path`` whose module is ``module``."""
    if path == importer:
        return False
    if target.startswith("./"):
        return target[2:] in (module, path, posixpath.splitext(path)[0])
    if language in ("c", "cpp"):
        return path == target or path.endswith(f"/{target}")
    if language == "go":
        return bool(module) and (target == module or target.endswith(f"/{module}"))
    if language == "php":
        return _ends_alike(target.lower().split("/"), module.lower().split("/"))
    if "/" not in target:
        prefix, _, last = module.rpartition("/")
        return last == target and (prefix in _SOURCE_ROOTS or prefix == posixpath.dirname(importer))
    return module == target or module.endswith(f"/{target}")


def nearest(importer: str, paths: Sequence[str]) -> list[str]:
    """Those of ``paths`` that share the longest beginning with the importing file's folder."""
    here = importer.split("/")[:-1]
    shared = {path: _common(here, path.split("/")[:-1]) for path in paths}
    most = max(shared.values(), default=0)
    return [path for path in paths if shared[path] == most]


def _ends_alike(target: list[str], module: list[str]) -> bool:
    """PSR-4 maps the first words of a namespace to a folder of any name, so the last two have to do."""
    wanted = min(2, len(target))
    return module[-wanted:] == target[-wanted:]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _anchored(folder: str, relative: str) -> Iterator[str]:
    """A path counted from ``folder``; nothing when it leads out of the repository."""
    joined = posixpath.normpath(posixpath.join(folder, relative))
    if not joined.startswith("..") and joined != ".":
        yield f"./{joined}"


def _from_python(folder: str, path: str, item: RawImport) -> Iterator[str]:
    dots = len(item.source) - len(item.source.lstrip("."))
    base = item.source[dots:].strip().replace(".", "/")
    # A capital begins a class; modules are written small.
    names = [name.replace(".", "/") for name in item.names[:_MAX_NAMES] if not name[:1].isupper()]
    parts = [f"{base}/{name}".strip("/") for name in names]
    for part in dict.fromkeys([*parts, base]):
        if dots:
            yield from _anchored(folder, posixpath.join("../" * (dots - 1), part) or ".")
        else:
            yield part


def _from_scripts(folder: str, path: str, item: RawImport) -> Iterator[str]:
    source = item.source.partition("?")[0]
    source = source.removesuffix(next((end for end in _SCRIPT_SUFFIXES if source.endswith(end)), ""))
    source = source.removesuffix("/index") or "."
    if source.startswith("."):
        yield from _anchored(folder, source)
    else:
        yield source.removeprefix(next((alias for alias in _ALIASES if source.startswith(alias)), ""))


def _from_go(folder: str, path: str, item: RawImport) -> Iterator[str]:
    yield item.source


def _from_rust(folder: str, path: str, item: RawImport) -> Iterator[str]:
    stem = posixpath.splitext(posixpath.basename(path))[0]
    own = folder if stem in _FOLDER_STEMS else posixpath.join(folder, stem)
    if item.form == "module":
        yield from _anchored(own, item.source)
        return
    source_root = path[: path.rfind("src/") + 3] if "src/" in path else folder
    for parts in map(list, _expand_use(item.source)):
        base = None
        if parts[:1] == ["crate"]:
            base, parts = source_root, parts[1:]
        elif parts[:1] == ["self"]:
            base, parts = own, parts[1:]
        while parts[:1] == ["super"]:
            base, parts = posixpath.dirname(own if base is None else base), parts[1:]
        # The last word, or the last two, are items of a module rather than modules.
        for length in range(len(parts), max(0, len(parts) - 3), -1):
            if base is not None:
                yield from _anchored(base, "/".join(parts[:length]))
            elif length > 1:
                yield "/".join(parts[:length])


def _expand_use(text: str) -> Iterator[tuple[str, ...]]:
    """``a::{b::C, d}`` as ``a::b::C`` and ``a::d``, each as its words."""
    prefix, brace, rest = text.partition("{")
    head = tuple(word for word in re.split(r"\s*::\s*", prefix.strip()) if word not in ("", "*"))
    if not brace:
        yield tuple(word.split(" as ")[0].strip() for word in head)
        return
    depth, piece = 0, ""
    for character in rest.rpartition("}")[0] + ",":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if piece.strip():
                yield from ((*head, *inner) for inner in _expand_use(piece))
            piece = ""
        else:
            piece += character


def _from_java(folder: str, path: str, item: RawImport) -> Iterator[str]:
    dotted = item.source.replace(" ", "").replace(".", "/")
    yield dotted
    # `import static` names a member: the class is one word up.
    above = posixpath.dirname(dotted)
    if posixpath.basename(above)[:1].isupper():
        yield above


def _from_c(folder: str, path: str, item: RawImport) -> Iterator[str]:
    name = item.source.strip("<>").strip()
    if item.form == "system" and "/" not in name:
        return
    relative = posixpath.normpath(name)
    if relative.startswith(".."):
        yield from _anchored(folder, relative)
    else:
        yield relative.lstrip("/")


def _from_csharp(folder: str, path: str, item: RawImport) -> Iterator[str]:
    yield item.source.replace(" ", "").replace(".", "/")


def _from_ruby(folder: str, path: str, item: RawImport) -> Iterator[str]:
    source = item.source.removesuffix(".rb")
    if item.form == "relative" or source.startswith("."):
        yield from _anchored(folder, source)
    else:
        yield source


def _from_php(folder: str, path: str, item: RawImport) -> Iterator[str]:
    if item.form == "file":
        yield from _anchored(folder, item.source.lstrip("/"))
        return
    base = item.source.strip("\\").replace("\\", "/")
    yield from [f"{base}/{name}".replace("\\", "/") for name in item.names[:_MAX_NAMES]] or [base]


def _from_paths(folder: str, path: str, item: RawImport) -> Iterator[str]:
    yield from _anchored(folder, item.source)


_FINDERS = {
    "python": _from_python,
    "javascript": _from_scripts,
    "typescript": _from_scripts,
    "tsx": _from_scripts,
    "go": _from_go,
    "rust": _from_rust,
    "java": _from_java,
    "c": _from_c,
    "cpp": _from_c,
    "csharp": _from_csharp,
    "ruby": _from_ruby,
    "php": _from_php,
}
