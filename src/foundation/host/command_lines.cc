// SPDX-License-Identifier: Apache-2.0
#include "host/command_lines.h"

#include "base/error.h"
#include "base/strings.h"

namespace host {
namespace {

std::vector<std::string> WordsOf(const Files& files, const std::string& process) {
  try {
    const std::string line = files.Find(fs::path("/proc") / process / "cmdline").value_or("");
    std::vector<std::string> words = base::Split(line, '\0');
    if (!words.empty() && words.back().empty()) {
      words.pop_back();
    }
    return words;
  } catch (const base::Error&) {
    return {};  // it has ended meanwhile
  }
}

}  // namespace

std::map<std::string, std::vector<std::string>> CommandLines(const Files& files) {
  std::map<std::string, std::vector<std::string>> commands;
  if (!files.Exists("/proc")) {
    return commands;
  }
  for (const std::string& name : files.List("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    if (std::vector<std::string> words = WordsOf(files, name); !words.empty()) {
      commands[fs::path(words.front()).filename()] = std::move(words);
    }
  }
  return commands;
}

std::vector<std::string> CommandLineOf(const Files& files, const std::string& program) {
  const auto commands = CommandLines(files);
  const auto found = commands.find(program);
  return found == commands.end() ? std::vector<std::string>() : found->second;
}

}  // namespace host
