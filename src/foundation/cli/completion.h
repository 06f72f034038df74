// SPDX-License-Identifier: Apache-2.0
// Completion: the shell's script calls the hidden command `__complete` for candidates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace cli {

// One possible word at the cursor.
struct Candidate {
  std::string word;
  std::string summary;  // one line
};

// The candidates at one position of a command line.
struct Candidates {
  enum class Otherwise { kFiles, kNothing };
  std::vector<Candidate> list;
  Otherwise otherwise = Otherwise::kNothing;  // what the shell offers if `list` is empty
};

// Completes the last of `words`, which the user is typing and which may be empty.
Candidates Complete(const Command& root, std::span<const std::string> words);

// CompletionCommand is `completion SHELL`, which prints the script for bash, zsh or fish.
Command CompletionCommand(std::string_view program);

// RunComplete implements the commands `__complete` and `__completeNoDesc`. Prints a line
// "word<TAB>summary" for each candidate, then ":4" (offer nothing else) or ":0" (offer files), as
// cobra's scripts expect.
enum class Summaries { kShow, kOmit };
void RunComplete(const Command& root, std::span<const std::string> words, Summaries summaries,
                 std::ostream& out);

}  // namespace cli
