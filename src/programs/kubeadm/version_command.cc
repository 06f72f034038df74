// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>

#include "base/build.h"
#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "base/version.h"
#include "cli/terminal.h"
#include "config/version.h"
#include "json/value.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "yaml/yaml.h"

namespace kubeadm {
namespace {

// One fact about this build: its name in JSON, its name in the Go-like dump, and its value.
struct Fact {
  std::string_view json;
  std::string_view dumped;
  std::string value;
};

// The version text of clang contains the compiler's name: "Debian Clang 19.1.7 (3)".
constexpr std::string_view kCompiler =
#if defined(__clang__)
    __VERSION__;
#else
    "gcc " __VERSION__;
#endif

constexpr std::string_view kArchitecture =
#if defined(__aarch64__)
    "arm64";
#else
    "amd64";
#endif

// Returns the facts about this program. The version is the version of the kubeadm that Slipway
// replaces; commit and tree are Slipway's. Slipway's own version is in an additional field, which
// programs that compare versions do not read.
std::vector<Fact> Facts() {
  const auto version = base::Version::Parse(config::kKubeadmVersion).value();
  return {
      {"major", "Major", std::to_string(version.major)},
      {"minor", "Minor", std::to_string(version.minor)},
      {"", "EmulationMajor", ""},
      {"", "EmulationMinor", ""},
      {"", "MinCompatibilityMajor", ""},
      {"", "MinCompatibilityMinor", ""},
      {"gitVersion", "GitVersion", std::string(config::kKubeadmVersion)},
      {"gitCommit", "GitCommit", std::string(base::kCommit)},
      {"gitTreeState", "GitTreeState", std::string(base::kTreeState)},
      {"buildDate", "BuildDate", std::string(base::kBuildDate)},
      {"goVersion", "GoVersion", fmt::format("none (Slipway {}, C++23)", base::kSlipwayVersion)},
      {"compiler", "Compiler", std::string(kCompiler)},
      {"platform", "Platform", fmt::format("linux/{}", kArchitecture)}};
}

json::Ordered AsJson() {
  json::Ordered version = json::Ordered::object();
  for (const Fact& fact : Facts()) {
    if (!fact.json.empty()) {
      version[std::string(fact.json)] = fact.value;
    }
  }
  return {{"clientVersion", std::move(version)}};
}

std::string Dump() {
  std::vector<std::string> parts;
  for (const Fact& fact : Facts()) {
    parts.push_back(fmt::format("{}:{}", fact.dumped, base::Quoted(fact.value)));
  }
  return "kubeadm version: &version.Info{" + base::Join(parts, ", ") + "}";
}

std::string Shown(const std::string& format) {
  if (format.empty()) {
    return Dump() + "\n";
  }
  if (format == "short") {
    return std::string(config::kKubeadmVersion) + "\n";
  }
  if (format == "json") {
    return json::Pretty(AsJson(), 2) + "\n";
  }
  if (format == "yaml") {
    return yaml::Emit(json::Sorted(AsJson())) + "\n";
  }
  throw base::Error(base::Error::Kind::kUsage, "invalid output format: " + base::Visible(format) +
                                                   " (--output takes short, json or yaml)");
}

}  // namespace

cli::Command VersionCommand(host::Host& host) {
  return Made(
      {.name = "version",
       .summary = "Print the version of kubeadm",
       .text = "version",
       .flags = {{.name = "output",
                  .shorthand = 'o',
                  .help = "Output format; available options are 'yaml', 'json' and 'short'"}},
       .run =
           [](cli::Invocation& invocation, host::Host&) {
             invocation.streams.out << cli::Exact{Shown(invocation.flags.Text("output"))};
           }},
      host);
}

}  // namespace kubeadm
