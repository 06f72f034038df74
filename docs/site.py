# SPDX-License-Identifier: Apache-2.0
"""Hook of mkdocs: drops entries of the list of pages whose file is missing, and appends files that are not in
the list. Writes llms.txt: the pages with their first sentences, as programs that read manuals look for it."""

import re
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


def on_post_build(config):
    Path(config["site_dir"], "llms.txt").write_text(index(config["nav"], Path(config["docs_dir"])), encoding="utf-8")


def index(nav, directory):
    """The text of llms.txt (https://llmstxt.org)."""
    lines = ["# Slipway", "", f"> {_first_sentence(directory / 'index.md')}"]
    for entry in nav:
        ((title, target),) = entry.items()
        lines += ["", f"## {title}", "", *_links(target if isinstance(target, list) else [{title: target}], directory)]
    return "\n".join(lines) + "\n"


def _links(entries, directory):
    for entry in entries:
        ((title, target),) = entry.items() if isinstance(entry, dict) else ((entry, entry),)
        if isinstance(target, list):
            yield from _links(target, directory)
        else:
            sentence = _first_sentence(directory / target)
            yield f"- [{title}]({target})" + (f": {sentence}" if sentence else "")


def _first_sentence(page):
    """Returns the first sentence of the first paragraph that is prose, or "" if the page has none."""
    for paragraph in page.read_text(encoding="utf-8").split("\n\n"):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        if text and not paragraph.startswith("    ") and text[0] not in "#<|!-`":
            return re.split(r"(?<=[.:])\s", text)[0].rstrip(":")
    return ""
