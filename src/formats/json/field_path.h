// SPDX-License-Identifier: Apache-2.0
// Field paths as the Kubernetes API writes them: "etcd.local.extraArgs[0].name".
#pragma once

#include <string>
#include <string_view>

namespace json {

inline std::string MemberPath(std::string_view owner, std::string_view name) {
  return owner.empty() ? std::string(name) : std::string(owner) + "." + std::string(name);
}

inline std::string ElementPath(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

}  // namespace json
