// SPDX-License-Identifier: Apache-2.0
// Problems: a list of errors, each with the path of its field.
#pragma once

#include <string>
#include <vector>

namespace base {

// One error in an input. `path` is a field path such as "networking.podSubnet" or
// "etcd.local.extraArgs[0].name". An empty `path` means the input as a whole.
struct Problem {
  std::string path;
  std::string message;

  // Returns "path: message", or the message alone if `path` is empty.
  std::string Text() const { return path.empty() ? message : path + ": " + message; }
  bool operator==(const Problem&) const = default;
};

// Problems collects errors in the order found, so that a user can fix all of them at once.
class Problems {
 public:
  void Add(std::string path, std::string message) {
    list_.push_back({std::move(path), std::move(message)});
  }
  void Append(const Problems& more);

  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  const std::vector<Problem>& list() const { return list_; }

  // Returns the message if there is one problem, or "[a, b, c]" for several, as Kubernetes
  // aggregates errors. Shows duplicates once.
  std::string Text() const;

  // Throws Error(kInvalid, Text()) if there is any problem.
  void ThrowIfAny() const;

 private:
  std::vector<Problem> list_;
};

// Return the messages of Kubernetes' field errors (k8s.io API conventions, "field.Error"): the kind
// of error, then the offending value.
std::string InvalidValue(const std::string& value_shown, const std::string& detail);
// InvalidValue for a secret: the message says only whether there is a value.
std::string WithheldValue(const std::string& secret, const std::string& detail);
std::string RequiredValue(const std::string& detail);

}  // namespace base
