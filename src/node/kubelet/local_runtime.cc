#include "kubelet/local_runtime.h"

#include "base/error.h"
#include "config/facts.h"
#include "json/value.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "yaml/yaml.h"

namespace kubelet {
namespace {

std::string FromYaml(const host::Host& host, std::string_view path) {
  const auto text = host.files.Find(path);
  if (!text) {
    return "";
  }
  return base::WithContext(std::string(path), [&] {
    return json::TextAt(yaml::Parse(*text).value, {"containerRuntimeEndpoint"});
  });
}

std::string FromFlags(const host::Host& host) {
  const auto text = host.files.Find(kFlagsFile);
  if (!text) {
    return "";
  }
  const ParsedFlags parsed =
      base::WithContext(std::string(kFlagsFile), [&] { return ParseFlagsFile(*text); });
  return config::FindArg(parsed.flags, "container-runtime-endpoint").value_or("");
}

}  // namespace

std::string LocalCriSocket(const host::Host& host) {
  for (const std::string_view path : {kInstanceConfigFile, kConfigFile}) {
    if (std::string socket = FromYaml(host, path); !socket.empty()) {
      return socket;
    }
  }
  if (std::string socket = FromFlags(host); !socket.empty()) {
    return socket;
  }
  std::vector<std::string> existing;
  for (const std::string_view socket : config::kKnownCriSockets) {
    if (host.files.Exists(socket.substr(std::string_view("unix://").size()))) {
      existing.emplace_back(socket);
    }
  }
  return config::ChooseCriSocket(existing);
}

}  // namespace kubelet
