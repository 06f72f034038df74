# SPDX-License-Identifier: Apache-2.0
"""Compares pages that have lists with the sources of the lists."""

import json
import re
import subprocess

import pytest

from docs.fences import TOP, pages

ERRORS = (TOP / "docs/errors.md").read_text()
SOURCES = [path for path in (TOP / "src").rglob("*.cc") if not path.name.endswith("_test.cc")]


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", ERRORS, re.MULTILINE | re.DOTALL)[1]


def first_cells(text):
    """Returns the names in code font in the first cell of each row."""
    return {name for row in re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)}


def check_names():
    """Returns the ids of the preflight checks. Of an id with a variable end (Port-6443), returns the fixed part (Port-)."""
    patterns = (r'\.id = (?:fmt::format\()?"([A-Z]\w*-?)', r'check\("([A-Z]\w+)", ')
    libraries = [path for path in SOURCES if path.parent.name in ("preflight", "upgrade")]
    return {name for path in libraries for pattern in patterns for name in re.findall(pattern, path.read_text())}


def test_every_check_has_an_entry():
    names = check_names()
    assert {"NumCPU", "Port-", "FileAvailable-", "IsPrivilegedUser", "ImagePull", "CoreDNSMigration", "CreateJob"} <= names
    assert len(names) >= 30
    listed = first_cells(section("Checks"))
    missing = {name for name in names - listed
               if not (name.endswith("-") and any(entry.startswith(name) for entry in listed))}
    assert missing == set(), "docs/errors.md needs an entry for these checks"


def test_every_reason_of_the_approver_has_an_entry():
    table = (TOP / "src/approver/judgement/reason.cc").read_text()
    reasons = {name for name in re.findall(r'Reason::k\w+, "([a-z-]+)"', table) if not name.endswith("-ok")}
    listed = first_cells(section("Reasons of the approver"))
    assert len(reasons) > 20
    assert reasons - listed == set(), "docs/errors.md needs an entry for these reasons"
    assert listed - reasons == set(), "no such reason"


@pytest.mark.parametrize("command", ["init", "join", "reset", "upgrade apply", "upgrade node"])
def test_every_phase_has_an_entry(command, programs):
    shown = subprocess.run(["kubeadm", *command.split(), "--help"], capture_output=True, text=True, check=True,
                           env={"PATH": programs}).stdout
    phases = re.search(r"in order.*?:\n\n(.*?)\n\n", shown, re.DOTALL)[1]
    listed = first_cells(section("Phases"))
    group = ""
    for line in phases.splitlines():
        name = line.split()[0]
        group = group if name.startswith("/") else name
        path = group + name if name.startswith("/") else name
        assert path in listed or f"{group}/…" in listed, f"docs/errors.md needs an entry for the phase {path}"


def test_events_are_as_their_schema_says(programs, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((TOP / "docs/events.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    config = tmp_path / "kubeadm.yaml"
    config.write_text("apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"
                      "localAPIEndpoint: {advertiseAddress: 10.0.0.1}\nnodeRegistration: {criSocket: unix:///run/x.sock}\n"
                      "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.36.3\n")
    done = subprocess.run(["kubeadm", "init", "--dry-run", "--output", "json", "--ignore-preflight-errors", "all",
                           "--skip-phases", "addon", "--config", config],
                          capture_output=True, text=True, check=False, env={"PATH": programs}, timeout=120)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events, done.stderr
    for event in events:
        jsonschema.validate(event, schema)
    page = (TOP / "docs/events.md").read_text()
    types = {event["type"] for event in events}
    assert {"phase_started", "phase_finished", "phase_skipped", "message", "run_finished"} <= types
    assert {name for name in types if f"`{name}`" not in page} == set()
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "phase_started", "time": "2026-01-02T03:04:05.006Z"}, schema)


def test_drawing_shows_the_libraries_of_the_build():
    subprocess.run([TOP / "docs/libraries.py", "--check"], check=True)


def test_every_library_is_in_the_table_of_the_architecture():
    libraries = set(re.findall(r"^library\((\w+)", (TOP / "CMakeLists.txt").read_text(), re.MULTILINE))
    rows = set(re.findall(r"^\| `\w+` \| `(\w+)` \|", (TOP / "docs/architecture.md").read_text(), re.MULTILINE))
    assert libraries == rows


def anchors(text):
    """Returns the link targets that the site generates for the headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(TOP)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file.read_text())):
            broken.append(target)
    assert broken == []


def test_llms_txt_lists_every_page():
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", (TOP / "build/site/llms.txt").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(TOP / "docs")) for page in (TOP / "docs").rglob("*.md"))
