// SPDX-License-Identifier: Apache-2.0
// Flags as values, and their values on a command line.
//
// The grammar is that of pflag (github.com/spf13/pflag, "Command line flag syntax"): `--f v`,
// `--f=v`, `-f v`, `-fv`, `-f=v`, switches with an optional `=value`, flags and arguments in any
// order, `--` before arguments that look like flags.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "cli/values.h"

namespace cli {

class Parsed;

// The type of a flag's value. It decides which strings are accepted, and which getter reads the
// value.
enum class FlagType {
  kText,      // Parsed::Text
  kBool,      // Bool; the value is optional and never the next word
  kInt32,     // Int
  kInt,       // Int, 64 bits
  kDecimal,   // Int, 32 bits, decimal digits only (klog's levels)
  kDuration,  // Duration
  kList,      // List; repeatable, comma-separated
  kPairs,     // Pairs; repeatable, comma-separated
};

// Flag is one row of a command's table of flags.
struct Flag {
  std::string name;    // without dashes
  char shorthand = 0;  // 0: none
  FlagType type = FlagType::kText;
  std::string default_text;  // as a user writes it; if "", the type's zero value
  std::string help;          // may hold line ends
  std::string value_name;    // placeholder in help; if "", the type's name
  // If it is not empty, help hides the flag, and each use prints this text on stderr.
  std::string deprecated;
  bool persistent = false;       // also offered by all subcommands
  bool hidden = false;           // not in help
  bool beyond_upstream = false;  // only in Slipway: help lists it separately (kBeyondUpstream)
  bool required = false;
  // Called each time the command line sets the flag. Its exceptions are reported as errors of the
  // value.
  std::function<void(const Parsed& so_far)> on_set;
};

// Holds the values of all flags of a command, and its arguments. A getter throws std::logic_error
// for a name or type that the command's table lacks: such a call is a bug.
class Parsed {
 public:
  Parsed() = default;
  // The user may set the flags in `offered`. The flags in `defaults` always have their default: the
  // whole command has these flags, but this part of the command does not offer them.
  explicit Parsed(std::vector<Flag> offered, std::vector<Flag> defaults = {});

  const std::string& Text(std::string_view name) const;
  bool Bool(std::string_view name) const;
  std::int64_t Int(std::string_view name) const;
  base::Duration Duration(std::string_view name) const;
  const std::vector<std::string>& List(std::string_view name) const;
  std::vector<Pair> Pairs(std::string_view name) const;
  // Returns the value of a flag of any type as a string; the elements of a list are
  // comma-separated.
  std::string Raw(std::string_view name) const;

  // Returns whether the command line may set the flag.
  bool Offers(std::string_view name) const { return FindOffered(name) != nullptr; }
  // Returns whether the command line has set the flag.
  bool Changed(std::string_view name) const;
  // Returns the string of a flag that was set, std::nullopt otherwise.
  std::optional<std::string> Given(std::string_view name) const {
    return Changed(name) ? std::optional(Text(name)) : std::nullopt;
  }
  // Same as Given, for a switch.
  std::optional<bool> GivenBool(std::string_view name) const {
    return Changed(name) ? std::optional(Bool(name)) : std::nullopt;
  }
  // ChangedNames lists the flags that were set, sorted.
  std::vector<std::string> ChangedNames() const;
  // Returns the values of the flags that were set, and the arguments. Each element of a list is a
  // separate value.
  std::vector<std::string> GivenWords() const;

  const std::vector<std::string>& args() const { return args_; }

  // Sets a flag as the command line would: the first call replaces a list's default, later calls
  // append. Throws base::Error(kUsage) naming flag and value.
  void Set(std::string_view name, const std::string& text);
  void AddArgument(std::string text) { args_.push_back(std::move(text)); }

  // FindOffered and FindShorthand return nullptr for a flag that the command lacks.
  const Flag* FindOffered(std::string_view name) const;
  const Flag* FindShorthand(char shorthand) const;
  // OfferedNames lists the flags that help shows, with their dashes, sorted.
  std::vector<std::string> OfferedNames() const;
  // MissingNames lists required flags that were not set, in the table's order.
  std::vector<std::string> MissingNames() const;

 private:
  struct Entry {
    Flag flag;
    bool offered;
    bool changed = false;
    std::string text;
    std::vector<std::string> list;  // elements of a kList or kPairs
  };
  const Entry& Find(std::string_view name, std::initializer_list<FlagType> types) const;

  std::vector<Entry> entries_;
  std::vector<std::string> args_;
};

// Parses the words after the command's name into `parsed`, one by one: flags before an invalid word
// have already taken effect. `notice` gets a line for each use of a deprecated flag. Throws
// base::Error(kUsage) for the first invalid word.
void ParseWords(std::span<const std::string> words, Parsed& parsed, const base::ShowLine& notice);

// Returns whether `word` is a flag whose value is the next word. The search for the command's name
// calls this function before all flags are known, so an unknown flag counts as one with a value.
bool TakesNextWord(std::string_view word, std::span<const Flag> known);

// Returns the flag's name in messages: "--config", "-v, --v".
std::string ShownName(const Flag& flag);

// The flags -v/--v and --vmodule, which set the verbosity of base::LogInfo.
std::vector<Flag> LogFlags();

}  // namespace cli
