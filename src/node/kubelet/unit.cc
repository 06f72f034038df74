// SPDX-License-Identifier: Apache-2.0
#include "kubelet/unit.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "kubelet/flags.h"

namespace kubelet {
namespace {

using host::fs::path;

// The directories of units; an earlier one hides files of the same name in later ones.
constexpr std::array<std::string_view, 5> kUnitDirectories = {
    kUserUnits, "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
    "/lib/systemd/system"};
constexpr std::string_view kUnitName = "kubelet.service";
constexpr std::string_view kBlanks = " \t\r";

// Returns the content of a file; "" for a directory or a pipe, from which a read would block.
std::string Text(const path& file, const host::Files& files) {
  using Kind = host::FileInfo::Kind;
  const std::optional<host::FileInfo> info = files.Stat(file);
  const bool is_text = info && (info->kind == Kind::kFile || info->kind == Kind::kLink);
  return is_text ? files.Find(file).value_or("") : "";
}

enum class Comments { kNone, kAfterHash };

// Reads the character after a backslash at `at`, and moves `at` to it. Returns std::nullopt for a
// line end, which continues the line.
std::optional<char> Escaped(std::string_view text, std::size_t& at) {
  ++at;
  if (at >= text.size() || text[at] == '\n') {
    return std::nullopt;
  }
  constexpr std::string_view kSpaces = "snt";  // \s, \n, \t
  return kSpaces.contains(text[at]) ? ' ' : text[at];
}

// Splits at white space. Removes quotes, whose content belongs to one word (systemd.syntax(7)).
std::vector<std::string> SplitQuoted(std::string_view text, Comments comments) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  const auto end_word = [&] {
    if (word) {
      words.push_back(*std::exchange(word, std::nullopt));
    }
  };
  const auto begin_word = [&] { return word ? &*word : &word.emplace(); };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    const bool blank = kBlanks.contains(here) || here == '\n';
    if (here == '\\') {
      if (const std::optional<char> escaped = Escaped(text, at)) {
        *begin_word() += *escaped;
      }
    } else if (quote == '\0' && blank) {
      end_word();
    } else if (quote == '\0' && comments == Comments::kAfterHash && here == '#' && !word) {
      at = std::min(text.find('\n', at), text.size());
    } else if (here == quote) {
      quote = '\0';
    } else if (quote == '\0' && (here == '"' || here == '\'')) {
      quote = here;
      begin_word();
    } else {
      *begin_word() += here;
    }
  }
  end_word();
  return words;
}

// Parses "NAME=value"; std::nullopt for another word.
std::optional<Assignment> AssignmentOf(const std::string& file, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return std::nullopt;
  }
  return Assignment{.file = file, .name = word.substr(0, equals), .value = word.substr(equals + 1)};
}

// Sets the variable. A later assignment in the same file replaces an earlier one.
void Set(std::vector<Assignment>& environment, Assignment set) {
  std::erase_if(environment, [&](const Assignment& old) {
    return old.file == set.file && old.name == set.name;
  });
  environment.push_back(std::move(set));
}

// Reads the value that begins at `at` in an environment file, and moves `at` to the end of its
// line. A quoted part may span lines.
std::string ReadValue(std::string_view text, std::size_t& at) {
  std::string value;
  std::size_t kept = 0;  // the length of `value` without blanks at its end
  char quote = '\0';
  for (; at < text.size() && (quote != '\0' || text[at] != '\n'); ++at) {
    const char here = text[at];
    if (here == '\\' && quote != '\'') {
      ++at;
      if (at < text.size() && text[at] != '\n') {
        value += text[at];
      }
      kept = value.size();
    } else if (quote != '\0' && here == quote) {
      quote = '\0';
    } else if (quote == '\0' && kept == 0 && (here == '"' || here == '\'')) {
      quote = here;
    } else if (quote != '\0' || !kBlanks.contains(here)) {
      value += here;
      kept = value.size();
    } else if (kept > 0) {
      value += here;
    }
  }
  value.resize(kept);
  return value;
}

// Reads an environment file (systemd.exec(5), EnvironmentFile=).
void AddEnvironmentFile(const std::string& file, const host::Files& files,
                        std::vector<Assignment>& environment) {
  const std::string content = Text(file, files);
  const std::string_view text = content;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = base::Trim(text.substr(at, end - at));
    const std::size_t equals = text.find('=', at);
    if (line.starts_with('#') || line.starts_with(';') || equals >= end) {
      at = end;
      continue;
    }
    Assignment set{.file = file, .name = std::string(base::Trim(text.substr(at, equals - at)))};
    at = equals + 1;
    set.value = ReadValue(text, at);
    Set(environment, std::move(set));
  }
}

// Reads OpenRC's file, which is a shell script. A value may extend an earlier one.
void AddOpenRcFile(const host::Files& files, std::vector<Assignment>& environment) {
  const std::string file(kOpenRcFile);
  for (const std::string& word : SplitQuoted(Text(file, files), Comments::kAfterHash)) {
    if (auto set = AssignmentOf(file, word)) {
      environment.push_back(*std::move(set));
    }
  }
}

// The lines of a unit without comments, continued lines joined.
std::vector<std::string> UnitLines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  for (const std::string& physical : base::Lines(text)) {
    std::string line(base::Trim(physical));
    if (line.starts_with('#') || line.starts_with(';')) {
      continue;
    }
    const bool goes_on = line.ends_with('\\');
    if (goes_on) {
      line.back() = ' ';
    }
    if (continues) {
      lines.back() += line;
    } else {
      lines.push_back(std::move(line));
    }
    continues = goes_on;
  }
  return lines;
}

// The settings of the unit's section [Service] that decide its environment and arguments.
struct Service {
  std::vector<Assignment> environment = {};
  std::vector<std::string> environment_files = {};
  std::vector<Word> exec_start = {};
  std::vector<std::string> unset = {};
  std::vector<path> files = {};  // see Unit::files
};

void AddFile(const path& file, const host::Files& files, Service& service) {
  if (file != path(kFlagsFile) && files.Exists(file)) {
    service.files.push_back(file);
  }
}

// Applies a setting; an empty value resets the list.
void Apply(const std::string& file, std::string_view key, std::string_view value,
           Service& service) {
  const std::vector<std::string> words = SplitQuoted(value, Comments::kNone);
  if (key == "Environment") {
    for (const std::string& word : words) {
      if (auto set = AssignmentOf(file, word)) {
        Set(service.environment, *std::move(set));
      }
    }
    if (words.empty()) {
      service.environment.clear();
    }
  } else if (key == "EnvironmentFile") {
    if (value.empty()) {
      service.environment_files.clear();
    } else {
      service.environment_files.emplace_back(value.substr(value.starts_with('-') ? 1 : 0));
    }
  } else if (key == "ExecStart") {
    for (const std::string& word : words) {
      service.exec_start.push_back({.file = file, .text = word});
    }
    if (words.empty()) {
      service.exec_start.clear();
    }
  } else if (key == "UnsetEnvironment") {
    std::ranges::copy(words, std::back_inserter(service.unset));
    if (words.empty()) {
      service.unset.clear();
    }
  }
}

// Reads a unit or a drop-in. Lines before the first section count as [Service].
void AddUnitFile(const std::string& file, const host::Files& files, Service& service) {
  bool in_service = true;
  for (const std::string& line : UnitLines(Text(file, files))) {
    const std::size_t equals = line.find('=');
    if (line.starts_with('[')) {
      in_service = line == "[Service]";
    } else if (in_service && equals != std::string::npos) {
      const std::string_view whole = line;
      Apply(file, base::Trim(whole.substr(0, equals)), base::Trim(whole.substr(equals + 1)),
            service);
    }
  }
}

// Returns the unit, then its drop-ins sorted by name.
std::vector<path> UnitFiles(const host::Files& files) {
  std::vector<path> found;
  std::map<std::string, path> drop_ins;
  for (const path directory : kUnitDirectories) {
    if (found.empty() && files.Exists(directory / kUnitName)) {
      found.push_back(directory / kUnitName);
    }
    const path below = directory / (std::string(kUnitName) + ".d");
    for (const std::string& name :
         files.Exists(below) ? files.List(below) : std::vector<std::string>()) {
      if (name.ends_with(".conf")) {
        drop_ins.try_emplace(name, below / name);
      }
    }
  }
  std::ranges::copy(drop_ins | std::views::values, std::back_inserter(found));
  return found;
}

// Returns the files of an EnvironmentFile=, whose last part may be a pattern (glob(7)).
std::vector<path> Matching(const path& named, const host::Files& files) {
  if (named.string().find_first_of("*?[") == std::string::npos) {
    return {named};
  }
  std::vector<path> found;
  const path directory = named.parent_path();
  for (const std::string& name :
       files.Exists(directory) ? files.List(directory) : std::vector<std::string>()) {
    if (fnmatch(named.filename().c_str(), name.c_str(), FNM_PERIOD) == 0) {
      found.push_back(directory / name);
    }
  }
  return found;
}

// Reads each environment file once: those that the unit names, then those of kubeadm and packages.
void AddEnvironmentFiles(const host::Files& files, Service& service) {
  std::vector<path> all;
  for (const std::string& named : service.environment_files) {
    std::ranges::copy(Matching(named, files), std::back_inserter(all));
  }
  all.emplace_back(kFlagsFile);
  std::ranges::copy(kExtraArgsFiles, std::back_inserter(all));
  for (auto file = all.begin(); file != all.end(); ++file) {
    if (std::find(all.begin(), file, *file) == file) {
      AddFile(*file, files, service);
      AddEnvironmentFile(file->string(), files, service.environment);
    }
  }
}

// Returns the variable of a word "$NAME" or "${NAME}"; "" for another word.
std::string_view VariableOf(std::string_view word) {
  if (word.starts_with("${")) {
    return word.find('}') + 1 == word.size() ? word.substr(2, word.size() - 3) : "";
  }
  return word.starts_with('$') ? word.substr(1) : "";
}

// Replaces "${NAME}" within a word.
std::string Expanded(std::string text, const std::vector<Assignment>& environment) {
  for (const Assignment& set : environment | std::views::reverse) {
    text = base::ReplaceAll(std::move(text), "${" + set.name + "}", set.value);
  }
  return text;
}

std::vector<Word> Arguments(const std::vector<Word>& exec_start,
                            const std::vector<Assignment>& environment) {
  std::vector<Word> early;  // words of kFlagsFile, which come first
  std::vector<Word> arguments;
  const auto add_value = [](const Assignment& set, std::vector<Word>& words) {
    for (const std::string& word : SplitQuoted(set.value, Comments::kNone)) {
      words.push_back({.file = set.file, .text = word});
    }
  };
  for (const Assignment& set : environment) {
    if (!std::ranges::contains(exec_start, std::string_view(set.name),
                               [](const Word& word) { return VariableOf(word.text); })) {
      add_value(set, set.file == kFlagsFile ? early : arguments);
    }
  }
  for (const Word& word : exec_start) {
    const std::string_view variable = VariableOf(word.text);
    for (const Assignment& set : environment) {
      if (set.name == variable) {
        add_value(set, arguments);
      }
    }
    if (variable.empty()) {
      arguments.push_back({.file = word.file, .text = Expanded(word.text, environment)});
    }
  }
  early.insert(early.end(), arguments.begin(), arguments.end());
  return early;
}

}  // namespace

Unit ReadUnit(const host::Files& files) {
  Service service;
  for (const path& file : UnitFiles(files)) {
    if (file.string().starts_with(kUserUnits)) {
      AddFile(file, files, service);
    }
    AddUnitFile(file.string(), files, service);
  }
  AddEnvironmentFiles(files, service);
  std::erase_if(service.environment, [&](const Assignment& set) {
    return std::ranges::contains(service.unset, set.name) ||
           std::ranges::contains(service.unset, set.name + "=" + set.value);
  });
  AddFile(kOpenRcFile, files, service);
  AddOpenRcFile(files, service.environment);
  return {.environment = service.environment,
          .arguments = Arguments(service.exec_start, service.environment),
          .files = service.files};
}

std::optional<std::string> FindArgument(std::span<const Word> words, std::string_view name) {
  constexpr std::string_view kDashes = "--";
  std::optional<std::string> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const std::size_t equals = std::min(word.find('='), word.size());
    if (!word.starts_with(kDashes) ||
        config::NormalizedFlag(word.substr(kDashes.size(), equals - kDashes.size())) != name) {
      continue;
    }
    if (equals < word.size()) {
      found = word.substr(equals + 1);
    } else {
      const bool valued = i + 1 < words.size() && !words[i + 1].text.starts_with('-');
      found = valued ? words[i + 1].text : "";
    }
  }
  return found;
}

}  // namespace kubelet
