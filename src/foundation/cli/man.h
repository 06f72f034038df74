// SPDX-License-Identifier: Apache-2.0
// Manual pages of a program, from the texts and flag tables of --help.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace cli {

// One page in the language of man(7).
struct ManPage {
  std::string file;  // "kubeadm-init.8"
  std::string text;
};

// The header and footer of every page.
struct ManEdition {
  std::string date;     // "2026-01-31"
  std::string version;  // "Slipway 0.1.0"
};

// Returns a page of section 8 (administration) for the root and for each command with a long text,
// also for hidden commands. Other commands are listed in their parent's page.
std::vector<ManPage> ManPages(const Command& root, const ManEdition& edition);

// Converts help text to man(7). Paragraphs are filled, indented lines stay unchanged, and words
// between backquotes become bold.
std::string ManText(std::string_view text);

}  // namespace cli
