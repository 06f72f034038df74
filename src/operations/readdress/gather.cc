// SPDX-License-Identifier: Apache-2.0
#include "readdress/gather.h"

#include <algorithm>
#include <array>

#include "certs/disk.h"
#include "certs/period.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "kubelet/flags.h"
#include "kubelet/local_runtime.h"
#include "kubelet/node_config.h"
#include "static_pods/static_pod.h"
#include "upgrade/this_node.h"
#include "yaml/yaml.h"

namespace readdress {
namespace {

namespace fs = host::fs;
using components::Component;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 20U;

void AddFiles(const host::Files& files, const fs::path& directory, std::vector<SeenFile>& seen) {
  for (const std::string& name : files.List(directory)) {
    const fs::path path = directory / name;
    const auto info = files.Stat(path);
    if (info && info->kind == host::FileInfo::Kind::kDirectory) {
      AddFiles(files, path, seen);
    } else if (info && info->kind != host::FileInfo::Kind::kOther && info->size <= kLargest) {
      if (std::optional<std::string> text = files.Find(path)) {
        seen.push_back({path, *std::move(text)});
      }
    }
  }
}

// The kubelet's own files, not those of what it runs.
void AddKubeletFiles(const host::Files& files, std::vector<SeenFile>& seen) {
  const fs::path directory(config::kKubeletDir);
  for (const std::string& name : files.List(directory)) {
    const fs::path path = directory / name;
    const auto info = files.Stat(path);
    if (!info || info->kind != host::FileInfo::Kind::kFile || info->size > kLargest) {
      continue;
    }
    if (std::optional<std::string> text = files.Find(path)) {
      seen.push_back({path, *std::move(text)});
    }
  }
  for (const char* below : {"kubeadm-patches", "pki"}) {
    if (files.Exists(directory / below)) {
      AddFiles(files, directory / below, seen);
    }
  }
}

void ReadEndpoint(const json::Value& pod, Node& node) {
  const auto endpoint = config::ReadEndpoint(
      json::TextAt(pod, {"metadata", "annotations", static_pods::kApiServerEndpointAnnotation}));
  node.config.init.local_api_endpoint = {.advertise_address = endpoint.host,
                                         .bind_port = endpoint.PortNumber().value_or(6443)};
  node.address = net::IpAddress::Parse(endpoint.host);
  if (const auto ca = static_pods::CommandArg(pod, "client-ca-file")) {
    node.config.cluster.certificates_dir = fs::path(*ca).parent_path();
  }
}

// As long as the API server's certificate was made for, the new ones are.
void ReadValidity(const host::Files& files, config::ClusterConfiguration& cluster) {
  const pki::Certificate old =
      certs::LoadChain(files, certs::CertPath(cluster.certificates_dir, "apiserver")).front();
  cluster.encryption_algorithm = old.public_key().AlgorithmText();
  cluster.certificate_validity_period = old.not_after() - old.not_before() - certs::kBackdate;
}

void ReadNodeIp(const host::Files& files, Node& node) {
  const auto text = files.Find(kubelet::kFlagsFile);
  const auto flag =
      text ? config::FindArg(kubelet::ParseFlagsFile(*text).flags, "node-ip") : std::nullopt;
  if (flag && !node.address) {
    node.address = net::IpAddress::Parse(*flag);
  }
}

}  // namespace

Node LookAtNode(const host::Host& host) {
  const host::Files& files = host.files;
  Node node;
  node.config.cluster.certificates_dir = config::kDefaultCertificatesDir;
  node.config.init.node_registration = {.name = upgrade::NodeName(files, host.machine.Hostname()),
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

std::vector<SeenFile> SearchFiles(const host::Files& files) {
  std::vector<SeenFile> seen;
  AddFiles(files, fs::path(config::kKubernetesDir), seen);
  AddKubeletFiles(files, seen);
  return seen;
}

std::vector<json::Value> SearchObjects(kube::Client& client) {
  namespace all = kube::resources;
  std::vector<json::Value> objects;
  struct Kind {
    kube::Resource resource;
    const char* name_space;
  };
  const std::array<Kind, 5> kinds{{{all::kConfigMap, ""},
                                   {all::kService, ""},
                                   {kEndpointSlice, ""},
                                   {all::kNode, ""},
                                   {all::kPod, "kube-system"}}};
  for (const Kind& kind : kinds) {
    for (json::Value& object : client.List(kind.resource, kind.name_space)) {
      object["kind"] = kind.resource.kind;
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

}  // namespace readdress
