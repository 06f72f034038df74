// SPDX-License-Identifier: Apache-2.0
// Problems: many errors at once, each with the path of the field it speaks of.
#pragma once

#include <string>
#include <vector>

namespace base {

// Problem is one complaint about an input. `path` is a field path such as
// "networking.podSubnet" or "etcd.local.extraArgs[0].name"; empty when it speaks of the whole.
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

  // Text is the one problem's text, or "[a, b, c]" for several, as Kubernetes aggregates errors.
  // The same text given twice is shown once.
  std::string Text() const;

  // ThrowIfAny throws Error(kInvalid, Text()) unless empty.
  void ThrowIfAny() const;

 private:
  std::vector<Problem> list_;
};

// Texts of the Kubernetes field errors (k8s.io API conventions, "field.Error"): they name the
// kind of complaint, then the offending value.
std::string InvalidValue(const std::string& value_shown, const std::string& detail);
// WithheldValue is InvalidValue of a secret: it tells only whether there is a value at all.
std::string WithheldValue(const std::string& secret, const std::string& detail);
std::string RequiredValue(const std::string& detail);

}  // namespace base
