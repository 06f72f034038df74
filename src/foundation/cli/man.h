// SPDX-License-Identifier: Apache-2.0
// Manual pages of a program, from the texts and flag tables that --help shows.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace cli {

// ManPage is one page in the language of man(7).
struct ManPage {
  std::string file;  // "kubeadm-init.8"
  std::string text;
};

// ManEdition is what stands at the edges of every page.
struct ManEdition {
  std::string date;     // "2026-01-31"
  std::string version;  // "Slipway 0.1.0"
};

// ManPages is a page for the root and for each command that has a text of its own, hidden ones too;
// commands without one are listed in their parent's page. Section 8, administration.
std::vector<ManPage> ManPages(const Command& root, const ManEdition& edition);

// ManText is a text of help in the language of man(7): paragraphs flow, indented lines stay as they
// are, words between backquotes are bold.
std::string ManText(std::string_view text);

}  // namespace cli
