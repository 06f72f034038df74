# SPDX-License-Identifier: Apache-2.0
"""Hook of mkdocs: drops entries of the list of pages whose file is missing, and appends files that are not in
the list."""

from pathlib import Path


def on_config(config):
    directory = Path(config["docs_dir"])
    listed = set()
    config["nav"] = _present(config["nav"], directory, listed)
    pages = {str(path.relative_to(directory)) for path in directory.rglob("*.md")}
    config["nav"] += [{"More": sorted(pages - listed)}] if pages - listed else []
    return config


def _present(entries, directory, listed):
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _present(target, directory, listed)})
        elif (directory / target).exists():
            listed.add(target)
            kept.append(entry)
    return [entry for entry in kept if list(entry.values()) != [[]]]
