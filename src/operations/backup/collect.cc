// SPDX-License-Identifier: Apache-2.0
#include "backup/collect.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "backup/pod_files.h"
#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/paths.h"
#include "etcd_membership/local_etcd.h"
#include "host/link.h"
#include "host/plain_file.h"
#include "kube/client.h"
#include "kube/objects.h"
#include "kubeconfigs/connect.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/unit.h"
#include "net/host_port.h"
#include "node_identity/readdress/gather.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;

constexpr std::chrono::milliseconds kAnswerLimit{10'000};  // for the API server
constexpr int kDeepestReference = 3;                       // levels of files that name files

json::Value RequireApiServer(const host::Files& files) {
  std::optional<json::Value> pod = static_pods::ReadManifest(files, Component::kApiServer);
  if (!pod) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("this node has no control plane: {} does not exist",
                            components::ManifestPath(Component::kApiServer).string()));
  }
  return *std::move(pod);
}

// Adds files to a backup, each path once.
class FileCollector {
 public:
  FileCollector(const host::Files& files, Collected& collected)
      : files_(files), collected_(collected) {}

  // Adds all plain files below a directory. Other files, and files that are too large, are noted.
  void AddTree(const fs::path& directory, const std::set<fs::path>& left_out = {}) {
    if (!files_.Exists(directory)) {
      return;
    }
    for (const std::string& name : files_.List(directory)) {
      const fs::path path = directory / name;
      const auto target = files_.Stat(path / ".");  // follows links
      if (left_out.contains(path)) {
        continue;
      }
      if (target && target->kind == host::FileInfo::Kind::kDirectory) {
        AddTree(path, left_out);
      } else {
        TryAdd(path);
      }
    }
  }

  // Adds a file. If the file cannot be added, adds a note instead.
  void TryAdd(const fs::path& path) {
    try {
      Add(path);
    } catch (const Error& error) {
      collected_.manifest.notes.push_back(
          fmt::format("{} is not in the backup: {}", path.string(), error.message()));
    }
  }

  // Adds a file and returns its content. Throws base::Error for a file that cannot be read.
  const std::string& Add(const fs::path& path) {
    FileRecord file{.path = path.lexically_normal().string(),
                    .part = IsBelow(path, collected_.manifest.certificates_directory)
                                ? Part::kPki
                                : Part::kConfig};
    const std::string name = file.Name();
    if (const auto found = collected_.contents.find(name); found != collected_.contents.end()) {
      return found->second;
    }
    const std::optional<host::FileInfo> info = files_.Stat(path);
    file.link = KeptLink(path);
    host::RequirePlainFile(files_, path, kLargestFile);
    std::string content = file.link.empty() ? files_.Read(path) : "";
    file.size = static_cast<std::int64_t>(content.size());
    file.mode = static_cast<std::int32_t>(
        !info || info->kind == host::FileInfo::Kind::kLink ? 0600 : info->mode & 0777U);
    file.owner = info ? info->uid : 0;
    file.group = info ? info->gid : 0;
    collected_.manifest.files.push_back(file);
    return collected_.contents.emplace(name, std::move(content)).first->second;
  }

 private:
  static bool IsBelow(const fs::path& path, const fs::path& directory) {
    return path.lexically_normal().string().starts_with(directory.string() + "/");
  }

  // Returns the name of the target if `path` is a link in the kubelet's pki directory to a file in
  // the same directory; otherwise "". The backup keeps such links, because a kubelet rotates its
  // certificates only if the present certificate is such a link.
  std::string KeptLink(const fs::path& path) const {
    const std::optional<fs::path> target = host::FindLinkTarget(files_, path);
    const bool beside =
        target && (path.parent_path() / *target).parent_path() == path.parent_path();
    return beside && IsBelow(path, fs::path(config::kKubeletDir) / "pki") && files_.Exists(path)
               ? target->filename().string()
               : "";
  }

  const host::Files& files_;
  Collected& collected_;
};

void AddKubelet(const host::Files& files, FileCollector& collector) {
  const fs::path directory(config::kKubeletDir);
  for (const std::string_view file :
       {kubelet::kConfigFile, kubelet::kFlagsFile, kubelet::kInstanceConfigFile}) {
    if (files.Exists(fs::path(file))) {
      collector.Add(fs::path(file));
    }
  }
  collector.AddTree(directory / "pki");
  collector.AddTree(directory / "kubeadm-patches");
  const kubelet::Unit unit = kubelet::ReadUnit(files);
  for (const fs::path& file : unit.files) {
    collector.TryAdd(file);
  }
}

// Adds the files that the Pod's arguments name, and the files that these files name. Notes KMS
// plugins.
void AddNamedFiles(const json::Value& pod, FileCollector& collector, Collected& collected) {
  std::vector<NamedFile> named = FilesOfArguments(pod);
  for (int depth = 0; depth < kDeepestReference && !named.empty(); ++depth) {
    std::vector<NamedFile> next;
    for (const NamedFile& file : named) {
      const std::string what =
          fmt::format("the backup would lack {}, which --{} names", file.path, file.flag);
      if (file.host.empty()) {
        throw Error(Error::Kind::kNotFound,
                    what + ": no hostPath volume of the Pod has it; nothing was written");
      }
      const std::string& content =
          base::WithContext(what, [&]() -> const std::string& { return collector.Add(file.host); });
      for (const std::string& plugin : KmsPluginsIn(content)) {
        collected.manifest.notes.push_back(fmt::format(
            "Secrets are encrypted by the KMS plugin {}: its key is not in the backup", plugin));
      }
      std::ranges::move(FilesNamedIn(pod, file, content), std::back_inserter(next));
    }
    named = std::move(next);
    std::erase_if(named, [&](const NamedFile& file) {
      return collected.contents.contains(
                 FileRecord{.path = file.host.lexically_normal().string(), .link = {}}.Name()) ||
             !file.host.has_filename();
    });
  }
}

void AddFiles(const host::Files& files, const json::Value& api_server, Collected& collected) {
  FileCollector collector(files, collected);
  AddNamedFiles(api_server, collector, collected);
  for (const Component component : components::kComponents) {
    if (const auto pod = static_pods::ReadManifest(files, component);
        pod && component != Component::kApiServer) {
      AddNamedFiles(*pod, collector, collected);
    }
  }
  AddKubelet(files, collector);
  collector.AddTree(fs::path(config::kKubernetesDir), {fs::path(config::kTmpDir)});
  std::ranges::sort(collected.manifest.files, {}, &FileRecord::path);
}

// The ConfigMaps of kubeadm.
constexpr kube::ObjectName kObjects[] = {{kube::kSystemNamespace, "kubeadm-config"},
                                         {kube::kSystemNamespace, "kubelet-config"},
                                         {kube::kSystemNamespace, "kube-proxy"},
                                         {kube::kPublicNamespace, "cluster-info"}};

void AddObjects(const CollectionInput& sources, Collected& collected) {
  const std::string server =
      fmt::format("https://{}",
                  net::JoinHostPort(collected.manifest.node.address, collected.manifest.node.port));
  try {
    kube::Client client(
        kubeconfigs::ConnectBy(sources.host, fs::path(config::kKubernetesDir) / config::kAdminConf,
                               {.request_timeout = kAnswerLimit, .server_override = server}),
        sources.host.clock, {.limit = kAnswerLimit}, sources.stop);
    for (const kube::ObjectName& object : kObjects) {
      if (auto found = client.Find({kube::resources::kConfigMap, object.name_space, object.name})) {
        (*found)["metadata"].erase("managedFields");
        const std::string name = fmt::format("objects/{}/{}.yaml", object.name_space, object.name);
        collected.contents[name] = yaml::Emit(*found);
        collected.manifest.objects.push_back(name);
      }
    }
  } catch (const Error& error) {
    collected.manifest.notes.push_back(
        fmt::format("kubeadm's ConfigMaps are only in etcd's data, not files of the backup: {}",
                    error.message()));
  }
}

// Returns the first endpoint that answers, and its status.
std::pair<std::string, etcd::MemberStatus> FindAnswering(const EtcdAccess& etcd) {
  std::optional<Error> last;
  for (const std::string& endpoint : etcd.endpoints) {
    try {
      return {endpoint, etcd.client->Status(endpoint)};
    } catch (const Error& error) {
      last = error;
    }
  }
  throw Error(Error::Kind::kUnavailable, fmt::format("no member of etcd answers: {}",
                                                     last ? last->message() : "there is none"));
}

EtcdRecord CollectEtcd(const host::Files& files, const EtcdAccess& etcd) {
  const auto [endpoint, status] = FindAnswering(etcd);
  EtcdRecord record{.external = true,
                    .version = status.version,
                    .image = {},
                    .data_directory = {},
                    .endpoint = endpoint,
                    .cluster_id = fmt::format("{:x}", status.cluster_id),
                    .revision = status.revision,
                    .members = {}};
  if (const auto pod = static_pods::ReadManifest(files, Component::kEtcd)) {
    record.external = false;
    record.image = static_pods::FirstImage(*pod).value_or("");
    record.data_directory = etcd_membership::ReadLocalEtcd(*pod).data_dir.string();
  }
  for (const etcd::Member& member : etcd.client->Members(etcd::Reach::kMember)) {
    record.members.push_back(
        {.name = member.name, .peer_urls = member.peer_urls, .client_urls = member.client_urls});
  }
  return record;
}

// Returns "v1.37.2" for "registry.k8s.io/kube-apiserver:v1.37.2".
std::string TagOf(const std::string& image) {
  const std::string name = image.substr(0, image.find('@'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos || name.find('/', colon) != std::string::npos
             ? ""
             : name.substr(colon + 1);
}

std::string ReadNamed(const host::Files& files, const json::Value& pod, std::string_view flag) {
  const std::string path = static_pods::CommandArg(pod, flag).value_or("");
  const std::optional<fs::path> found = HostPathOf(pod, path);
  if (!found) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("the API server's --{} names no file of this host: {}", flag,
                            base::Quoted(path)));
  }
  return files.Read(*found);
}

}  // namespace

etcd::Connection ReadEtcdConnection(const host::Files& files) {
  const json::Value pod = RequireApiServer(files);
  return {.endpoints = base::Split(static_pods::CommandArg(pod, "etcd-servers").value_or(""), ','),
          .ca_pem = ReadNamed(files, pod, "etcd-cafile"),
          .certificate_pem = ReadNamed(files, pod, "etcd-certfile"),
          .key_pem = ReadNamed(files, pod, "etcd-keyfile")};
}

EtcdAccess ConnectToEtcd(const CollectionInput& sources) {
  etcd::Connection connection = ReadEtcdConnection(sources.host.files);
  connection.stop = sources.stop;
  EtcdAccess access{.client = nullptr, .endpoints = connection.endpoints};
  access.client = etcd::Connect(std::move(connection));
  return access;
}

Collected Collect(const CollectionInput& sources, const EtcdAccess& etcd) {
  const host::Files& files = sources.host.files;
  const json::Value api_server = RequireApiServer(files);
  const readdress::NodeFacts node = readdress::CollectNode(sources.host);
  Collected collected;
  Manifest& manifest = collected.manifest;
  manifest.id = base::HexEncode(sources.host.random.Bytes(16));
  manifest.created = sources.host.clock.NowSeconds();
  manifest.created_by = sources.created_by;
  manifest.kubernetes_version = TagOf(static_pods::FirstImage(api_server).value_or(""));
  manifest.certificates_directory = node.config.cluster.certificates_dir;
  manifest.node = {.name = node.config.init.node_registration.name,
                   .address = node.config.init.local_api_endpoint.advertise_address,
                   .port = node.config.init.local_api_endpoint.bind_port};
  manifest.etcd = CollectEtcd(files, etcd);
  if (manifest.etcd.external) {
    manifest.notes.emplace_back(
        "kubeadm does not run this etcd: its data are in etcd/snapshot.db, but the configuration "
        "and the keys of its hosts are not in the backup");
  }
  AddFiles(files, api_server, collected);
  AddObjects(sources, collected);
  return collected;
}

}  // namespace backup
