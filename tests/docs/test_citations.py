# SPDX-License-Identifier: Apache-2.0
"""Comments cite the pages of docs/reference. Every citation must lead to an existing heading."""

import re

from docs.fences import TOP

REFERENCE = TOP / "docs" / "reference"
SOURCES = [path for top in ("src", "fuzz", "tests", "bench", "packaging", "cmake")
           for path in (TOP / top).rglob("*") if path.suffix in (".cc", ".h", ".py", ".cmake")]


def joined_comments(text):
    """Returns the text, with each multi-line comment joined to one line."""
    return re.sub(r"\n\s*(?://|#)\s?", " ", text)


def cited(text):
    """Returns (page, section) of each citation. "§3, §4" and "§1–§7" after a page are sections of that page."""
    found = []
    for page, sections in re.findall(r"\b([a-z-]+\.md) ((?:§[\d.]*\d(?:(?:,? and |, | to |–)(?=§))?)+)", text):
        found += [(page, section) for section in re.findall(r"§([\d.]*\d)", sections)]
    return found


SECTIONS = r"§[\d.]*\d(?:(?:,? and |,? or |, | to |–)§[\d.]*\d)*"
# Sources that have sections: our pages, RFCs, ITU recommendations, and two web specifications.
SOURCE_OF_SECTIONS = re.compile(r"(?:[\w.-]+\.md\)?|RFC \d+|X\.\d+|WHATWG URL|semver)[,:]? (?:\([^()]*\) )?$")


def homeless(text):
    """Returns the references to sections ("§7") that do not directly follow their source, such as a page or an RFC."""
    return [section.group() for section in re.finditer(SECTIONS, text)
            if not SOURCE_OF_SECTIONS.search(text[:section.start()])]


def test_a_section_without_a_source_is_found():
    assert homeless("see RFC 7468 §3 and §5.1, X.690 §8.1.2, semver §11, approver.md §4") == []
    assert homeless("a slug of the reference, §7") == ["§7"]
    assert homeless(joined_comments("// (reference: §1).")) == ["§1"]


def test_a_citation_is_seen_however_it_is_written():
    assert cited("(reference: pki.md §10, steps 1 to 8)") == [("pki.md", "10")]
    assert cited("reference: phases.md §3, §4") == [("phases.md", "3"), ("phases.md", "4")]
    assert cited("manifests.md §1–§7).") == [("manifests.md", "1"), ("manifests.md", "7")]
    assert cited(joined_comments("// (reference: config-api.md §1; pki.md\n// §5)")) == [
        ("config-api.md", "1"), ("pki.md", "5")]


def unresolved(path):
    """Returns the citations of a file whose target does not exist."""
    for page, section in cited(joined_comments(path.read_text())):
        file = REFERENCE / page
        heading = rf"^#+ {re.escape(section)}\.? "
        if not file.exists() or not re.search(heading, file.read_text(), re.MULTILINE):
            yield f"{path.relative_to(TOP)}: {page} §{section}"


def test_every_citation_leads_to_a_heading():
    this = TOP / "tests/docs/test_citations.py"
    assert [line for path in SOURCES if path != this for line in unresolved(path)] == []


def test_every_section_has_a_source():
    this = TOP / "tests/docs/test_citations.py"
    assert [f"{path.relative_to(TOP)}: {section}" for path in SOURCES if path != this
            for section in homeless(joined_comments(path.read_text()))] == []


def test_citations_are_found_in_the_sources():
    count = sum(len(cited(joined_comments(path.read_text()))) for path in SOURCES)
    assert count > 100, "citations are not found any more: has their form changed?"
