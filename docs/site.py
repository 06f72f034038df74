# SPDX-License-Identifier: Apache-2.0
"""Hook of mkdocs: entries of the list of pages whose file is not there are left out, and files that
the list does not have are put at its end."""

from pathlib import Path


def on_config(config):
    folder = Path(config["docs_dir"])
    listed = set()
    config["nav"] = _present(config["nav"], folder, listed)
    pages = {str(path.relative_to(folder)) for path in folder.rglob("*.md")}
    config["nav"] += [{"More": sorted(pages - listed)}] if pages - listed else []
    return config


def _present(entries, folder, listed):
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _present(target, folder, listed)})
        elif (folder / target).exists():
            listed.add(target)
            kept.append(entry)
    return [entry for entry in kept if list(entry.values()) != [[]]]
