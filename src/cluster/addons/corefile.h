// SPDX-License-Identifier: Apache-2.0
// Corefile: CoreDNS' configuration (coredns.io/manual: "Configuration"; the syntax is that of a
// Caddyfile, version 1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace addons {

// A line of words and the lines in the braces after it. Words are kept as written, with quotes and
// {$VARIABLES}.
struct Directive {
  std::vector<std::string> words;  // never empty; the first is the name of the plugin or option
  std::vector<Directive> block;
  bool operator==(const Directive&) const = default;

  const std::string& name() const { return words.front(); }
  // Returns the first line of the block with that name, or nullptr.
  const Directive* FindOption(std::string_view option) const;
};

// Serves the zones (or defines the snippet) of its keys.
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

  // Throws base::Error(kInvalid), naming the line, for input that CoreDNS would refuse.
  static Corefile Parse(std::string_view text);
  // Indents by four blanks and puts an empty line between server blocks.
  std::string Text() const;
};

// Returns the Corefile of a new cluster.
std::string DefaultCorefile(std::string_view dns_domain);

// Returns whether the content is, byte by byte, a Corefile that an earlier release installed in a
// cluster of that DNS domain. A file with any change by a user is the user's own. The present
// default does not count.
bool IsOldDefault(std::string_view text, std::string_view dns_domain);

}  // namespace addons
