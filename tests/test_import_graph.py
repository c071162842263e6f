"""The import graph drawn in CONTRIBUTING.md is the one of the code."""

import re
from pathlib import Path

import grimp

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def imports_between_rooms() -> dict[str, set[str]]:
    """Return which rooms each room imports from, directly."""
    graph = grimp.build_graph("levcert", exclude_type_checking_imports=True, cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in graph.modules - {"levcert"}:
        room = module.split(".")[1]
        targets = graph.find_modules_directly_imported_by(module) - {"levcert"}
        found.setdefault(room, set()).update({target.split(".")[1] for target in targets} - {room})
    return found


def without_shortcuts(edges: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Leave out an arrow where a longer way leads to the same room (the transitive reduction of an acyclic graph)."""

    def reach(room: str) -> set[str]:
        return edges[room].union(*(reach(target) for target in edges[room]))

    return {
        (room, target)
        for room, targets in edges.items()
        for target in targets
        if not any(target in reach(other) for other in targets - {target})
    }


def test_the_drawing_shows_the_imports():
    drawn = re.search(r"```mermaid\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert drawn is not None
    arrows = {tuple(arrow) for arrow in re.findall(r"^ +(\w+) --> (\w+)$", drawn[1], re.MULTILINE)}
    expected = without_shortcuts(imports_between_rooms())
    assert arrows == expected, "draw it so:\n" + "\n".join(f"  {a} --> {b}" for a, b in sorted(expected))
