// SPDX-License-Identifier: Apache-2.0
#include "kubelet/local_runtime.h"

#include "base/error.h"
#include "config/facts.h"
#include "json/value.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "node_input/running_runtimes.h"
#include "yaml/yaml.h"

namespace kubelet {
namespace {

// Returns std::nullopt if the file or the field does not exist.
std::optional<std::string> FromYaml(const host::Files& files, std::string_view path) {
  const auto text = files.Find(path);
  std::string socket = text ? base::WithContext(std::string(path),
                                                [&] {
                                                  return json::TextAt(yaml::Parse(*text).value,
                                                                      {"containerRuntimeEndpoint"});
                                                })
                            : "";
  return socket.empty() ? std::nullopt : std::optional(std::move(socket));
}

std::optional<std::string> FromFlags(const host::Files& files) {
  const auto text = files.Find(kFlagsFile);
  if (!text) {
    return std::nullopt;
  }
  const ParsedFlags parsed =
      base::WithContext(std::string(kFlagsFile), [&] { return ParseFlagsFile(*text); });
  std::optional<std::string> socket = config::FindArg(parsed.flags, kRuntimeEndpointFlag);
  return socket && socket->empty() ? std::nullopt : std::move(socket);
}

}  // namespace

std::optional<std::string> CriSocketOnDisk(const host::Files& files) {
  return FromYaml(files, kInstanceConfigFile)
      .or_else([&] { return FromYaml(files, kConfigFile); })
      .or_else([&] { return FromFlags(files); });
}

std::string LocalCriSocket(const host::Host& host) {
  if (std::optional<std::string> socket = CriSocketOnDisk(host.files)) {
    return *std::move(socket);
  }
  return config::ChooseCriSocket(node_input::RunningRuntimes(host.network));
}

}  // namespace kubelet
