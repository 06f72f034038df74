// SPDX-License-Identifier: Apache-2.0
#include "backup/pod_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace backup {
namespace {

namespace fs = host::fs;

// The suffixes of flags whose value is a file that the component reads.
constexpr std::array<std::string_view, 6> kFileFlags = {
    "file", "config", "certificate", "certificate-authority", "-key", "keyfile"};
// The flag whose value has two files, followed by names: "a.crt,a.key:example.org".
constexpr std::string_view kCertificatePair = "tls-sni-cert-key";
constexpr std::string_view kLogFile = "log-file";  // klog's; written, not read

bool NamesFile(std::string_view flag) {
  return flag != kLogFile &&
         std::ranges::any_of(kFileFlags, [&](std::string_view end) { return flag.ends_with(end); });
}

const json::Value& FirstContainer(const json::Value& pod) {
  static const json::Value kNone;
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  return containers.is_array() && !containers.empty() ? containers.front() : kNone;
}

std::string HostPathOfVolume(const json::Value& pod, const std::string& name) {
  const json::Value& volumes = json::At(pod, {"spec", "volumes"});
  for (const json::Value& volume : volumes.is_array() ? volumes : json::Value::array()) {
    if (json::TextAt(volume, {"name"}) == name) {
      return json::TextAt(volume, {"hostPath", "path"});
    }
  }
  return "";
}

// Returns the part of the path below the directory. Returns "" for the directory itself, and
// std::nullopt for a path outside of the directory.
std::optional<std::string> Below(const fs::path& path, const fs::path& directory) {
  const std::string relative = path.lexically_normal().lexically_relative(directory).string();
  if (relative.empty() || relative == ".." || relative.starts_with("../")) {
    return std::nullopt;
  }
  return relative == "." ? "" : relative;
}

void AddPath(const json::Value& pod, const std::string& flag, const std::string& path,
             std::vector<NamedFile>& files) {
  if (path.starts_with('/')) {
    files.push_back(
        {.flag = flag, .path = path, .host = HostPathOf(pod, path).value_or(fs::path())});
  }
}

void ForEachString(const json::Value& value, const std::function<void(const std::string&)>& use) {
  if (value.is_string()) {
    use(value.get<std::string>());
  } else if (value.is_structured()) {
    for (const json::Value& part : value) {
      ForEachString(part, use);
    }
  }
}

json::Value TryYaml(std::string_view content) {
  try {
    return yaml::Parse(content).value;
  } catch (const base::Error&) {
    return nullptr;  // not YAML: a certificate or a token
  }
}

const json::Value& ListAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  static const json::Value kEmpty = json::Value::array();
  const json::Value& found = json::At(value, path);
  return found.is_array() ? found : kEmpty;
}

}  // namespace

std::optional<fs::path> HostPathOf(const json::Value& pod, const fs::path& path) {
  std::optional<fs::path> best;
  std::size_t longest = 0;
  for (const json::Value& mount : ListAt(FirstContainer(pod), {"volumeMounts"})) {
    const fs::path at = fs::path(json::TextAt(mount, {"mountPath"})).lexically_normal();
    const std::optional<std::string> rest = Below(path, at);
    if (!rest || at.string().size() < longest) {
      continue;
    }
    longest = at.string().size();
    const std::string host = HostPathOfVolume(pod, json::TextAt(mount, {"name"}));
    if (host.empty()) {
      best.reset();
      continue;
    }
    fs::path found(host);
    if (const std::string part = json::TextAt(mount, {"subPath"}); !part.empty()) {
      found /= part;
    }
    best = rest->empty() ? found : found / *rest;
  }
  return best;
}

std::vector<NamedFile> FilesOfArguments(const json::Value& pod) {
  std::vector<NamedFile> files;
  for (const char* list : {"command", "args"}) {
    for (const json::Value& word : ListAt(FirstContainer(pod), {list})) {
      const std::string text = word.is_string() ? word.get<std::string>() : "";
      const std::size_t sign = text.find('=');
      if (!text.starts_with("--") || sign == std::string::npos ||
          !NamesFile(std::string_view(text).substr(2, sign - 2))) {
        continue;
      }
      const std::string flag = text.substr(2, sign - 2);
      std::string values = text.substr(sign + 1);
      if (flag == kCertificatePair) {
        values.resize(std::min(values.size(), values.find(':')));
      }
      for (const std::string& path : base::Split(values, ',')) {
        AddPath(pod, flag, path, files);
      }
    }
  }
  return files;
}

std::vector<NamedFile> FilesNamedIn(const json::Value& pod, const NamedFile& file,
                                    std::string_view content) {
  const json::Value value = TryYaml(content);
  std::vector<NamedFile> files;
  ForEachString(value, [&](const std::string& text) { AddPath(pod, file.flag, text, files); });
  for (const json::Value& plugin : ListAt(value, {"plugins"})) {
    const std::string path = json::TextAt(plugin, {"path"});
    if (!path.empty() && !path.starts_with('/')) {
      AddPath(pod, file.flag, (fs::path(file.path).parent_path() / path).string(), files);
    }
  }
  std::erase_if(files, [](const NamedFile& named) { return named.host.empty(); });
  return files;
}

std::vector<std::string> KmsPluginsIn(std::string_view content) {
  std::vector<std::string> plugins;
  for (const json::Value& rule : ListAt(TryYaml(content), {"resources"})) {
    for (const json::Value& provider : ListAt(rule, {"providers"})) {
      if (const json::Value& kms = json::At(provider, {"kms"}); kms.is_object()) {
        plugins.push_back(
            fmt::format("{} at {}", json::TextAt(kms, {"name"}), json::TextAt(kms, {"endpoint"})));
      }
    }
  }
  std::ranges::sort(plugins);
  plugins.erase(std::ranges::unique(plugins).begin(), plugins.end());
  return plugins;
}

}  // namespace backup
