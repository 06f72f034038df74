# SPDX-License-Identifier: Apache-2.0
"""The words and the style of prose: comments, docstrings, test names and pages."""

import re
import subprocess

from docs.fences import TOP
from docs.prose import Text, all_texts, texts_of

# Each word with its replacement. The words are assembled from parts, so that this file contains none of them.
WORDS = {
    "fol" + "ders?": "directory",
    "an" + "ew": "again",
    "men" + "d(?:s|ed|ing)?": "fix",
    "fore" + "bears?": "ancestors",
    "man" + "ners": "behaviour",
    "made" + "up": "fake",
    "pass(?:ed|es|ing) " + "over": "skipped",
    "pass(?:es|ed|ing)? (?:it|them|this) " + "over": "ignored",
    # Does not match these words after "there", nor at the beginning of a comment's line.
    r"(?<!there\s)(?<!//\s)(?<!#\s)is no" + " (?:absolute|address|argument|array|certificate|file|"
    "hash|journal|kubeconfig|length|list|network|node|number|object|Pod|port|program|regular|time|URL|version|whole)": "is not a",
    "of use" + " (?:only |together )*with": "can be used only with",
    "sha" + "ll": "must, may",
}
# Files with texts of other authors.
QUOTED = {"LICENSE", "LICENSES/Apache-2.0.txt"}
OLD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


# Patterns of sentences, each with advice for a better wording.
STYLE = {
    "begins with a relative clause; begin with the subject":
        r"\A(?:What|Who|Whoever|Whom|Whether|Of|That|Asked|Told|By it)\b(?!.*\?\Z)",
    "a name explained by a clause; say what it returns or holds":
        r"(?i)\A\w+ (?:is|are) (?:what|who|where|when|how|whether)\b",
    "an unnamed actor; name the component or the user":
        r"(?i)\b(?:(?:no|some|any|every)body|who(?:ever|m)|who (?:is|has|was|asks|wants|can|leads|knows|vouches))\b",
    "an absent value; name it: std::nullopt, an empty list":
        r"(?i)(?:^|[;, ])nothing (?:when|if|where|for|of)\b",
    "a denied noun; deny the verb":
        r"(?i)(?<!there )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more)\b)",
    "an archaic connective":
        r"(?i)\b(?:wherefore|whereupon|thereby|therein|meanwhile|by turns|in passing|in the midst|all the same)\b",
    "a posture; use to be":
        r"(?i)\b(?:stand|lie)s? (?:in|beside|below|there|for|at|on|behind)\b",
    "a state put or given back; roll back, restore, release or resume":
        r"(?i)\b(?:take[ns]?|puts?|gives?|given|go(?:es)?|gone) (?:(?:it|them|all|everything) )?(?:back|on with)\b",
    "cut off; interrupted or crashed": r"(?i)\bcut off\b",
    "vouch; trust or attest": r"(?i)\bvouch",
}
TOO_LONG = "a sentence of more than 25 words; split it"
LONGEST_SENTENCE = 25  # words, in comments and test names; sentences of pages also have lists and quotes
LONGEST_SUBJECT = 72  # characters
# Exceptions: the kind of text, its files and the reason. There may be at most twenty.
EXCEPTED = {
    ("page", r"docs/reference/"): "facts about upstream, in its words",
    ("comment", r"buildroot/|tests/components/(?:store|images)\.py"): "a cache of gigabytes is named by their content",
}


def old_words(text):
    return [found.group() for found in OLD.finditer(text)]


def test_a_word_is_seen_as_a_whole():
    assert old_words("a fol" + "der, Men" + "ded and passed " + "over") == [
        "fol" + "der", "Men" + "ded", "passed " + "over"]
    assert old_words("recommended, shallow, amend, renewed, password over") == []


def test_a_denied_noun_is_found_and_a_count_is_not():
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


def long_sentences(text):
    return [one for one in re.split(r"(?<=[.;:?!])\s", text) if len(one.split()) > LONGEST_SENTENCE]


def broken_rules(one):
    if any(one.kind == kind and re.match(path, one.place) for kind, path in EXCEPTED):
        return []
    found = [rule for rule, pattern in STYLE.items() if re.search(pattern, one.text)]
    return found + [TOO_LONG] * (one.kind != "page" and bool(long_sentences(one.text)))


def of(kind, text):
    return broken_rules(Text("x.cc:1", kind, text))


def test_each_rule_sees_its_pattern():
    samples = {
        "begins": ["What was found", "Whether it runs."], "a name": ["Outcome is what a run did."],
        "an unnamed": ["asked by somebody", "those who has it"], "an absent": ["the version; nothing when unknown"],
        "a denied": ["It is no reason."], "an archaic": ["It ended meanwhile."],
        "a posture": ["The file lies there."], "a state": ["The file is put back."],
        "cut off": ["a run that was cut off"], "vouch": ["The Machine vouches."]}
    for rule in STYLE:
        texts = next(texts for begin, texts in samples.items() if rule.startswith(begin))
        assert all(of("comment", text) == [rule] for text in texts), rule
    assert of("comment", "word " * 26 + "end.") == [TOO_LONG]
    assert of("comment", "word " * 20 + "end. " + "word " * 20 + "end.") == []


def test_good_sentences_break_no_rule():
    for text in ("What would v1.37.2 change?", "Returns why the file is no longer valid.", "The one who runs it.",
                 "Does nothing else.", "The kubelet restores the file.", "standing orders", "a shallow copy"):
        assert of("comment", text) == [], text


def test_comments_test_names_and_pages_are_read():
    cpp = "// One.\n// Two.\n//\n// Three.\nint a;  // four\nTEST(Suite, FindsTheFile) {}\n"
    assert [one.text for one in texts_of("a.cc", cpp)] == ["One. Two.", "Three.", "four", "Finds the file"]
    python = '"""Doc."""\n# One.\nx = 1  # two\ndef test_finds_it():\n    pass\n'
    assert [one.text for one in texts_of("a.py", python)] == ["One.", "two", "Doc.", "finds it"]
    page = "# Title\nText `code`.\n\n```\nblock\n```\n| cell |\n- item\n"
    assert [one.text for one in texts_of("a.md", page)] == ["Title", "Text X.", "item"]


def test_prose_follows_the_rules():
    found = [f"{one.place}: {rule}: {one.text[:100]}" for one in all_texts() for rule in broken_rules(one)]
    assert found == []


def test_exceptions_stay_few_and_are_needed():
    assert len(EXCEPTED) <= 20
    for kind, path in EXCEPTED:
        assert any(one.kind == kind and re.match(path, one.place) for one in all_texts()), path


def test_subjects_of_commits_fit_a_line():
    """Checks only commits that can still be reworded, because they are not in origin's main branch."""
    command = ["git", "log", "--no-merges", "--format=%s", "origin/main..HEAD"]
    log = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert [subject for subject in log.stdout.splitlines() if len(subject) > LONGEST_SUBJECT] == []
