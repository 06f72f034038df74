// SPDX-License-Identifier: Apache-2.0
// Problems: many errors at once, each with the path of its field.
#pragma once

#include <string>
#include <vector>

namespace base {

// One complaint about an input. `path` is a field path such as "networking.podSubnet" or
// "etcd.local.extraArgs[0].name". An empty `path` means the input as a whole.
struct Problem {
  std::string path;
  std::string message;

  // Text joins them as "path: message".
  std::string Text() const { return path.empty() ? message : path + ": " + message; }
  bool operator==(const Problem&) const = default;
};

// Problems collects complaints in the order found, so that a user can fix all of them in one go.
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

  // ThrowIfAny throws Error(kInvalid, Text()) unless empty.
  void ThrowIfAny() const;

 private:
  std::vector<Problem> list_;
};

// Return the messages of Kubernetes' field errors (k8s.io API conventions, "field.Error"): the kind
// of complaint, then the offending value.
std::string InvalidValue(const std::string& value_shown, const std::string& detail);
// InvalidValue for a secret: the message says only whether there is a value.
std::string WithheldValue(const std::string& secret, const std::string& detail);
std::string RequiredValue(const std::string& detail);

}  // namespace base
