// SPDX-License-Identifier: Apache-2.0
#include "kubelet/flags.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/images.h"
#include "config/merged_args.h"
#include "config/taints.h"
#include "releases/releases.h"

namespace kubelet {
namespace {

constexpr std::string_view kVariable = "KUBELET_KUBEADM_ARGS=";

std::string TaintList(const std::vector<config::Taint>& taints) {
  std::vector<std::string> texts;
  for (const config::Taint& taint : taints) {
    texts.push_back(config::TaintText(taint));
  }
  return base::Join(texts, ",");
}

config::Args OwnFlags(const FlagsInput& input) {
  const config::NodeRegistration& registration = input.registration;
  config::Args flags;
  if (input.cri_socket == FlagsInput::CriSocket::kByFlag) {
    flags.push_back({std::string(kRuntimeEndpointFlag), registration.cri_socket});
  }
  if (registration.name != base::ToLower(base::Trim(input.hostname))) {
    flags.push_back({"hostname-override", registration.name});
  }
  if (!input.pod_infra_image.empty()) {
    flags.push_back({std::string(kPodInfraImageFlag), input.pod_infra_image});
  }
  if (input.taints == FlagsInput::Taints::kByFlag && registration.taints &&
      !registration.taints->empty()) {
    flags.push_back({"register-with-taints", TaintList(*registration.taints)});
  }
  return flags;
}

}  // namespace

std::string PodInfraImage(const config::ClusterConfiguration& cluster) {
  return releases::For(cluster.kubernetes_version).pod_infra_flag ? config::PauseImage(cluster)
                                                                  : std::string();
}

config::Args Flags(const FlagsInput& input) {
  return config::MergedArgs(OwnFlags(input), input.registration.kubelet_extra_args);
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
    // The value may be the next word. A word that is an argument itself is not a value.
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

std::optional<TakenFlag> TakeFlag(std::string_view text, std::string_view name) {
  ParsedFlags parsed = ParseFlagsFile(text);
  const std::optional<std::string> value = config::FindArg(parsed.flags, name);
  if (!value) {
    return std::nullopt;
  }
  std::erase_if(parsed.flags, [&](const config::Arg& arg) { return arg.name == name; });
  std::ranges::stable_sort(parsed.flags, {}, &config::Arg::name);
  return TakenFlag{
      .value = *value, .rest = std::move(parsed.flags), .dropped = std::move(parsed.dropped)};
}

}  // namespace kubelet
