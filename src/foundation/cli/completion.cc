// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/help.h"
#include "cli/terminal.h"

namespace cli {
namespace {

using base::Error;

// The script for bash; NAME is replaced by the program's name. The program splits COMP_LINE again,
// because bash also splits words at '='.
constexpr std::string_view kBashScript =
    R"(# bash completion for NAME; load it with: source <(NAME completion bash)
_NAME_complete() {
    local typed=${COMP_LINE:0:COMP_POINT} line
    local -a words
    read -ra words <<<"$typed"
    [[ $typed == *[[:space:]] ]] && words+=("")
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :4) compopt +o default 2>/dev/null ;;
            :*) ;;
            *) COMPREPLY+=("$line") ;;
        esac
    done < <("${COMP_WORDS[0]}" __completeNoDesc "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _NAME_complete NAME
)";

constexpr std::string_view kZshScript = R"(#compdef NAME
# zsh completion for NAME; load it with: source <(NAME completion zsh)
_NAME() {
    local line directive
    local -a found
    while IFS= read -r line; do
        if [[ $line == :<-> ]]; then
            directive=$line
        else
            line=${line//:/\\:}
            found+=("${line/$'\t'/:}")
        fi
    done < <("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe -V 'NAME' found
    elif [[ $directive != :4 ]]; then
        _files
    fi
}
if [[ $funcstack[1] == _NAME ]]; then
    _NAME "$@"
else
    compdef _NAME NAME
fi
)";

// fish passes the words before the cursor without their quotes, but the word at the cursor with its
// quotes.
constexpr std::string_view kFishScript =
    R"(# fish completion for NAME; load it with: NAME completion fish | source
function __NAME_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l files no
    for line in ($program __complete $words "$typed" 2>/dev/null)
        switch $line
            case ':4'
            case ':*'
                set files yes
            case '*'
                echo $line
        end
    end
    if test $files = yes
        __fish_complete_path "$typed"
    end
end
complete -c NAME -f -a '(__NAME_complete)'
)";

struct Shell {
  std::string_view name;
  std::string_view script;
};
constexpr Shell kShells[] = {{"bash", kBashScript}, {"zsh", kZshScript}, {"fish", kFishScript}};

std::string ScriptFor(const std::vector<std::string>& args, std::string_view program) {
  if (args.empty()) {
    throw Error(Error::Kind::kUsage, "shell not specified");
  }
  if (args.size() > 1) {
    throw Error(Error::Kind::kUsage, "too many arguments: only the name of the shell is expected");
  }
  for (const Shell& shell : kShells) {
    if (shell.name == args[0]) {
      return base::ReplaceAll(std::string(shell.script), "NAME", program);
    }
  }
  throw Error(
      Error::Kind::kUsage,
      fmt::format("unsupported shell type {}, the supported shell types are [bash zsh fish]",
                  base::Quoted(args[0])));
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns a sort key: upstream's names come first, then those that only Slipway has.
template <typename T>
std::pair<bool, std::string> UpstreamFirst(const T& one) {
  return {one.beyond_upstream, one.name};
}

bool IsVisible(const Flag& flag) { return !flag.hidden && flag.deprecated.empty(); }

// Returns whether a flag may be given repeatedly. Only flags with list values may.
bool MayRepeat(const Flag& flag) {
  return flag.type == FlagType::kList || flag.type == FlagType::kPairs;
}

void AddFlags(std::vector<Flag> flags, const Parsed& parsed, const std::string& typed,
              Candidates& candidates) {
  std::ranges::sort(flags, {}, UpstreamFirst<Flag>);
  for (const Flag& flag : flags) {
    if (!IsVisible(flag) || (parsed.Changed(flag.name) && !MayRepeat(flag))) {
      continue;
    }
    const std::string summary = FirstLine(flag.help);
    const std::string long_form = "--" + flag.name;
    const std::string short_form = flag.shorthand == 0 ? "" : fmt::format("-{}", flag.shorthand);
    if (long_form.starts_with(typed)) {
      candidates.list.push_back({long_form, summary});
    }
    if (!short_form.empty() && short_form.starts_with(typed)) {
      candidates.list.push_back({short_form, summary});
    }
  }
}

// The inherited flags come first, as upstream lists them.
Candidates OfferFlags(const Found& found, const Parsed& parsed, const std::string& typed) {
  Candidates candidates;
  AddFlags(found.InheritedFlags(), parsed, typed, candidates);
  AddFlags(OwnFlags(found), parsed, typed, candidates);
  return candidates;
}

Candidates OfferWords(const Found& found, const Parsed& parsed, const std::string& typed) {
  Candidates candidates;
  const Command& command = found.command();
  std::vector<Command> children = ChildrenOf(command, found.chain.size() - 1);
  std::erase_if(children, [](const Command& child) { return !IsAvailable(child); });
  std::ranges::sort(children, {}, UpstreamFirst<Command>);
  if (!parsed.args().empty() || (children.empty() && command.arg_values.empty())) {
    return {.list = {}, .otherwise = Candidates::Otherwise::kFiles};
  }
  for (const Command& child : children) {
    if (child.name.starts_with(typed)) {
      candidates.list.push_back({child.name, child.summary});
    }
  }
  for (const std::string& value : command.arg_values) {
    if (value.starts_with(typed)) {
      candidates.list.push_back({value, ""});
    }
  }
  return candidates;
}

// Returns whether the word at the cursor is the value of a flag. Values are completed with files.
bool WaitsForValue(std::span<const std::string> before, const std::string& typed,
                   std::span<const Flag> flags) {
  if (typed.starts_with('-')) {
    return typed.contains('=');
  }
  return !before.empty() && TakesNextWord(before.back(), flags);
}

}  // namespace

Candidates Complete(const Command& root, std::span<const std::string> words) {
  Candidates files = {.list = {}, .otherwise = Candidates::Otherwise::kFiles};
  const std::string& typed = words.back();
  std::span<const std::string> before = words.first(words.size() - 1);
  if (!before.empty() && before.front() == "help") {
    before = before.subspan(1);
  }
  const Found found = Find(root, before);
  const std::vector<Flag> flags = found.AllFlags();
  if (WaitsForValue(found.words, typed, flags)) {
    return files;
  }
  Parsed parsed(flags);
  try {
    ParseWords(found.words, parsed, [](const std::string&) {});
  } catch (const Error&) {
    return files;  // the words before the cursor are already invalid
  }
  const bool only_arguments = std::ranges::find(found.words, "--") != found.words.end();
  return typed.starts_with('-') && !only_arguments ? OfferFlags(found, parsed, typed)
                                                   : OfferWords(found, parsed, typed);
}

Command CompletionCommand(std::string_view program) {
  const std::string name(program);
  return {.name = "completion",
          .summary = "Print the completion script for a shell (bash, zsh or fish)",
          .long_text = fmt::format(
              "Print a script that completes the commands and flags of {0}.\n\n"
              "The script asks {0} itself what may come next, so it needs no renewal when a newer\n"
              "version knows more.",
              name),
          .example = fmt::format("# For this shell\n"
                                 "source <({0} completion bash)\n\n"
                                 "# For every bash from now on\n"
                                 "{0} completion bash > /etc/bash_completion.d/{0}\n\n"
                                 "# For every zsh from now on\n"
                                 "{0} completion zsh > \"${{fpath[1]}}/_{0}\"\n\n"
                                 "# For every fish from now on\n"
                                 "{0} completion fish > ~/.config/fish/completions/{0}.fish",
                                 name),
          .usage_args = "SHELL",
          .max_args = kAnyNumber,
          .arg_values = {"bash", "zsh", "fish"},
          .run = [name](Invocation& invocation) {
            invocation.streams.out << Exact{ScriptFor(invocation.flags.args(), name)};
          }};
}

void RunComplete(const Command& root, std::span<const std::string> words, Summaries summaries,
                 std::ostream& out) {
  if (words.empty()) {
    throw Error(Error::Kind::kUsage, "requires at least 1 arg(s), only received 0");
  }
  const Candidates candidates = Complete(root, words);
  for (const Candidate& candidate : candidates.list) {
    const bool summary = summaries == Summaries::kShow && !candidate.summary.empty();
    out << candidate.word << (summary ? "\t" + candidate.summary : "") << '\n';
  }
  out << (candidates.otherwise == Candidates::Otherwise::kFiles ? ":0\n" : ":4\n");
}

}  // namespace cli
