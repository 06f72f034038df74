# SPDX-License-Identifier: Apache-2.0
"""The words of the field: what has a term has no other one, in any file of the repository."""

import re
import subprocess

from docs.fences import TOP

# Each with what is said instead; assembled, so that this file has none of them.
WORDS = {
    "fol" + "ders?": "directory",
    "an" + "ew": "again",
    "men" + "d(?:s|ed|ing)?": "fix",
    "fore" + "bears?": "ancestors",
    "man" + "ners": "behaviour",
    "made" + "up": "fake",
    "pass(?:ed|es|ing) " + "over": "skipped",
    "pass(?:es|ed|ing)? (?:it|them|this) " + "over": "ignored",
    # "There is no node" counts, and is fine.
    r"(?<!there\s)(?<!//\s)(?<!#\s)is no" + " (?:absolute|address|argument|array|certificate|file|"
    "hash|journal|kubeconfig|length|list|network|node|number|object|Pod|port|program|regular|time|URL|version|whole)": "is not a",
    "of use" + " (?:only |together )*with": "can be used only with",
    "sha" + "ll": "must, may",
}
# Words of others.
QUOTED = {"LICENSE", "LICENSES/Apache-2.0.txt"}
OLD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


def old_words(text):
    return [found.group() for found in OLD.finditer(text)]


def test_a_word_is_seen_as_a_whole():
    assert old_words("a fol" + "der, Men" + "ded and passed " + "over") == [
        "fol" + "der", "Men" + "ded", "passed " + "over"]
    assert old_words("recommended, shallow, amend, renewed, password over") == []


def test_a_sentence_that_denies_is_seen_and_one_that_counts_is_not():
    assert old_words("this is no" + " node; it passes it " + "over") == ["is no" + " node", "passes it " + "over"]
    assert old_words("it is no longer a node, there is nothing, there are no files") == []


def test_no_file_has_words_that_were_replaced():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, text=True,
                           check=True).stdout.split("\0")
    found = []
    for name in names:
        path = TOP / name
        if name and name not in QUOTED and path.is_file():
            text = path.read_bytes().decode("utf-8", "ignore")
            found += [f"{name}: {word}" for word in old_words(text)]
    assert found == []
