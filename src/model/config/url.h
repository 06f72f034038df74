// URLs as users write them in a configuration.
#pragma once

#include <string>
#include <string_view>

namespace config {

// Url holds what a configuration needs to know of one.
struct Url {
  std::string scheme;  // in lower case; "" when the text has none
  std::string path;    // with its escapes (%20) undone; "" for "mailto:x"
};

// ParseUrl takes what Go programs take for a URL, a relative one included. Throws
// base::Error(kInvalid) that says what is wrong.
Url ParseUrl(std::string_view text);

}  // namespace config
