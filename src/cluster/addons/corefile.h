// SPDX-License-Identifier: Apache-2.0
// Corefile: CoreDNS' configuration (coredns.io/manual: "Configuration"; the syntax is that of a
// Caddyfile, version 1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace addons {

// Directive is a line of words and the lines in the braces after it. Words are kept as they are
// written, quotes and {$VARIABLES} included.
struct Directive {
  std::vector<std::string> words;  // never empty; the first is the plugin's or option's name
  std::vector<Directive> block;
  bool operator==(const Directive&) const = default;

  const std::string& name() const { return words.front(); }
  // FindOption is the first line of the block with that name, or null.
  const Directive* FindOption(std::string_view option) const;
};

// ServerBlock serves the zones (or is the snippet) of its keys.
struct ServerBlock {
  std::vector<std::string> keys;
  std::vector<Directive> plugins;
  bool operator==(const ServerBlock&) const = default;

  const Directive* FindPlugin(std::string_view plugin) const;
};

// Corefile keeps no comments and no blank lines.
struct Corefile {
  std::vector<ServerBlock> blocks;
  bool operator==(const Corefile&) const = default;

  // Parse throws base::Error(kInvalid), naming the line, for a text that CoreDNS would not take.
  static Corefile Parse(std::string_view text);
  // Text indents by four blanks and puts an empty line between server blocks.
  std::string Text() const;
};

// DefaultCorefile is the one of a new cluster.
std::string DefaultCorefile(std::string_view dns_domain);

// IsOldDefault tells whether a text is, byte by byte, a Corefile that an earlier release installed
// in a cluster of that DNS domain. A text of which a user has changed anything is the user's own.
// The present default does not count.
bool IsOldDefault(std::string_view text, std::string_view dns_domain);

}  // namespace addons
