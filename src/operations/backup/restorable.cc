// SPDX-License-Identifier: Apache-2.0
// The preconditions of a restore.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "backup/create.h"
#include "backup/restore.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/version.h"
#include "checks/finding.h"
#include "components/table.h"
#include "config/paths.h"
#include "etcd/health.h"
#include "host/disk_space.h"
#include "kubeconfigs/build.h"
#include "kubelet/flags.h"
#include "kubelet/service.h"
#include "kubelet/version.h"
#include "net/ip_address.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "preflight/judge.h"
#include "releases/releases.h"
#include "static_pods/restart.h"
#include "workflow/state_file.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

// The lifetime of the client certificate that is issued for queries of the other members.
constexpr std::chrono::hours kClientValidity{1};

constexpr std::uint64_t kSpare = std::uint64_t{64} << 20U;

[[noreturn]] void Refuse(Error::Kind kind, const std::string& why) {
  throw Error(kind, why + "; nothing was changed");
}

// Throws base::Error if this machine has files of a cluster, whatever their content.
void RequireEmpty(const Manifest& manifest, const host::Files& files) {
  std::vector<fs::path> traces;
  for (const components::Component component : components::kComponents) {
    traces.push_back(components::ManifestPath(component));
  }
  const fs::path kubernetes(config::kKubernetesDir);
  for (const std::string_view name : {config::kKubeletConf, config::kAdminConf}) {
    traces.push_back(kubernetes / name);
  }
  traces.push_back(fs::path(manifest.certificates_directory) / "ca.crt");
  for (const fs::path& trace : traces) {
    if (files.Exists(trace)) {
      Refuse(Error::Kind::kConflict,
             fmt::format("this node has a cluster already: {} exists. If a restore has ended here, "
                         "nothing is left to do; else empty the node by 'kubeadm reset'",
                         trace.string()));
    }
  }
}

void RequireNoOtherContent(const NodeFiles& backup, Part part, const host::Files& files) {
  for (const FileRecord& file : backup.manifest.files) {
    if (file.part != part || !file.link.empty()) {
      continue;
    }
    const std::optional<std::string> present = files.Find(file.path);
    if (present && *present != backup.contents.at(file.path)) {
      Refuse(Error::Kind::kConflict,
             fmt::format("{} exists with other content: move it away first", file.path));
    }
  }
}

void RequireNoEtcdData(const Manifest& manifest, const host::Files& files) {
  const fs::path data(manifest.etcd.data_directory);
  if (!data.is_absolute() || data.lexically_normal() != data || data == data.root_path()) {
    Refuse(Error::Kind::kInvalid, fmt::format("the backup names {} as etcd's data directory",
                                              base::Quoted(data.string())));
  }
  const fs::path member = data / "member";
  if (files.Exists(member)) {
    Refuse(
        Error::Kind::kConflict,
        fmt::format("this node has data of etcd already: {} exists. If a restore has ended here, "
                    "nothing is left to do; else empty the node by 'kubeadm reset'",
                    member.string()));
  }
}

void RequireSpace(const host::Files& files, const fs::path& directory, std::uint64_t needed) {
  fs::path existing = directory;
  while (!files.Exists(existing)) {
    existing = existing.parent_path();
  }
  const auto space = host::DiskSpaceOf(files.Location(existing).string());
  if (space && space->available < needed) {
    Refuse(Error::Kind::kOther,
           fmt::format("{} has {} free, and the restore needs {}", existing.string(),
                       SizeText(space->available), SizeText(needed)));
  }
}

void RequireAddress(const NodeRecord& node, const host::Host& host) {
  const auto wanted = net::IpAddress::Parse(node.address);
  for (const host::Interface& interface : host.network.Interfaces()) {
    if (std::ranges::any_of(interface.addresses, [&](const std::string& text) {
          return wanted && net::IpAddress::Parse(text) == wanted;
        })) {
      return;
    }
  }
  Refuse(
      Error::Kind::kInvalid,
      fmt::format("this machine does not have the address {} of the backup's node. Give it to an "
                  "interface ('ip address add'), restore, and then move the node to another "
                  "address by 'kubeadm node readdress --to ADDRESS'",
                  node.address));
}

// Throws base::Error if this machine's kubelet would register a Node of another name. A kubelet
// uses the host name, unless an argument gives another name.
void RequireName(const NodeFiles& backup, const host::Host& host) {
  const auto flags = backup.contents.find(std::string(kubelet::kFlagsFile));
  const bool overridden =
      flags != backup.contents.end() && flags->second.contains("--hostname-override");
  const std::string name = base::ToLower(host.machine.Hostname());
  if (!overridden && name != backup.manifest.node.name) {
    Refuse(Error::Kind::kInvalid,
           fmt::format("this machine is called {}, and the backup's node {}. Name it first by "
                       "'hostnamectl set-hostname {}'",
                       base::Quoted(name), base::Quoted(backup.manifest.node.name),
                       backup.manifest.node.name));
  }
}

// Throws base::Error if the kubelet of this machine cannot run the backup's control plane:
// kNotFound without a kubelet, kInvalid for an unsuitable version.
void RequireKubelet(const Manifest& manifest, host::Host& host) {
  const auto version = base::Version::ParseGeneric(manifest.kubernetes_version);
  if (!version) {
    return;
  }
  if (!host.processes.FindExecutable("kubelet")) {
    Refuse(Error::Kind::kNotFound,
           fmt::format("this machine has no kubelet: install one of {}", version->TextWithV()));
  }
  const checks::Findings findings = preflight::JudgeKubeletVersion(
      kubelet::CollectVersion(host), releases::OldestKubelet(*version), version);
  if (!findings.empty()) {
    Refuse(Error::Kind::kInvalid, findings.front().what);
  }
}

// Throws base::Error(kInvalid) if the etcdutl of the backup's etcd does not know --bump-revision.
void RequireRevisionBump(const EtcdRecord& etcd, std::int64_t bump) {
  if (const std::optional<std::string> problem = RevisionBumpProblem(etcd.version)) {
    Refuse(Error::Kind::kInvalid,
           fmt::format("{}. Restore etcd/snapshot.db of the backup to {} by 'etcdutl snapshot "
                       "restore --bump-revision {} --mark-compacted' of etcd {} or later, and then "
                       "this node by --only pki and --only config",
                       *problem, etcd.data_directory, bump, kFirstWithRevisionBump));
  }
}

void RequireOwnEtcd(const Manifest& manifest, std::int64_t bump) {
  if (manifest.etcd.external) {
    Refuse(
        Error::Kind::kInvalid,
        fmt::format("kubeadm does not run the etcd of this backup. Restore its members on their "
                    "hosts, from etcd/snapshot.db of the backup, by 'etcdutl snapshot restore "
                    "--bump-revision {} --mark-compacted' (each with this number), and then this "
                    "node by --only pki and --only config",
                    bump));
  }
}

// Returns the client URLs of the members in the backup, without this node's own.
std::vector<std::string> OtherEndpoints(const Manifest& manifest, const EtcdIdentity& own) {
  std::vector<std::string> urls;
  for (const MemberRecord& member : manifest.etcd.members) {
    if (!std::ranges::contains(member.peer_urls, own.peer_url)) {
      urls.insert(urls.end(), member.client_urls.begin(), member.client_urls.end());
    }
  }
  return urls;
}

// Returns a connection to the other members. Its client certificate is new if the backup has the
// key of etcd's CA, because the backup's own certificate may have expired.
etcd::Connection ConnectionToOthers(const NodeFiles& backup, const EtcdIdentity& own,
                                    const RestoreDeps& deps) {
  const auto pem = [&](const char* name) {
    const auto found = backup.contents.find(
        (fs::path(backup.manifest.certificates_directory) / "etcd" / name).string());
    return found == backup.contents.end() ? "" : found->second;
  };
  etcd::Connection connection{.endpoints = OtherEndpoints(backup.manifest, own),
                              .ca_pem = pem("ca.crt"),
                              .certificate_pem = pem("healthcheck-client.crt"),
                              .key_pem = pem("healthcheck-client.key"),
                              .stop = deps.stop};
  if (const std::string ca_key = pem("ca.key"); !ca_key.empty()) {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    connection.certificate_pem =
        kubeconfigs::NewClient({.common_name = "kubeadm-restore"}, key.Public(),
                               {.certificate = pki::Certificate::FromPem(connection.ca_pem),
                                .key = pki::PrivateKey::FromPem(ca_key)},
                               deps.host.clock.NowSeconds() + kClientValidity, true)
            .Pem();
    connection.key_pem = key.Pem();
  }
  return connection;
}

// Returns the health of the cluster according to the other members. The result has no members if
// none answers. Logs a warning if the health is unknown for another reason: an etcd that does not
// accept the certificates may belong to another cluster.
etcd::Health HealthOfOthers(const NodeFiles& backup, const EtcdIdentity& own,
                            const RestoreDeps& deps) {
  if (OtherEndpoints(backup.manifest, own).empty()) {
    return {};
  }
  try {
    return etcd::ClusterHealth(*deps.connect_etcd(ConnectionToOthers(backup, own, deps)));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kUnavailable && error.kind() != Error::Kind::kTimeout) {
      base::LogWarning(
          "cannot determine whether the other etcd members of this backup run: {}. If they do, "
          "stop them before you restore",
          error.message());
    }
    return {};
  }
}

// Throws base::Error(kConflict) if the backup's cluster runs without this node. The restored node
// would become a second cluster with the same certificates.
void RequireNoMajority(const NodeFiles& backup, const RestoreDeps& deps) {
  const std::optional<EtcdIdentity> own = ReadEtcdIdentity(backup);
  const etcd::Health health = own ? HealthOfOthers(backup, *own, deps) : etcd::Health{};
  if (!health.HasQuorum()) {
    return;
  }
  std::vector<std::string> names;
  for (const etcd::MemberHealth& each : health.members) {
    if (each.healthy()) {
      names.push_back(etcd::NameOf(each.member));
    }
  }
  Refuse(Error::Kind::kConflict,
         fmt::format("the cluster of this backup runs: its etcd members {} have a majority. Join "
                     "this machine to it again ('kubeadm join --control-plane'). To go back to the "
                     "backup, first empty the other control planes by 'kubeadm reset', or switch "
                     "them off",
                     base::Join(names, ", ")));
}

// Throws base::Error(kConflict) if the container runtime still runs an etcd. This etcd would keep
// serving the files that a restore replaces. Throws the errors of cri::Runtime if the runtime does
// not answer.
void RequireNoRunningEtcd(const RestoreDeps& deps) {
  static_pods::RunningPod running;
  try {
    running = static_pods::FindRunning(components::Component::kEtcd, *deps.connect_runtime());
  } catch (const Error& error) {
    Refuse(error.kind(), error.message());
  }
  if (!running.containers.empty()) {
    Refuse(Error::Kind::kConflict,
           fmt::format("etcd still runs on this node, in container {}. Stop the kubelet, then the "
                       "API server and etcd: 'crictl stop $(crictl ps -q --name "
                       "\"etcd|kube-apiserver\")'",
                       *running.containers.begin()));
  }
}

}  // namespace

std::optional<std::string> RevisionBumpProblem(const std::string& etcd_version) {
  const auto version = base::Version::ParseGeneric(etcd_version);
  // Versions other than 3.x count as unknown, because a registry may number images in its own way.
  const bool known = version && version->major == 3;
  if (!known || *version >= *base::Version::Parse(kFirstWithRevisionBump)) {
    return std::nullopt;
  }
  return fmt::format(
      "etcdutl of etcd {} cannot raise the revision, so clients that have seen a later one would "
      "miss changes",
      etcd_version);
}

void RequireRestorable(const NodeFiles& files, const RestoreRequest& request,
                       const RestoreDeps& deps, bool interrupted) {
  const Manifest& manifest = files.manifest;
  const host::Files& on_disk = deps.host.files;
  if (request.only && request.only != Part::kEtcd) {
    RequireNoOtherContent(files, *request.only, on_disk);
    return;
  }
  const std::int64_t bump = RevisionBump(deps.host.clock.NowSeconds());
  RequireOwnEtcd(manifest, bump);
  RequireRevisionBump(manifest.etcd, bump);
  RequireNoMajority(files, deps);
  if (request.only && kubelet::FindCommandLine(deps.host)) {
    Refuse(Error::Kind::kConflict,
           "the kubelet runs, and would end the container of etcdutl. Stop it first by 'systemctl "
           "stop kubelet'");
  }
  if (!interrupted) {
    RequireNoEtcdData(manifest, on_disk);
  }
  const auto snapshot = static_cast<std::uint64_t>(manifest.etcd.snapshot);
  RequireSpace(on_disk, fs::path(workflow::kDirectory), snapshot + kSpare);
  RequireSpace(on_disk, manifest.etcd.data_directory, 2 * snapshot + kSpare);
  if (!request.only) {
    if (!interrupted) {
      RequireEmpty(manifest, on_disk);
    }
    RequireAddress(manifest.node, deps.host);
    RequireName(files, deps.host);
    RequireKubelet(manifest, deps.host);
  }
  if (!interrupted) {
    RequireNoRunningEtcd(deps);
  }
}

}  // namespace backup
