# SPDX-License-Identifier: Apache-2.0
"""`kubeadm token` with a real API server that has valid and damaged tokens: our kubeadm prints the same and leaves the
same Secrets as upstream's."""

import base64
import dataclasses
import datetime
import re
import subprocess

import pytest


from . import programs
from .real_api import api, plane  # noqa: F401 (fixtures)
from .token_commands import Tokens

SECRETS = "/api/v1/namespaces/kube-system/secrets"
RANDOM = [(re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), "TOKEN"), (re.compile(r"bootstrap-token-\S+"), "NAME"),
          (re.compile(r'("(expiration|token-id|token-secret)": )"[^"]*"'), r"\1RANDOM"),
          (re.compile(r"(?m)^(\s*(expiration|token-id|token-secret): ).*"), r"\1RANDOM")]


def test_token_commands_do_as_upstream_does(seed, plane, api, pytestconfig):  # noqa: F811
    tokens = Tokens(seed)
    both_took = 0
    for _ in range(pytestconfig.getoption("each")):
        secrets, command = tokens.secrets(), tokens.command()
        theirs = outcome(programs.upstream(programs.RELEASE), command, plane, api, secrets)
        ours = outcome(programs.OURS, command, plane, api, secrets)
        both_took += theirs.code == ours.code == 0
        assert (ours.code, ours.says, ours.secrets) == (theirs.code, theirs.says, theirs.secrets), (
            f"kubeadm {command} with {secrets}\n--- upstream: {theirs}\n--- ours: {ours}")
    assert both_took, "nothing was run"


@dataclasses.dataclass
class Outcome:
    """An outcome, in which placeholders replace random values and times."""

    code: int
    says: str
    errors: str
    secrets: list  # in the cluster after the command


def outcome(program, command, plane, api, secrets):
    for name in read(api):
        api("DELETE", f"{SECRETS}/{name}")
    for secret in secrets:
        status, answer = api("POST", SECRETS, secret)
        assert status == 201, answer
    done = subprocess.run([program, *command, "--kubeconfig", plane.kubeconfig()], capture_output=True, text=True,
                          timeout=120, check=False)
    given = {secret["metadata"]["name"] for secret in secrets} | {f"bootstrap-token-{word[:6]}" for word in command}
    return Outcome(done.returncode, said(command, done.stdout), done.stderr, sorted(left(api, given)))


def said(command, text):
    if "--dry-run" in command:  # each program uses its own words
        return ""
    if "list" in command:  # upstream's rows differ in their column widths
        return re.sub(" {2,}", "  ", text)
    return without_random(text)


def without_random(text):
    for pattern, replacement in RANDOM:
        text = pattern.sub(replacement, text)
    return text


def read(api):
    status, answer = api("GET", SECRETS)
    assert status == 200, answer
    return {item["metadata"]["name"]: item for item in answer["items"]}


def left(api, given):
    for name, secret in read(api).items():
        data = {key: base64.b64decode(value).decode() for key, value in secret.get("data", {}).items()}
        if name not in given:
            name = "NAME" if name == f"bootstrap-token-{data.pop('token-id')}" else f"{name} of another token"
            data["token-secret"] = bool(re.fullmatch("[a-z0-9]{16}", data["token-secret"]))
        if "expiration" in data:
            data["expiration"] = minutes_left(data["expiration"])
        yield str((name, secret["type"], secret["metadata"].get("labels"), sorted(data.items())))


def minutes_left(text):
    try:
        expires = datetime.datetime.fromisoformat(text)
        return round((expires - datetime.datetime.now(datetime.timezone.utc)) / datetime.timedelta(minutes=1))
    except (ValueError, TypeError):
        return text
