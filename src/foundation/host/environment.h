// Environment variables of a host's process.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace host {

class Environment {
 public:
  virtual ~Environment() = default;
  // Get returns "" for a variable that is not set.
  virtual std::string Get(std::string_view name) const = 0;
  virtual std::map<std::string, std::string> All() const = 0;
  // HasTerminal reports whether somebody may answer questions on standard input.
  virtual bool HasTerminal() const = 0;
};

class RealEnvironment : public Environment {
 public:
  std::string Get(std::string_view name) const override;
  std::map<std::string, std::string> All() const override;
  bool HasTerminal() const override;
};

}  // namespace host
