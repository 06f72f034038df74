// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/suggest.h"

namespace cli {
namespace {

using base::Error;

constexpr std::string_view kTrueText = "true";

// Checks a value of the type. Returns the elements that the value adds to a list; empty for other
// types.
std::vector<std::string> Check(FlagType type, const std::string& text) {
  switch (type) {
    case FlagType::kText:
      break;
    case FlagType::kBool:
      ParseBool(text);
      break;
    case FlagType::kInt32:
      ParseInteger(text, 32);
      break;
    case FlagType::kInt:
      ParseInteger(text, 64);
      break;
    case FlagType::kDecimal:
      ParseDecimal(text, 32);
      break;
    case FlagType::kDuration:
      base::ParseDuration(text);
      break;
    case FlagType::kList:
      return ParseList(text);
    case FlagType::kPairs:
      ParsePairs(text);
      return base::Split(text, ',');
  }
  return {};
}

std::string_view ZeroText(FlagType type) {
  switch (type) {
    case FlagType::kBool:
      return "false";
    case FlagType::kInt32:
    case FlagType::kInt:
    case FlagType::kDecimal:
      return "0";
    case FlagType::kDuration:
      return "0s";
    case FlagType::kText:
    case FlagType::kList:
    case FlagType::kPairs:
      break;
  }
  return "";
}

// The remaining words of a command line.
class Words {
 public:
  explicit Words(std::span<const std::string> words) : words_(words) {}
  std::optional<std::string> Next() {
    if (words_.empty()) {
      return std::nullopt;
    }
    std::string word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

 private:
  std::span<const std::string> words_;
};

void SetFlag(const Flag& flag, const std::string& value, Parsed& parsed,
             const base::ShowLine& notice) {
  parsed.Set(flag.name, value);
  if (!flag.deprecated.empty()) {
    notice(fmt::format("Flag --{} has been deprecated, {}", flag.name, flag.deprecated));
  }
}

[[noreturn]] void ThrowUsage(const std::string& message) {
  throw Error(Error::Kind::kUsage, message);
}

void ParseLong(const std::string& word, Words& words, Parsed& parsed,
               const base::ShowLine& notice) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
  if (name.empty() || name.starts_with('-')) {
    ThrowUsage("bad flag syntax: " + word);
  }
  const Flag* flag = parsed.FindOffered(name);
  if (flag == nullptr) {
    ThrowUsage("unknown flag: --" + base::Visible(name) +
               DidYouMean("--" + name, parsed.OfferedNames()));
  }
  std::optional<std::string> value;
  if (equals != word.npos) {
    value = word.substr(equals + 1);
  } else if (flag->type == FlagType::kBool) {
    value = kTrueText;
  } else {
    value = words.Next();
  }
  if (!value) {
    ThrowUsage("flag needs an argument: --" + name);
  }
  SetFlag(*flag, *value, parsed, notice);
}

// "-hv5" is the switch h and the flag v with the value 5.
void ParseShort(const std::string& word, Words& words, Parsed& parsed,
                const base::ShowLine& notice) {
  for (std::size_t at = 1; at < word.size(); ++at) {
    const std::string rest = word.substr(at);
    const Flag* flag = parsed.FindShorthand(rest[0]);
    if (flag == nullptr) {
      ThrowUsage(fmt::format("unknown shorthand flag: '{}' in -{}", rest[0], rest));
    }
    const bool with_equals = rest.size() > 2 && rest[1] == '=';
    if (flag->type == FlagType::kBool && !with_equals) {
      SetFlag(*flag, std::string(kTrueText), parsed, notice);
      continue;
    }
    std::optional<std::string> value;
    if (rest.size() > 1) {
      value = rest.substr(with_equals ? 2 : 1);
    } else {
      value = words.Next();
    }
    if (!value) {
      ThrowUsage(fmt::format("flag needs an argument: '{}' in -{}", rest[0], rest));
    }
    return SetFlag(*flag, *value, parsed, notice);
  }
}

}  // namespace

Parsed::Parsed(std::vector<Flag> offered, std::vector<Flag> defaults) {
  const auto add = [&](std::vector<Flag>& flags, bool is_offered) {
    for (Flag& flag : flags) {
      Entry entry{.flag = std::move(flag), .offered = is_offered};
      entry.text = entry.flag.default_text.empty() ? std::string(ZeroText(entry.flag.type))
                                                   : entry.flag.default_text;
      if (!entry.text.empty()) {
        entry.list = Check(entry.flag.type, entry.text);
      }
      entries_.push_back(std::move(entry));
    }
  };
  add(offered, true);
  add(defaults, false);
}

const Parsed::Entry& Parsed::Find(std::string_view name,
                                  std::initializer_list<FlagType> types) const {
  const auto entry = std::ranges::find_if(
      entries_, [&](const Entry& candidate) { return candidate.flag.name == name; });
  if (entry == entries_.end()) {
    throw std::logic_error(fmt::format("the command has no flag --{}", name));
  }
  if (std::ranges::find(types, entry->flag.type) == types.end()) {
    throw std::logic_error(fmt::format("flag --{} is of another type", name));
  }
  return *entry;
}

const std::string& Parsed::Text(std::string_view name) const {
  return Find(name, {FlagType::kText}).text;
}

bool Parsed::Bool(std::string_view name) const {
  return ParseBool(Find(name, {FlagType::kBool}).text);
}

std::int64_t Parsed::Int(std::string_view name) const {
  const Entry& entry = Find(name, {FlagType::kInt, FlagType::kInt32, FlagType::kDecimal});
  return entry.flag.type == FlagType::kDecimal ? ParseDecimal(entry.text, 32)
                                               : ParseInteger(entry.text, 64);
}

base::Duration Parsed::Duration(std::string_view name) const {
  return base::ParseDuration(Find(name, {FlagType::kDuration}).text);
}

const std::vector<std::string>& Parsed::List(std::string_view name) const {
  return Find(name, {FlagType::kList}).list;
}

std::vector<Pair> Parsed::Pairs(std::string_view name) const {
  const std::vector<std::string>& parts = Find(name, {FlagType::kPairs}).list;
  return parts.empty() ? std::vector<Pair>() : ParsePairs(base::Join(parts, ","));
}

std::string Parsed::Raw(std::string_view name) const {
  const auto entry = std::ranges::find(entries_, name, [](const Entry& e) { return e.flag.name; });
  if (entry == entries_.end()) {
    throw std::logic_error("no flag --" + std::string(name));
  }
  const bool listed = entry->flag.type == FlagType::kList || entry->flag.type == FlagType::kPairs;
  return listed ? base::Join(entry->list, ",") : entry->text;
}

bool Parsed::Changed(std::string_view name) const {
  return std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.flag.name == name && entry.changed; });
}

std::vector<std::string> Parsed::ChangedNames() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.changed) {
      names.push_back(entry.flag.name);
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> Parsed::GivenWords() const {
  std::vector<std::string> words = args_;
  for (const Entry& entry : entries_) {
    if (entry.changed) {
      words.push_back(entry.text);
      words.insert(words.end(), entry.list.begin(), entry.list.end());
    }
  }
  std::erase(words, "");
  return words;
}

void Parsed::Set(std::string_view name, const std::string& text) {
  for (Entry& entry : entries_) {
    if (entry.flag.name != name || !entry.offered) {
      continue;
    }
    try {
      const std::vector<std::string> more = Check(entry.flag.type, text);
      if (!entry.changed) {
        entry.list.clear();
      }
      entry.list.insert(entry.list.end(), more.begin(), more.end());
      entry.text = text;
      if (entry.flag.on_set) {
        entry.flag.on_set(*this);
      }
    } catch (const Error& error) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("invalid argument {} for \"{}\" flag: {}", base::Quoted(text),
                              ShownName(entry.flag), error.message()));
    }
    entry.changed = true;
    return;
  }
  throw std::logic_error(fmt::format("the command has no flag --{}", name));
}

const Flag* Parsed::FindOffered(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.offered && entry.flag.name == name) {
      return &entry.flag;
    }
  }
  return nullptr;
}

const Flag* Parsed::FindShorthand(char shorthand) const {
  for (const Entry& entry : entries_) {
    if (entry.offered && entry.flag.shorthand == shorthand) {
      return &entry.flag;
    }
  }
  return nullptr;
}

std::vector<std::string> Parsed::OfferedNames() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.offered && !entry.flag.hidden && entry.flag.deprecated.empty()) {
      names.push_back("--" + entry.flag.name);
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> Parsed::MissingNames() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.offered && entry.flag.required && !entry.changed) {
      names.push_back(entry.flag.name);
    }
  }
  return names;
}

void ParseWords(std::span<const std::string> list, Parsed& parsed, const base::ShowLine& notice) {
  Words words(list);
  bool flags_ended = false;
  while (std::optional<std::string> word = words.Next()) {
    if (flags_ended || word->size() < 2 || word->front() != '-') {
      parsed.AddArgument(std::move(*word));
    } else if (*word == "--") {
      flags_ended = true;
    } else if (word->starts_with("--")) {
      ParseLong(*word, words, parsed, notice);
    } else {
      ParseShort(*word, words, parsed, notice);
    }
  }
}

bool TakesNextWord(std::string_view word, std::span<const Flag> known) {
  if (!word.starts_with('-') || word.contains('=')) {
    return false;
  }
  const bool is_long = word.starts_with("--");
  if (!is_long && word.size() != 2) {
    return false;
  }
  const auto flag = std::ranges::find_if(known, [&](const Flag& row) {
    return is_long ? row.name == word.substr(2) : row.shorthand == word[1];
  });
  return flag == known.end() || flag->type != FlagType::kBool;
}

std::string ShownName(const Flag& flag) {
  return flag.shorthand == 0 ? "--" + flag.name
                             : fmt::format("-{}, --{}", flag.shorthand, flag.name);
}

std::vector<Flag> LogFlags() {
  const auto apply = [](const Parsed& so_far) {
    base::SetVerbosity(static_cast<int>(so_far.Int("v")), so_far.Text("vmodule"));
  };
  return {{.name = "v",
           .shorthand = 'v',
           .type = FlagType::kDecimal,
           .help = "How much to log on stderr: 0 is warnings only, 5 and above show where an error "
                   "came from.",
           .value_name = "level",
           .persistent = true,
           .on_set = apply},
          {.name = "vmodule",
           .help = "Levels for single source files: a comma-separated list of pattern=N.",
           .value_name = "pattern=N,...",
           .persistent = true,
           .on_set = apply}};
}

}  // namespace cli
