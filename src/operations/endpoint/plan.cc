// SPDX-License-Identifier: Apache-2.0
#include "endpoint/plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "certs/alt_names.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "kubeconfigs/specs.h"
#include "net/ip_address.h"

namespace endpoint {
namespace {

using Texts = std::vector<std::string>;

// Returns the list of alternative names to which the host belongs: IP addresses or DNS names.
Texts& ListFor(const std::string& host, pki::SubjectAltNames& names) {
  return net::IpAddress::Parse(host) ? names.ip_addresses : names.dns_names;
}

std::string Canonical(const std::string& host) {
  const auto address = net::IpAddress::Parse(host);
  return address ? address->Text() : base::ToLower(host);
}

bool IsSameHost(const std::string& one, const std::string& other) {
  return Canonical(one) == Canonical(other);
}

bool Holds(const Texts& hosts, const std::string& host) {
  return std::ranges::any_of(hosts, [&](const auto& each) { return IsSameHost(each, host); });
}

void Add(Texts& hosts, const std::string& host) {
  if (!Holds(hosts, host)) {
    hosts.push_back(host);
  }
}

void Remove(Texts& hosts, const std::string& host) {
  std::erase_if(hosts, [&](const std::string& each) { return IsSameHost(each, host); });
}

std::string HostOf(const std::string& endpoint) { return config::ReadEndpoint(endpoint).host; }

// Returns the endpoint at which nodes reach the cluster, with its port.
std::string Present(const config::Init& config) {
  return config::ControlPlaneEndpointUrl(config.cluster, config.init.local_api_endpoint)
      .substr(std::string_view("https://").size());
}

bool IsStored(const config::Init& config, const std::string& to) {
  return !config.cluster.control_plane_endpoint.empty() && Present(config) == to;
}

void AddCertificate(const EndpointFacts& seen, const std::string& host, SetPlan& plan) {
  pki::SubjectAltNames names = seen.names;
  Texts& list = ListFor(host, names);
  if (!Holds(list, host)) {
    list.push_back(Canonical(host));
    plan.names = std::move(names);
  }
}

// Returns the record after this change. All former and intended endpoints stay in the certificates
// until the change is finished.
ChangeRecord NextRecord(const EndpointFacts& seen, const net::HostPort& to) {
  const config::ClusterConfiguration& cluster = seen.config.cluster;
  ChangeRecord next =
      seen.record.value_or(ChangeRecord{.endpoint = {}, .previous = {}, .names = {}});
  if (next.endpoint == to.Text()) {
    return next;
  }
  if (!next.endpoint.empty()) {
    Add(next.names, HostOf(next.endpoint));
  }
  if (const std::string& stored = cluster.control_plane_endpoint;
      !stored.empty() && !Holds(cluster.api_server.cert_sans, HostOf(stored))) {
    Add(next.names, HostOf(stored));
  }
  Remove(next.names, to.host);
  next.endpoint = to.Text();
  next.previous = Present(seen.config);
  next.switched.reset();
  return next;
}

// Returns the configuration to store. It contains the names that clients still use, so that all
// issuers of certificates keep them.
config::ClusterConfiguration StoredFor(const EndpointFacts& seen, const ChangeRecord& record) {
  config::ClusterConfiguration cluster = seen.config.cluster;
  cluster.control_plane_endpoint = record.endpoint;
  Texts& sans = cluster.api_server.cert_sans;
  for (const std::string& name : seen.record ? seen.record->names : Texts()) {
    Remove(sans, name);
  }
  for (const std::string& name : record.names) {
    Add(sans, name);
  }
  return cluster;
}

void AddObjects(const EndpointFacts& seen, const net::HostPort& to, SetPlan& plan) {
  const bool stored = IsStored(seen.config, to.Text());
  std::optional<ChangeRecord> record = seen.record;
  if (!stored || record) {
    record = NextRecord(seen, to);
    if (plan.unprepared.empty() && !record->switched) {
      record->switched = seen.now;
    }
    if (record != seen.record) {
      plan.record = record;
    }
  }
  if (!plan.unprepared.empty()) {
    return;
  }
  if (record) {
    config::ClusterConfiguration cluster = StoredFor(seen, *record);
    if (!stored || cluster.api_server.cert_sans != seen.config.cluster.api_server.cert_sans) {
      plan.cluster = std::move(cluster);
    }
  }
  const std::string url = UrlOf(plan.endpoint);
  plan.cluster_info = seen.cluster_info_server && seen.cluster_info_server != url;
  plan.kube_proxy = seen.proxy_server &&
                    (seen.proxy_server != url ||
                     (record && record->switched && seen.proxy_restarted < *record->switched));
}

std::optional<components::Component> ReaderOf(const std::filesystem::path& path) {
  const auto found = std::ranges::find_if(components::kComponents, [&](auto component) {
    return components::RowOf(component).kubeconfig == path.filename().string();
  });
  return found == components::kComponents.end() ? std::nullopt : std::optional(*found);
}

// Returns whether the file, on a control-plane node, may name this node's own API server.
bool MayBeLocal(const EndpointFacts& seen, const KubeconfigFile& file) {
  return seen.control_plane &&
         std::ranges::any_of(kubeconfigs::InitSpecs(),
                             [&](const kubeconfigs::KubeconfigSpec& spec) {
                               return spec.file == file.path.filename().string() &&
                                      spec.server == kubeconfigs::Server::kLocal;
                             });
}

void AddFiles(const EndpointFacts& seen, SetPlan& plan) {
  const std::string url = UrlOf(plan.endpoint);
  const std::string local = config::LocalEndpointUrl(seen.config.init.local_api_endpoint);
  for (const KubeconfigFile& file : seen.files) {
    if (MayBeLocal(seen, file) && file.server == local) {
      continue;
    }
    // An interrupted run may have written the file without a restart of the kubelet.
    if (file.server != url || plan.mark) {
      plan.kubelet = plan.kubelet || file.path.filename() == config::kKubeletConf;
    }
    plan.rewrites = plan.rewrites || file.server != url;
    if (file.server != url || (plan.mark && ReaderOf(file.path))) {
      plan.files.push_back({.path = file.path, .reader = ReaderOf(file.path)});
    }
  }
}

// Adds the line if `wanted` is true. Escapes line breaks in names.
void AddLine(std::string& text, bool wanted, std::string_view line) {
  if (wanted) {
    text += fmt::format("  {}\n", base::Visible(line));
  }
}

std::string NamesText(const pki::SubjectAltNames& names) {
  Texts all = names.dns_names;
  all.insert(all.end(), names.ip_addresses.begin(), names.ip_addresses.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string CertificateText(const pki::SubjectAltNames& names) {
  return fmt::format("the API server's certificate here is issued again, for {}", NamesText(names));
}

// Throws base::Error for an unknown name, because a mistyped name would exclude no node.
void RequireNodes(const Texts& names, const std::vector<NodeEndpoint>& nodes) {
  for (const std::string& name : names) {
    if (!std::ranges::contains(nodes, name, &NodeEndpoint::name)) {
      throw base::Error(
          base::Error::Kind::kUsage,
          fmt::format("--leave-behind {}: the cluster has no node of that name; 'kubectl get "
                      "nodes' lists them",
                      base::Quoted(name)));
    }
  }
}

}  // namespace

std::string UrlOf(std::string_view endpoint) { return fmt::format("https://{}", endpoint); }

SetPlan MakePlan(const EndpointFacts& seen, const net::HostPort& to) {
  SetPlan plan{.endpoint = to.Text(),
               .names = {},
               .record = {},
               .unprepared = {},
               .cluster = {},
               .files = {}};
  if (seen.control_plane) {
    AddCertificate(seen, to.host, plan);
    if (!IsStored(seen.config, plan.endpoint)) {
      plan.unprepared = seen.unprepared;
    }
    AddObjects(seen, to, plan);
  }
  if (plan.unprepared.empty()) {
    plan.mark = seen.mark != plan.endpoint;
    AddFiles(seen, plan);
  }
  return plan;
}

bool IsEmpty(const SetPlan& plan) {
  return !plan.names && !plan.record && plan.unprepared.empty() && !plan.cluster &&
         !plan.cluster_info && !plan.kube_proxy && plan.files.empty() && !plan.kubelet &&
         !plan.mark;
}

std::string TextOf(const SetPlan& plan) {
  if (IsEmpty(plan)) {
    return fmt::format("This node's part in the endpoint {} is done\n", plan.endpoint);
  }
  std::string text = fmt::format("To the endpoint {}:\n", plan.endpoint);
  if (plan.names) {
    AddLine(text, true, CertificateText(*plan.names));
  }
  for (const std::string& each : plan.unprepared) {
    AddLine(text, true, fmt::format("the cluster waits for {}", each));
  }
  AddLine(text, plan.cluster.has_value(), "ConfigMap kubeadm-config names it");
  AddLine(text, plan.cluster_info, "ConfigMap cluster-info names it");
  AddLine(text, plan.kube_proxy, "ConfigMap kube-proxy names it; kube-proxy's Pods are replaced");
  for (const KubeconfigChange& change : plan.files) {
    AddLine(
        text, true,
        fmt::format("{} names it{}", change.path.string(),
                    change.reader ? fmt::format("; {} is restarted", Name(*change.reader)) : ""));
  }
  AddLine(text, plan.kubelet, "the kubelet is restarted; Pods keep running");
  AddLine(text, plan.mark, "the Node records that it uses the endpoint");
  return text;
}

FinishPlan MakeFinishPlan(const EndpointFacts& seen, const ChangeRecord& record,
                          const std::vector<NodeEndpoint>& nodes,
                          const std::vector<std::string>& leave_behind) {
  RequireNodes(leave_behind, nodes);
  FinishPlan plan{.behind = {}, .left = {}, .cluster = {}, .names = {}};
  for (const NodeEndpoint& node : nodes) {
    if (node.mark != record.endpoint && (!record.switched || node.created < *record.switched)) {
      (std::ranges::contains(leave_behind, node.name) ? plan.left : plan.behind)
          .push_back(node.name);
    }
  }
  config::Init config = seen.config;
  for (const std::string& name : record.names) {
    Remove(config.cluster.api_server.cert_sans, name);
  }
  if (config.cluster.api_server.cert_sans != seen.config.cluster.api_server.cert_sans) {
    plan.cluster = config.cluster;
  }
  pki::SubjectAltNames own = certs::AltNamesOf(certs::FindSpec("apiserver"), config);
  pki::SubjectAltNames names = seen.names;
  for (const std::string& name : record.names) {
    if (!Holds(ListFor(name, own), name)) {
      Remove(ListFor(name, names), name);
    }
  }
  if (names != seen.names) {
    plan.names = std::move(names);
  }
  return plan;
}

std::string TextOf(const FinishPlan& plan) {
  std::string text = "To finish:\n";
  if (!plan.behind.empty()) {
    AddLine(text, true, fmt::format("not in use yet on {}", fmt::join(plan.behind, ", ")));
  }
  if (!plan.left.empty()) {
    AddLine(text, true,
            fmt::format("left behind: {}; a kubelet there loses the cluster when the previous "
                        "endpoint ends",
                        fmt::join(plan.left, ", ")));
  }
  AddLine(text, plan.cluster.has_value(),
          "ConfigMap kubeadm-config does not ask for the old names any more");
  if (plan.names) {
    AddLine(text, true, CertificateText(*plan.names));
  }
  AddLine(text, true, "the record of the change is removed once no API server serves an old name");
  return text;
}

std::vector<std::string> NextSteps(const SetPlan& plan, const EndpointFacts& seen) {
  if (!plan.unprepared.empty()) {
    return {
        "This node is prepared, and the cluster is unchanged. Run 'kubeadm endpoint set' on the "
        "other control planes; the last of them changes the cluster"};
  }
  std::vector<std::string> lines{fmt::format("This node now uses {}", plan.endpoint)};
  if (seen.control_plane) {
    lines.emplace_back(
        "Run 'kubeadm endpoint set' on each other node, then 'kubeadm endpoint finish'; until "
        "then the previous endpoint keeps working");
  }
  return lines;
}

std::optional<ChangeRecord> RecordToFinish(const EndpointFacts& seen) {
  using base::Error;
  if (!seen.control_plane) {
    throw Error(Error::Kind::kUsage,
                "this node is a worker: run 'kubeadm endpoint finish' on a control plane");
  }
  if (seen.record && !seen.record->switched) {
    throw Error(
        fmt::format("the cluster does not use {} yet: run 'kubeadm endpoint set' on each control "
                    "plane",
                    seen.record->endpoint));
  }
  return seen.record;
}

}  // namespace endpoint
