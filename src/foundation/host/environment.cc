// SPDX-License-Identifier: Apache-2.0
#include "host/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace host {

std::string RealEnvironment::Get(std::string_view name) const {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? "" : value;
}

bool RealEnvironment::HasTerminal() const { return ::isatty(STDIN_FILENO) == 1; }

std::map<std::string, std::string> RealEnvironment::All() const {
  std::map<std::string, std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return all;
}

}  // namespace host
