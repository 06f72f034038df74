// SPDX-License-Identifier: Apache-2.0
// Corefile: CoreDNS' configuration (coredns.io/manual: "Configuration"; the syntax is that of a
// Caddyfile, version 1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace addons {

// A directive: a line of words, and the block of lines in braces that follows it. The words keep
// their quotes and {$VARIABLES}.
struct Directive {
  std::vector<std::string> words;  // never empty; the first word is the name
  std::vector<Directive> block;
  bool operator==(const Directive&) const = default;

  const std::string& name() const { return words.front(); }
  // Returns the first line of the block with that name, or nullptr.
  const Directive* FindOption(std::string_view option) const;
};

// A server block. Its keys are the zones that it serves; the key of a snippet is the name that it
// defines.
struct ServerBlock {
  std::vector<std::string> keys;
  std::vector<Directive> plugins;
  bool operator==(const ServerBlock&) const = default;

  const Directive* FindPlugin(std::string_view plugin) const;
};

// A parsed Corefile, without comments and blank lines.
struct Corefile {
  std::vector<ServerBlock> blocks;
  bool operator==(const Corefile&) const = default;

  // Parses a Corefile. Throws base::Error(kInvalid), naming the line, if the text is not a Corefile
  // that CoreDNS accepts.
  static Corefile Parse(std::string_view text);
  // Returns the Corefile as text, indented by four spaces, with an empty line between server
  // blocks.
  std::string Text() const;
};

// Returns the Corefile of a new cluster.
std::string DefaultCorefile(std::string_view dns_domain);

// Returns whether the text equals, byte by byte, a default Corefile of an earlier release for this
// DNS domain. Returns false for the current default, and for a file that a user has changed.
bool IsOldDefault(std::string_view text, std::string_view dns_domain);

}  // namespace addons
