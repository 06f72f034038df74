// SPDX-License-Identifier: Apache-2.0
#include "config/merged_args.h"

#include <algorithm>
#include <array>

#include "json/field_path.h"

namespace config {
namespace {

constexpr std::string_view kAppend = "append";
constexpr std::string_view kPrepend = "prepend";

const Arg* LastEntry(const Args& extra, std::string_view name) {
  const auto found =
      std::find_if(extra.rbegin(), extra.rend(), [&](const Arg& arg) { return arg.name == name; });
  return found == extra.rend() ? nullptr : &*found;
}

void AddPaths(const json::Value& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      AddPaths(value[i], json::ElementPath(path, i), paths);
    }
  } else if (value.is_object() && value.contains("mergeMethod")) {
    paths.push_back(path);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      AddPaths(member, json::MemberPath(path, name), paths);
    }
  }
}

}  // namespace

bool Replaces(const Arg& entry) {
  return entry.merge_method != kAppend && entry.merge_method != kPrepend;
}

bool IsMergeMethod(std::string_view method) {
  return method.empty() || method == kAppend || method == kPrepend;
}

std::string MergedValue(const Args& extra, std::string_view name, const std::string& base) {
  const Arg* entry = LastEntry(extra, name);
  if (entry == nullptr) {
    return base;
  }
  if (Replaces(*entry)) {
    return entry->value;
  }
  return entry->merge_method == kAppend ? base + entry->value : entry->value + base;
}

Args MergedArgs(const Args& defaults, const Args& extra) {
  Args args;
  for (const Arg& arg : defaults) {
    const Arg* entry = LastEntry(extra, arg.name);
    if (entry == nullptr || !Replaces(*entry)) {
      args.push_back({.name = arg.name, .value = MergedValue(extra, arg.name, arg.value)});
    }
  }
  std::ranges::stable_sort(args, {}, &Arg::name);
  std::ranges::copy_if(extra, std::back_inserter(args), Replaces);
  return args;
}

std::vector<std::string> MergeMethodPaths(const json::Value& object) {
  std::vector<std::string> paths;
  AddPaths(object, "", paths);
  return paths;
}

}  // namespace config
