#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules of the code, and limits of its sizes.

The lines of a function and of a file, parameters, and nesting are limited. Every other number is only printed. The
rules are:

    Programs do not change files or cluster objects themselves.
    Public functions name the kinds of errors that they throw.
    Operations give each struct a name of its own.
    Every include is used. Only the library host/ starts threads, and reads the clock and the environment.

    tests/budgets.py           prints violations and the totals
    tests/budgets.py --show    also prints the places that are counted

tree-sitter reads the sources by its grammar of C++ (tests/budgets.txt has the versions): no compiler
is needed, and all files take seconds. `./dev lint` and `./dev test budgets` run this.
"""
import argparse
import collections
import functools
import pathlib
import re
import subprocess
import sys

import tree_sitter
import tree_sitter_cpp

TOP = pathlib.Path(__file__).resolve().parent.parent
FILE_LINES, FUNCTION_LINES = 500, 60
PARAMETERS, NESTING = 5, 3

# The number of violations of each rule. A number may be lowered, but must not be raised.
CEILINGS = {
    "parameters": 0,
    "nesting": 0,
    "work in a program": 0,
    "throws without a kind": 0,
    "names of structs that operations share": 0,
    "unused includes": 0,
    "json/value.h where json/fwd.h is enough": 0,
    "beside the host": 0,
}
COUNTED = ("base::ShowLine spelled out", "tests that catch base::Error themselves")

PROGRAMS = "src/programs/"
KUBEADM = "src/programs/kubeadm/"
OPERATIONS = "src/operations/"
BLOCKS = {"if_statement", "for_statement", "for_range_loop", "while_statement", "do_statement", "switch_statement",
          "try_statement"}
PARAMETER = {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"}
# Calls that change files, or that read or write objects of a cluster. Programs must not make them: they only choose,
# call and print.
FILE_WORK = re.compile(r"(?:\.|->|^)files(?:\(\))?\.(?:Write|Remove|Rename|Copy|Move|Append|Make|Set(?:Mode|Owner))\w*$")
OBJECT_WORK = re.compile(r"(?:[cC]lient|[tT]ransport)_?(?:\(\))?(?:\.|->)(?:Get|Find|List|Create|Update|Patch|Delete|Apply|"
                         r"Put|Raw|Do|Retry)\w*$")
# Programs' files that write one file, which a flag of the user names.
WRITES_OUTPUT = {"src/programs/kubeadm/config/commands.cc", "src/programs/kubeadm/events/command.cc",
                 "src/programs/kubeadm/fleet/watch.cc"}
THROWS = re.compile(r"(?<!not )\b[Tt]hrows? (?:base::Error|if|unless|when|immediately)\b")
KIND = re.compile(r"\bk[A-Z]\w+|\bkinds?\b")
# Detached threads, thread-local state, the environment and clocks, which only host/ may use.
HOST = "src/foundation/host/"
BESIDE_HOST = re.compile(r"\.detach\(|\bthread_local\b|\bgetenv\b|::now\(|\bstatic host::Real")
# Files that read the kernel's clock themselves, with the reason.
OWN_CLOCK = {
    "src/clients/http/client.cc": "the idle time of a stream is measured like libcurl's own timeouts, in real time",
}
SHOW_LINE = re.compile(r"std::function<\s*void\((?:const std::string&|std::string_view)"
                       r"(?: (?:line|text|report|sentence|message|warning))?\)>")
CATCH = re.compile(r"catch \(const (?:base::)?Error\b")
BOILERPLATE = re.compile(r"#include|#pragma|namespace|}  // namespace")


class Source:
    """A file, its syntax tree, and the queries of the checks."""

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))

    def __init__(self, name):
        self.name = name
        self.path = re.sub(r"^src/[a-z]+/", "", name)  # as in an include line
        self.header = name.endswith(".h")
        self.test = name.endswith("_test.cc") or "/fake_" in name
        self.text = (TOP / name).read_bytes()
        self.lines = self.text.decode().splitlines()
        self.root = self.parser.parse(self.text).root_node

    @functools.cached_property
    def nodes(self):
        found, todo = [], [self.root]
        while todo:
            found.append(todo.pop())
            todo.extend(found[-1].children)
        return found

    def of(self, *kinds):
        return [node for node in self.nodes if node.type in kinds]

    def said(self, node):
        return self.text[node.start_byte:node.end_byte].decode()

    def at(self, node):
        return f"{self.name}:{node.start_point[0] + 1}"

    @functools.cached_property
    def words(self):
        """All identifiers of the code, without those in comments and string literals."""
        return {self.said(node) for node in self.nodes if node.type.endswith("identifier") and not node.children}

    @functools.cached_property
    def includes(self):
        """The include lines with quotes, by path."""
        lines = ((node.child_by_field_name("path"), node) for node in self.of("preproc_include"))
        return {self.said(path).strip('"'): node for path, node in lines if path.type == "string_literal"}

    @functools.cached_property
    def declared(self):
        """The names that an includer can use: not members, parameters, and declarations in function bodies."""
        inner = {"compound_statement", "field_declaration_list", "enumerator_list", "initializer_list",
                 "parameter_list", "preproc_include"}
        names, todo = set(), [self.root]
        while todo:
            node = todo.pop()
            if node.type.endswith("identifier") and node.type != "namespace_identifier" and not node.children:
                names.add(self.said(node))
            todo.extend(child for child in node.children if child.type not in inner)
        return names


def deepest(node, level=0):
    """Returns the nesting depth of blocks below `node`. An `else if` counts as its `if` does. A lambda counts as a
    separate function."""
    found = level
    for child in node.children:
        if child.type in ("lambda_expression", "class_specifier", "struct_specifier"):
            continue
        chained = child.type == "if_statement" and node.type == "else_clause"
        found = max(found, deepest(child, level + (child.type in BLOCKS and not chained)))
    return found


def sizes(source):
    for node in source.of("function_definition"):
        yield node, node.end_point[0] - node.start_point[0] + 1


def oversized(source):
    if len(source.lines) > FILE_LINES:
        yield f"{source.name}: {len(source.lines)} lines, at most {FILE_LINES}"
    for node, size in sizes(source):
        if size > FUNCTION_LINES:
            yield f"{source.at(node)}: a function of {size} lines, at most {FUNCTION_LINES}"


def long_lists(source):
    for node in source.of("function_declarator", "abstract_function_declarator"):
        count = sum(child.type in PARAMETER for child in node.child_by_field_name("parameters").children)
        if count > PARAMETERS:
            yield f"{source.at(node)}: {count} parameters, at most {PARAMETERS}"


def deep_blocks(source):
    for node in source.of("function_definition", "lambda_expression"):
        body = node.child_by_field_name("body")
        depth = deepest(body) if body else 0
        if depth > NESTING:
            yield f"{source.at(node)}: blocks {depth} deep, at most {NESTING}"


def work_in_programs(source):
    """Returns the calls in programs that write files, or read or write objects."""
    for node in source.of("call_expression"):
        called = source.said(node.child_by_field_name("function"))
        file_work = FILE_WORK.search(called) and source.name not in WRITES_OUTPUT
        if file_work or OBJECT_WORK.search(called):
            yield f"{source.at(node)}: {' '.join(called.split())}"


def kindless_throws(source):
    """Returns the comments in headers that promise an error without a kind."""
    comment, first = "", 0
    for number, line in enumerate([*source.lines, ""], 1):
        if line.lstrip().startswith("//"):
            first = number if not comment else first
            comment += " " + line.lstrip().removeprefix("//").strip()
            continue
        if (found := THROWS.search(comment)) and not KIND.search(comment, found.end()):
            yield f"{source.name}:{first}: {comment[found.start():].strip()}"
        comment = ""


def shared_names(sources):
    """Returns the names that the headers of several operations give to different structs."""
    places = collections.defaultdict(set)
    for source in sources:
        for node in source.of("struct_specifier", "class_specifier"):
            outer = node.parent
            while outer is not None and outer.type not in ("struct_specifier", "class_specifier", "function_definition"):
                outer = outer.parent
            name = node.child_by_field_name("name")
            if outer is None and name is not None and node.child_by_field_name("body") is not None:
                places[source.said(name)].add(source.path)
    for name, paths in sorted(places.items()):
        if len({path.split("/")[0] for path in paths}) > 1:
            yield f"{name}: {', '.join(sorted(paths))}"


def beside_the_host(source):
    """Returns uses of detached threads, thread-local state, the environment or a clock outside of host/."""
    if source.name.startswith(HOST):
        return
    for number, line in enumerate(source.lines, 1):
        for found in BESIDE_HOST.findall(line.split("//")[0]):
            if not (source.name in OWN_CLOCK and found == "::now("):
                yield f"{source.name}:{number}: {found}"


def spelled_out(source):
    """Returns progress callbacks of another type than base::ShowLine."""
    for number, line in enumerate(source.lines, 1):
        if SHOW_LINE.search(line) and source.path not in ("base/show_line.h", "base/take_bytes.h"):
            yield f"{source.name}:{number}: base::ShowLine"


def own_catches(source):
    """Returns tests that catch exceptions themselves, where base::Thrown or base::MessageOf would be sufficient."""
    if source.path == "base/fake_error.h" or not source.test:
        return
    for number, line in enumerate(source.lines, 1):
        if CATCH.search(line):
            yield f"{source.name}:{number}: base/fake_error.h"


def unused_includes(source, headers):
    own = re.sub(r"(_test)?\.cc$", ".h", source.path)
    for path, node in source.includes.items():
        if path in headers and path != own and not headers[path].declared & source.words:
            yield f"{source.at(node)}: nothing of {path} is used"


def heavy_includes(source, headers):
    """Returns headers that include json/value.h without holding, creating or reading a value."""
    node = source.includes.get("json/value.h")
    if node is None or not source.header or source.path.startswith("json/"):
        return
    names = headers["json/value.h"].declared - headers["json/fwd.h"].declared
    held = [field for field in source.of("field_declaration", "compound_statement", "default_value")
            if "json::" in source.said(field) and not (
                field.type == "field_declaration" and any(c.type == "function_declarator" for c in field.children))]
    made = any("json::" in source.said(parameter) for parameter in source.of("optional_parameter_declaration"))
    if not held and not made and not names & source.words:
        yield f"{source.at(node)}: json/fwd.h is enough"


def contract_percent(sources):
    """Returns the percentage of header lines with a comment. Includes, namespaces and blank lines do not count."""
    lines = [line for source in sources if source.header for line in source.lines
             if line.strip() and not BOILERPLATE.match(line)]
    return 100 * sum("//" in line for line in lines) / len(lines)


def reaching(headers, sources, path):
    """Returns the number of sources that include the header `path`, directly or indirectly."""
    @functools.cache
    def reaches(name):
        return any(other == path or other in headers and reaches(other) for other in headers[name].includes)
    return sum(any(name == path or name in headers and reaches(name) for name in source.includes)
               for source in sources if not source.header)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="what is below a ceiling, too")
    show = parser.parse_args().show
    listed = subprocess.run(["git", "ls-files", "src", "fuzz", "tests", "bench"], cwd=TOP, capture_output=True,
                            text=True, check=True).stdout.split()
    everything = [Source(name) for name in listed if name.endswith((".cc", ".h"))]
    product = [source for source in everything if not source.test]
    libraries = [source for source in everything if source.name.startswith("src/")]
    headers = {source.path: source for source in libraries if source.header}

    found = collections.defaultdict(list)
    for source in everything:
        found["unused includes"] += unused_includes(source, headers)
        found["parameters"] += long_lists(source)
        found["base::ShowLine spelled out"] += spelled_out(source)
        found["tests that catch base::Error themselves"] += own_catches(source)
    complaints = []
    for source in product:
        complaints += oversized(source)
        found["nesting"] += deep_blocks(source)
        found["json/value.h where json/fwd.h is enough"] += heavy_includes(source, headers)
        if source in libraries:
            found["beside the host"] += beside_the_host(source)
            if source.name.startswith(PROGRAMS):
                found["work in a program"] += work_in_programs(source)
            if source.header:
                found["throws without a kind"] += kindless_throws(source)
    found["names of structs that operations share"] += shared_names(
        source for source in product if source.header and source.name.startswith(OPERATIONS))
    for name, ceiling in CEILINGS.items():
        if len(found[name]) > ceiling:
            complaints += [*found[name], f"{name}: {len(found[name])}, at most {ceiling}"]
        elif show:
            print(*found[name], sep="\n", end="\n" if found[name] else "")
        if len(found[name]) < ceiling:
            print(f"{name}: {len(found[name])} are left; lower the ceiling of {ceiling}")

    if show:
        for name in COUNTED:
            print(*found[name], sep="\n", end="\n" if found[name] else "")

    measured = sorted(size for source in product for _, size in sizes(source))
    p90 = measured[len(measured) * 9 // 10]
    commands = [source for source in product if source.name.startswith(KUBEADM)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(measured)} functions, median {measured[len(measured) // 2]}, p90 {p90}, longest {measured[-1]} lines; "
          f"{contract_percent(libraries):.1f} % of the headers' lines are contract")
    print(f"kubeadm's commands: {sum(len(source.lines) for source in commands)} lines in {len(commands)} files, the "
          f"longest {max(len(source.lines) for source in commands)}")
    print("; ".join(f"{name}: {len(found[name])}" for name in (*CEILINGS, *COUNTED)))
    reached = reaching(headers, libraries, "json/value.h")
    print(f"json/value.h reaches {reached} of {sum(not source.header for source in libraries)} sources")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
