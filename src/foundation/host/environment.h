// SPDX-License-Identifier: Apache-2.0
// Environment variables of a host's process.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace host {

// The environment of the process.
class Environment {
 public:
  virtual ~Environment() = default;
  // Returns "" for a variable that is not set.
  virtual std::string Get(std::string_view name) const = 0;
  virtual std::map<std::string, std::string> All() const = 0;
  // Returns whether a user can answer questions on standard input.
  virtual bool HasTerminal() const = 0;
};

// The environment of this process (environ(7)).
class RealEnvironment : public Environment {
 public:
  std::string Get(std::string_view name) const override;
  std::map<std::string, std::string> All() const override;
  bool HasTerminal() const override;
};

}  // namespace host
