// SPDX-License-Identifier: Apache-2.0
#include "kubelet/extra_args.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace kubelet {
namespace {

constexpr std::string_view kExtraArgs = "KUBELET_EXTRA_ARGS=";

}  // namespace

std::vector<std::string> ExtraArguments(const host::Files& files) {
  std::vector<std::string> words;
  for (const std::string_view file : kExtraArgsFiles) {
    for (const std::string& line : base::Lines(files.Find(file).value_or(""))) {
      if (line.starts_with(kExtraArgs)) {
        const std::string value = base::ReplaceAll(line.substr(kExtraArgs.size()), "\"", "");
        std::ranges::copy(base::Fields(value), std::back_inserter(words));
      }
    }
  }
  return words;
}

std::vector<host::fs::path> FilesOfUsers(const host::Files& files) {
  std::vector<host::fs::path> found;
  for (const std::string_view file : kExtraArgsFiles) {
    if (files.Exists(file)) {
      found.emplace_back(file);
    }
  }
  const host::fs::path drop_ins(kDropIns);
  std::vector<std::string> names =
      files.Exists(drop_ins) ? files.List(drop_ins) : std::vector<std::string>();
  std::ranges::sort(names);
  for (const std::string& name : names) {
    if (name.ends_with(".conf")) {
      found.push_back(drop_ins / name);
    }
  }
  return found;
}

}  // namespace kubelet
