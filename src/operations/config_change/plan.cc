// SPDX-License-Identifier: Apache-2.0
#include "config_change/plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/problems.h"
#include "base/rows.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "base/version.h"
#include "certs/alt_names.h"
#include "certs/create.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/component_configs.h"
#include "config/feature_gates.h"
#include "config_change/node_problems.h"
#include "config_change/parts.h"
#include "control_plane/apply.h"
#include "control_plane/running.h"
#include "kubelet/cluster_keys.h"
#include "kubelet/node_config.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;
using control_plane::PodChange;

std::vector<PlannedField> PlannedFields(const config::Init& from, const config::Init& to) {
  std::vector<PlannedField> fields;
  std::string refused;
  for (config::Difference& difference : config::Differences(from.cluster, to.cluster)) {
    const FieldRow& row = RowFor(difference.kind, difference.path);
    if (row.impact == Impact::kNever) {
      refused += fmt::format("\n{}: {}", difference.path, row.why);
    }
    fields.push_back({std::move(difference), &row});
  }
  if (!refused.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        "these fields cannot be changed in a running cluster, nothing was changed:" + refused);
  }
  return fields;
}

std::vector<std::string_view> CertificatesOf(const std::vector<PlannedField>& fields) {
  std::vector<std::string_view> names;
  for (const PlannedField& field : fields) {
    const std::string_view name = field.row->certificate;
    if (!name.empty() && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

// Returns the certificates on this node (names of certs::Tree) that lack an alternative name of the
// configuration. Throws base::Error(kNotFound or kInvalid) for a missing or malformed certificate.
std::vector<std::string_view> MissingNames(const host::Host& host, const config::Init& config) {
  std::vector<std::string_view> missing;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (spec.names == certs::NameRule::kNone || certs::IsSkipped(spec, config.cluster)) {
      continue;
    }
    const pki::SubjectAltNames wanted = certs::AltNamesOf(spec, config);
    const pki::SubjectAltNames here =
        certs::LoadChain(host.files,
                         certs::CertPath(config.cluster.certificates_dir, spec.base_name))
            .front()
            .alt_names();
    const auto has = [](const auto& all, const auto& one) {
      return std::ranges::find(all, one) != all.end();
    };
    const bool complete =
        std::ranges::all_of(wanted.dns_names,
                            [&](const auto& name) { return has(here.dns_names, name); }) &&
        std::ranges::all_of(wanted.ip_addresses,
                            [&](const auto& ip) { return has(here.ip_addresses, ip); });
    if (!complete) {
      missing.push_back(spec.name);
    }
  }
  return missing;
}

// Requires that this node can issue the certificates in the list `names`. A certificate whose CA
// cannot sign on this node must already have all alternative names of `to`. Such a certificate is
// removed from the list, because it needs no action. Throws base::Error(kInvalid) if an alternative
// name is missing.
void RequireSigners(std::vector<std::string_view>& names, const Sources& sources,
                    const config::Init& to) {
  const std::vector<std::string_view> incomplete =
      names.empty() ? std::vector<std::string_view>() : MissingNames(sources.host, to);
  std::erase_if(names, [&](std::string_view name) {
    try {
      certs::LoadCa(sources.host.files, to.cluster.certificates_dir,
                    certs::FindSpec(certs::FindSpec(name).ca).base_name);
      return false;
    } catch (const Error& error) {
      if (std::ranges::find(incomplete, name) == incomplete.end()) {
        return true;
      }
      throw Error(
          Error::Kind::kInvalid,
          fmt::format("nothing was changed: the certificate {} needs other names, and its CA "
                      "cannot sign here: {}; have it issued with them, by 'kubeadm certs "
                      "generate-csr --config FILE --cert-dir DIR --kubeconfig-dir DIR'",
                      name, error.message()));
    }
  });
}

// Adds the API server to the changes if etcd is replaced, so that both are stopped and started
// together. Requests to an API server without etcd hang for half a minute each, and the kubelet
// sends such requests before it starts the new etcd.
void ReplaceServerWithEtcd(std::vector<PodChange>& changes) {
  const auto of = [&](components::Component component) {
    return std::ranges::find(changes, component, &PodChange::component);
  };
  const auto etcd = of(components::Component::kEtcd);
  const auto server = of(components::Component::kApiServer);
  if (etcd != changes.end() && etcd->what == PodChange::What::kReplace && server != changes.end()) {
    server->what = PodChange::What::kReplace;
  }
}

// Throws base::Error(kConflict) if this node's version differs from the version in the cluster's
// configuration: the node's upgrade is incomplete or has not begun. A configuration change must not
// do parts of an upgrade.
void RequireSameVersion(const std::vector<PodChange>& changes, const host::Files& files) {
  const auto version = [](const json::Value& pod) {
    return base::Version::Parse(control_plane::ImageTag(static_pods::FirstImage(pod).value_or("")));
  };
  for (const PodChange& change : changes) {
    if (change.component == components::Component::kEtcd ||
        change.what != PodChange::What::kReplace) {
      continue;
    }
    const auto pod = static_pods::ReadManifest(files, change.component);
    const auto here = version(pod.value_or(json::Value::object()));
    const auto wanted = version(change.pod);
    if (here && wanted && *here != *wanted) {
      throw Error(
          Error::Kind::kConflict,
          fmt::format("nothing was changed: {} of this node is of {}, and the cluster's "
                      "configuration of {}: upgrade this node first, by 'kubeadm upgrade node', or "
                      "complete the interrupted 'kubeadm upgrade apply'",
                      components::Name(change.component), here->TextWithV(), wanted->TextWithV()));
    }
  }
}

std::vector<PodChange> PodChanges(const Sources& sources, const config::Init& to,
                                  const std::vector<std::string_view>& certificates) {
  std::vector<static_pods::Replacement> wanted;
  std::vector<components::Component> same;
  for (Component& component : Rendered(sources, to)) {
    const components::Component row =
        base::RowOf(components::kComponents, component.name, &components::Name);
    if (const auto pod = static_pods::ReadManifest(sources.host.files, row)) {
      component.disk = static_pods::Normalized(*pod);
      if (std::ranges::none_of(Compare(component), IsEdit)) {
        same.push_back(row);
      }
    }
    wanted.push_back({.component = row, .pod = std::move(*component.should)});
  }
  std::vector<PodChange> changes =
      control_plane::PlanChanges(sources.host.files, wanted, {}, control_plane::Renews::kNo);
  RequireSameVersion(changes, sources.host.files);
  // A different order of arguments requires no restart.
  for (PodChange& change : changes) {
    if (std::ranges::find(same, change.component) != same.end()) {
      change.what = PodChange::What::kNothing;
    }
  }
  for (const components::Component component : components::ComponentsUsing(certificates)) {
    const auto change = std::ranges::find(changes, component, &PodChange::component);
    if (change != changes.end() && change->what == PodChange::What::kNothing) {
      change->what = PodChange::What::kRestart;
    }
  }
  ReplaceServerWithEtcd(changes);
  return changes;
}

bool Any(const std::vector<PlannedField>& fields, std::string_view kind, std::string_view path) {
  return std::ranges::any_of(fields, [&](const PlannedField& field) {
    return field.difference.kind == kind && field.difference.path.starts_with(path);
  });
}

void RequirePodRanges(const config::Init& to, const Sources& sources) {
  if (const auto problem = PodRangeProblem(to.cluster.networking.pod_subnet, sources.client)) {
    throw Error(Error::Kind::kInvalid,
                "networking.podSubnet cannot have this value, nothing was changed: " + *problem);
  }
}

void RequireKubeletsFor(const config::Init& to, const Sources& sources) {
  const std::string& algorithm = to.cluster.encryption_algorithm;
  if (const auto problem = kubelet::KeyProblem(algorithm, sources.client)) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("encryptionAlgorithm cannot become {}, nothing was changed: {}. Upgrade "
                    "that kubelet first",
                    algorithm, *problem));
  }
}

// Returns whether the kubelet's file is missing, or differs from the wanted file.
bool KubeletChanges(const Sources& sources, const config::Init& to) {
  const auto text = sources.host.files.Find(kubelet::kConfigFile);
  return !text || yaml::Parse(*text).value != NodeKubeletConfig(sources, to);
}

std::string FieldLine(const PlannedField& field) {
  const auto shown = [](const json::Value& value) {
    return value.is_null() ? std::string("(not set)") : json::Compact(value);
  };
  return fmt::format("  {}: {} -> {} ({}: {})\n", base::Visible(field.difference.path),
                     shown(field.difference.cluster), shown(field.difference.file),
                     Name(field.row->impact), field.row->why);
}

}  // namespace

json::Value NodeKubeletConfig(const Sources& sources, const config::Init& config) {
  const auto use = config::SocketIsLocal(config.cluster) ? kubelet::UseInstanceConfig::kYes
                                                         : kubelet::UseInstanceConfig::kNo;
  return kubelet::MakeNodeConfig(sources.host, config.cluster.kubelet.value, sources.patches, use)
      .value;
}

Plan MakePlan(const Sources& sources, const config::Init& from, const config::Init& to) {
  Plan plan{.to = to, .fields = PlannedFields(from, to)};
  plan.stores = !plan.fields.empty();
  if (Any(plan.fields, "ClusterConfiguration", "networking.podSubnet")) {
    RequirePodRanges(to, sources);
  }
  if (Any(plan.fields, "ClusterConfiguration", "encryptionAlgorithm")) {
    RequireKubeletsFor(to, sources);
  }
  plan.certificates = CertificatesOf(plan.fields);
  RequireSigners(plan.certificates, sources, to);
  plan.pods = PodChanges(sources, to, plan.certificates);
  plan.kubelet = Any(plan.fields, config::kKubeletKind, "") && KubeletChanges(sources, to);
  const bool images = Any(plan.fields, "ClusterConfiguration", "imageRepository");
  plan.core_dns =
      !to.cluster.dns.disabled && (images || Any(plan.fields, "ClusterConfiguration", "dns."));
  plan.kube_proxy = !to.cluster.proxy.disabled &&
                    (images || Any(plan.fields, config::kKubeProxyKind, "") ||
                     Any(plan.fields, "ClusterConfiguration", "networking.podSubnet"));
  return plan;
}

Plan MakeNodePlan(const Sources& sources, const config::Init& to) {
  Plan plan{.to = to};
  if (stored_config::RoleOf(sources.host.files) == stored_config::Role::kControlPlane) {
    plan.certificates = MissingNames(sources.host, to);
    RequireSigners(plan.certificates, sources, to);
    plan.pods = PodChanges(sources, to, plan.certificates);
  }
  plan.kubelet = KubeletChanges(sources, to);
  return plan;
}

bool IsEmpty(const Plan& plan) {
  return !plan.stores && !plan.kubelet && !control_plane::Changes(plan.pods);
}

std::string TextOf(const Plan& plan) {
  if (IsEmpty(plan)) {
    return "Nothing changes\n";
  }
  if (plan.fields.empty()) {
    return "This node applies the stored configuration\n";
  }
  std::string text = "Fields that change:\n";
  for (const PlannedField& field : plan.fields) {
    text += FieldLine(field);
  }
  return text;
}

}  // namespace config_change
