# SPDX-License-Identifier: Apache-2.0
"""Documents that hosts of the bench cannot carry out are refused, with what is missing."""

import pytest

from cluster_api import cloud_init

METADATA = {"local_hostname": "alpha"}


def document(text):
    return "\n".join([*cloud_init.FIRST_LINES, text])


@pytest.mark.parametrize("module", ["users", "ntp", "disk_setup", "fs_setup", "mounts"])
def test_other_modules_are_refused_by_name(module):
    with pytest.raises(cloud_init.Unsupported, match=f"^modules: {module}$"):
        cloud_init.parse(document(f"{module}: []\nruncmd: []"), METADATA)


@pytest.mark.parametrize(("text", "message"), [
    ("runcmd: ['{{ ds.meta_data.region }}']", "variable ds.meta_data.region"),
    ("write_files: [{path: /a, owner: 'nobody:root'}]", "encoding or owner of /a"),
    ("write_files: [{path: /a, encoding: 'gzip'}]", "encoding or owner of /a"),
])
def test_unknown_values_are_refused(text, message):
    with pytest.raises(cloud_init.Unsupported, match=message):
        cloud_init.parse(document(text), METADATA)


def test_a_document_without_the_first_lines_is_refused():
    with pytest.raises(cloud_init.Unsupported, match='"#!/bin/sh"'):
        cloud_init.parse("#!/bin/sh\n", METADATA)


def test_variables_are_replaced():
    assert cloud_init.parse(document("runcmd: ['echo {{ ds.meta_data.local_hostname }}']"), METADATA) == {
        "runcmd": ["echo alpha"]}
