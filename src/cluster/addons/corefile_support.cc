// SPDX-License-Identifier: Apache-2.0
#include "addons/corefile_support.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "addons/corefile_migration.h"
#include "base/version.h"

namespace addons {
namespace {

constexpr std::string_view kAlways;

// A plugin (`option` is empty) or one of its options, and the versions that know it.
struct Row {
  std::string_view plugin;
  std::string_view option;
  std::string_view since = kAlways;
  std::string_view until = kAlways;
};

constexpr Row kRows[] = {
    {"autopath", ""},
    {"cache", ""},
    {"cache", "denial"},
    {"cache", "disable", "1.9.4"},
    {"cache", "keepttl", "1.10.1"},
    {"cache", "prefetch"},
    {"cache", "serve_stale", "1.6.6", "1.6.9"},
    {"cache", "serve_stale", "1.9.4"},
    {"cache", "servfail", "1.9.4"},
    {"cache", "success"},
    {"errors", ""},
    {"errors", "consolidate", "1.2.6"},
    {"errors", "stacktrace", "1.9.3"},
    {"forward", ""},
    {"forward", "except"},
    {"forward", "expire"},
    {"forward", "failfast_all_unhealthy_upstreams", "1.12.0"},
    {"forward", "force_tcp"},
    {"forward", "health_check"},
    {"forward", "max_concurrent", "1.6.9"},
    {"forward", "max_fails"},
    {"forward", "next", "1.11.4"},
    {"forward", "policy"},
    {"forward", "prefer_udp", "1.2.0"},
    {"forward", "tls"},
    {"forward", "tls_servername"},
    {"health", ""},
    {"health", "lameduck"},
    {"hosts", ""},
    {"hosts", "fallthrough"},
    {"hosts", "no_reverse"},
    {"hosts", "reload"},
    {"hosts", "ttl"},
    {"k8s_external", "", "1.3.0"},
    {"k8s_external", "apex"},
    {"k8s_external", "fallthrough", "1.11.0"},
    {"k8s_external", "ttl"},
    {"kubernetes", ""},
    {"kubernetes", "endpoint"},
    {"kubernetes", "endpoint_pod_names"},
    {"kubernetes", "fallthrough"},
    {"kubernetes", "ignore"},
    {"kubernetes", "kubeconfig", "1.2.3"},
    {"kubernetes", "labels"},
    {"kubernetes", "namespaces"},
    {"kubernetes", "noendpoints"},
    {"kubernetes", "pods"},
    {"kubernetes", "resyncperiod", kAlways, "1.7.1"},
    {"kubernetes", "tls"},
    {"kubernetes", "transfer", kAlways, "1.8.0"},
    {"kubernetes", "ttl"},
    {"kubernetes", "upstream", kAlways, "1.7.1"},
    {"loadbalance", ""},
    {"log", ""},
    {"log", "class"},
    {"loop", "", "1.2.1"},
    {"prometheus", ""},
    {"proxy", "", kAlways, "1.5.0"},
    {"proxy", "except"},
    {"proxy", "fail_timeout"},
    {"proxy", "health_check"},
    {"proxy", "max_fails"},
    {"proxy", "policy"},
    {"proxy", "protocol"},
    {"proxy", "spray"},
    {"ready", "", "1.5.0"},
    {"reload", ""},
    {"rewrite", ""},
    {"rewrite", "class"},
    {"rewrite", "edns0"},
    {"rewrite", "name"},
    {"rewrite", "ttl", "1.2.3"},
    {"rewrite", "type"},
    {"transfer", "", "1.8.0"},
    {"transfer", "to"},
};

base::Version Parsed(std::string_view version) {
  return base::Version::Parse(version).value_or(base::Version{});
}

bool Covers(const Row& row, const base::Version& version) {
  return (row.since.empty() || Parsed(row.since) <= version) &&
         (row.until.empty() || version <= Parsed(row.until));
}

bool IsKnown(std::string_view plugin, std::string_view option, const base::Version& version) {
  return std::ranges::any_of(kRows, [&](const Row& row) {
    return row.plugin == plugin && row.option == option && Covers(row, version);
  });
}

// A line of plugin hosts that begins with an address is an entry.
bool IsHostEntry(const Directive& plugin, const std::string& option) {
  return plugin.name() == "hosts" &&
         option.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
}

void AddOnce(std::vector<std::string>& parts, std::string part) {
  if (std::ranges::find(parts, part) == parts.end()) {
    parts.push_back(std::move(part));
  }
}

void CheckPluginFor(const Directive& plugin, const base::Version& version,
                    std::vector<std::string>& parts) {
  if (!IsKnown(plugin.name(), "", version)) {
    AddOnce(parts, fmt::format("plugin \"{}\"", plugin.name()));
    return;
  }
  for (const Directive& option : plugin.block) {
    if (!IsKnown(plugin.name(), option.name(), version) && !IsHostEntry(plugin, option.name())) {
      AddOnce(parts, fmt::format("option \"{}\" of plugin \"{}\"", option.name(), plugin.name()));
    }
  }
}

// Checks the plugin against every version of the step after the first, and adds unsupported parts
// to `parts`.
void CheckPlugin(const Directive& plugin, const CoreDnsStep& step,
                 std::vector<std::string>& parts) {
  for (const std::string_view known : KnownCoreDnsVersions()) {
    const base::Version version = Parsed(known);
    if (Parsed(step.from) < version && !(Parsed(step.to) < version)) {
      CheckPluginFor(plugin, version, parts);
    }
  }
}

}  // namespace

std::vector<std::string> UnsupportedParts(const Corefile& corefile, const CoreDnsStep& step) {
  std::vector<std::string> parts;
  for (const ServerBlock& block : corefile.blocks) {
    for (const Directive& plugin : block.plugins) {
      CheckPlugin(plugin, step, parts);
    }
  }
  return parts;
}

}  // namespace addons
