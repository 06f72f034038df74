#include "kubelet/flags.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/taints.h"

namespace kubelet {
namespace {

constexpr std::string_view kVariable = "KUBELET_KUBEADM_ARGS=";
constexpr std::string_view kRuntimeEndpoint = "container-runtime-endpoint";

std::string TaintList(const std::vector<config::Taint>& taints) {
  std::vector<std::string> texts;
  for (const config::Taint& taint : taints) {
    texts.push_back(config::TaintText(taint));
  }
  return base::Join(texts, ",");
}

// OwnFlags are in the order of their names.
config::Args OwnFlags(const FlagsInput& input) {
  const config::NodeRegistration& registration = input.registration;
  config::Args flags;
  if (input.cri_socket == FlagsInput::CriSocket::kByFlag) {
    flags.push_back({std::string(kRuntimeEndpoint), registration.cri_socket});
  }
  if (registration.name != base::ToLower(base::Trim(input.hostname))) {
    flags.push_back({"hostname-override", registration.name});
  }
  if (input.taints == FlagsInput::Taints::kByFlag && registration.taints &&
      !registration.taints->empty()) {
    flags.push_back({"register-with-taints", TaintList(*registration.taints)});
  }
  return flags;
}

}  // namespace

config::Args Flags(const FlagsInput& input) {
  const config::Args& extra = input.registration.kubelet_extra_args;
  config::Args flags = OwnFlags(input);
  std::erase_if(
      flags, [&](const config::Arg& own) { return config::FindArg(extra, own.name).has_value(); });
  flags.insert(flags.end(), extra.begin(), extra.end());
  return flags;
}

std::string FlagsFileText(const config::Args& flags) {
  std::vector<std::string> words;
  for (const config::Arg& flag : flags) {
    words.push_back(fmt::format("--{}={}", flag.name, flag.value));
  }
  return fmt::format("{}{}\n", kVariable, base::Quoted(base::Join(words, " ")));
}

void WriteFlagsFile(host::Files& files, const config::Args& flags) {
  files.Write(kFlagsFile, FlagsFileText(flags), {.mode = 0644, .directory_mode = 0700});
}

ParsedFlags ParseFlagsFile(std::string_view text) {
  std::string_view line = base::Trim(text);
  if (!line.starts_with(kVariable)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} does not begin with {}", kFlagsFile, kVariable));
  }
  line.remove_prefix(kVariable.size());
  if (line.starts_with('"')) {
    line.remove_prefix(1);
  }
  if (line.ends_with('"')) {
    line.remove_suffix(1);
  }
  ParsedFlags parsed;
  const std::vector<std::string> words = base::Fields(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    // The value may be the next word. A word that is an argument itself is not taken for one.
    if (word.find('=') == std::string::npos && i + 1 < words.size() &&
        !words[i + 1].starts_with("--")) {
      word += "=" + words[++i];
    }
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos || equals == 2) {
      parsed.dropped.push_back(std::move(word));
    } else {
      parsed.flags.push_back({word.substr(2, equals - 2), word.substr(equals + 1)});
    }
  }
  return parsed;
}

std::optional<TakenEndpoint> TakeRuntimeEndpoint(std::string_view text) {
  ParsedFlags parsed = ParseFlagsFile(text);
  const std::optional<std::string> endpoint = config::FindArg(parsed.flags, kRuntimeEndpoint);
  if (!endpoint) {
    return std::nullopt;
  }
  std::erase_if(parsed.flags, [](const config::Arg& arg) { return arg.name == kRuntimeEndpoint; });
  std::ranges::stable_sort(parsed.flags, {}, &config::Arg::name);
  return TakenEndpoint{
      .endpoint = *endpoint, .rest = std::move(parsed.flags), .dropped = std::move(parsed.dropped)};
}

}  // namespace kubelet
