// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/gather.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/period.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "kubelet/flags.h"
#include "kubelet/local_runtime.h"
#include "kubelet/node_config.h"
#include "kubelet/unit.h"
#include "static_pods/static_pod.h"
#include "stored_config/this_node.h"
#include "yaml/yaml.h"

namespace readdress {
namespace {

namespace fs = host::fs;
using components::Component;

constexpr kube::Resource kEndpoints{"", "v1", "endpoints", "Endpoints"};

constexpr std::uint64_t kLargest = std::uint64_t{1} << 20U;

SearchedFile Unread(const fs::path& path, std::string why) {
  return {.path = path, .text = {}, .unread = std::move(why)};
}

// Reads a file, or the target of a link.
SearchedFile ReadSeen(const host::Files& files, const fs::path& path, const host::FileInfo& info) {
  if (info.kind == host::FileInfo::Kind::kOther) {
    return Unread(path, "no file: a socket, a pipe or a device");
  }
  if (info.size > kLargest) {
    return Unread(path, "larger than a MiB: no configuration");
  }
  try {
    if (std::optional<std::string> text = files.Find(path)) {
      return {.path = path, .text = *std::move(text)};
    }
    return Unread(path, "a link that leads nowhere");
  } catch (const base::Error&) {
    if (info.kind != host::FileInfo::Kind::kLink) {
      throw;
    }
    return Unread(path, "a link to a missing file");
  }
}

// Returns why the directory is not searched. Such a directory is listed, but not read. "" for a
// directory to search.
using Unsearched = std::function<std::string(const fs::path& directory)>;

void AddFiles(const host::Files& files, const fs::path& directory, const Unsearched& unsearched,
              std::vector<SearchedFile>& seen) {
  for (const std::string& name : files.List(directory)) {
    const fs::path path = directory / name;
    const auto info = files.Stat(path);
    if (!info) {
      continue;
    }
    if (info->kind != host::FileInfo::Kind::kDirectory) {
      seen.push_back(ReadSeen(files, path, *info));
    } else if (std::string why = unsearched(path); !why.empty()) {
      seen.push_back(Unread(path, std::move(why)));
    } else {
      AddFiles(files, path, unsearched, seen);
    }
  }
}

// Returns the reason for directories in which the kubelet stores files of Pods; "" for directories
// with its own files.
std::string OfOthers(const fs::path& directory) {
  const fs::path kubelet(config::kKubeletDir);
  const bool own = directory.parent_path() != kubelet || directory.filename() == "pki" ||
                   directory.filename() == "kubeadm-patches";
  return own ? "" : "the kubelet's data of Pods, plugins and devices";
}

void AddFile(const host::Files& files, const fs::path& path, std::vector<SearchedFile>& seen) {
  if (const auto info = files.Stat(path)) {
    seen.push_back(ReadSeen(files, path, *info));
  }
}

void ReadEndpoint(const json::Value& pod, NodeFacts& node) {
  const net::HostPort endpoint = static_pods::AdvertisedEndpointOf(pod).Parts();
  node.config.init.local_api_endpoint = {.advertise_address = endpoint.host,
                                         .bind_port = endpoint.PortNumber().value_or(6443)};
  node.address = net::IpAddress::Parse(endpoint.host);
  if (const auto ca = static_pods::CommandArg(pod, "client-ca-file")) {
    node.config.cluster.certificates_dir = fs::path(*ca).parent_path();
  }
}

// Sets the key algorithm and the validity period of new certificates to those of the API server's
// certificate.
void ReadValidity(const host::Files& files, config::ClusterConfiguration& cluster) {
  const pki::Certificate old =
      certs::LoadChain(files, certs::CertPath(cluster.certificates_dir, "apiserver")).front();
  cluster.encryption_algorithm = old.public_key().AlgorithmText();
  cluster.certificate_validity_period = old.not_after() - old.not_before() - certs::kBackdate;
}

void ReadNodeIp(const host::Files& files, NodeFacts& node) {
  const kubelet::Unit unit = kubelet::ReadUnit(files);
  const std::string given = kubelet::FindArgument(unit.arguments, "node-ip").value_or("");
  for (const std::string& text : base::Split(given, ',')) {
    if (const auto address = net::IpAddress::Parse(text)) {
      node.node_ips.push_back(*address);
    }
  }
  if (!node.address && !node.node_ips.empty()) {
    node.address = node.node_ips.front();
  }
}

// Replaces a Secret's data by its decoded content.
void Decode(json::Value& secret) {
  if (!secret.contains("data") || !secret["data"].is_object()) {
    return;
  }
  for (json::Value& value : secret["data"]) {
    try {
      value = base::Base64Decode(value.get<std::string>());
    } catch (const std::exception&) {
      value = "";  // not text
    }
  }
}

}  // namespace

NodeFacts CollectNode(const host::Host& host) {
  const host::Files& files = host.files;
  NodeFacts node;
  node.config.cluster.certificates_dir = config::kDefaultCertificatesDir;
  node.config.init.node_registration = {
      .name = stored_config::NodeName(files, host.machine.Hostname()),
      .cri_socket = kubelet::LocalCriSocket(host)};
  if (const auto text = files.Find(kubelet::kConfigFile)) {
    node.config.cluster.kubelet.value = yaml::Parse(*text).value;
  }
  if (const auto pod = static_pods::ReadManifest(files, Component::kApiServer)) {
    node.control_plane = true;
    node.etcd = files.Exists(components::ManifestPath(Component::kEtcd));
    ReadEndpoint(*pod, node);
    ReadValidity(files, node.config.cluster);
  }
  if (node.etcd) {
    node.config.cluster.etcd.local.emplace();
  } else {
    node.config.cluster.etcd.external.emplace();
  }
  ReadNodeIp(files, node);
  return node;
}

std::vector<SearchedFile> SearchFiles(const host::Files& files) {
  std::vector<SearchedFile> seen;
  AddFiles(files, fs::path(config::kKubernetesDir), [](const fs::path&) { return ""; }, seen);
  if (files.Exists(fs::path(config::kKubeletDir))) {
    AddFiles(files, fs::path(config::kKubeletDir), OfOthers, seen);
  }
  const kubelet::Unit unit = kubelet::ReadUnit(files);
  for (const fs::path& path : unit.files) {
    AddFile(files, path, seen);
  }
  AddFile(files, "/etc/hosts", seen);
  return seen;
}

std::vector<json::Value> SearchObjects(kube::Client& client) {
  namespace all = kube::resources;
  std::vector<json::Value> objects;
  struct Kind {
    kube::Resource resource;
    const char* name_space;
  };
  const std::array<Kind, 7> kinds{{{all::kConfigMap, ""},
                                   {all::kSecret, ""},
                                   {all::kService, ""},
                                   {kEndpoints, ""},
                                   {kube::resources::kEndpointSlice, ""},
                                   {all::kNode, ""},
                                   {all::kPod, "kube-system"}}};
  for (const Kind& kind : kinds) {
    for (json::Value& object : client.List(kind.resource, kind.name_space)) {
      object["kind"] = kind.resource.kind;
      if (kind.resource.kind == all::kSecret.kind) {
        Decode(object);
      }
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

bool HasAddress(const host::Host& host, const net::IpAddress& address) {
  return std::ranges::any_of(host.network.Interfaces(), [&](const host::Interface& each) {
    return std::ranges::any_of(each.addresses, [&](const std::string& text) {
      return net::IpAddress::Parse(text) == address;
    });
  });
}

}  // namespace readdress
