#include "kubeadm/certs/rotate_ca_node.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ca_rotation/ca_cluster.h"
#include "ca_rotation/kubelet_certificate.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "static_pods/static_pod.h"

namespace kubeadm {
namespace {

using base::Error;
using ca_rotation::Authority;
using ca_rotation::Place;
using ca_rotation::Which;

constexpr std::chrono::milliseconds kApiPatience{90'000};
constexpr std::chrono::milliseconds kOneTry{5'000};

[[noreturn]] void Refuse(const std::string& text) { throw Error(Error::Kind::kInvalid, text); }

void CheckRole(const RotatingNode& node) {
  if (!node.control_plane && !node.authority.on_workers) {
    Refuse(
        fmt::format("the {} is of no concern to a worker: run this on the nodes of the control "
                    "plane only",
                    node.authority.long_name));
  }
}

void CheckAuthority(const RotatingNode& node) {
  if (!node.control_plane) {
    return;
  }
  if (node.authority.row == certs::kEtcdCa && node.config.cluster.etcd.external) {
    Refuse("etcd is external: its certificate authority is replaced where etcd runs");
  }
  const Place place = node.place();
  if (!node.host.files.Exists(place.AnchorsPath())) {
    Refuse(fmt::format("{} is missing", place.AnchorsPath().string()));
  }
  if (!node.host.files.Exists(place.KeyPath())) {
    Refuse(fmt::format("{} is missing: the {} is external and is replaced where its key is",
                       place.KeyPath().string(), node.authority.long_name));
  }
}

}  // namespace

Place RotatingNode::place() const {
  return {.files = host.files,
          .authority = authority,
          .certs_dir = config.cluster.certificates_dir,
          .control_plane = control_plane};
}

kube::Client RotatingNode::NewClient() const {
  return ClientOf(kubeconfig, host, options.dry_run ? kOneTry : kApiPatience);
}

std::chrono::sys_seconds RotatingNode::Now() const {
  return std::chrono::floor<std::chrono::seconds>(host.clock.Now());
}

RotatingNode OpenNode(const cli::Parsed& flags, const Authority& authority,
                      const RotateOptions& options, host::Host& host, const Say& say) {
  RotatingNode node{.host = host,
                    .authority = authority,
                    .options = options,
                    .config = {},
                    .kubeconfig = host::fs::path(config::kKubernetesDir) / config::kKubeletConf,
                    .name = {},
                    .control_plane = host.files.Exists(
                        static_pods::ManifestPath(static_pods::Component::kApiServer))};
  CheckRole(node);
  node.name = base::WithContext("this machine is no node that kubeadm has made",
                                [&] { return ca_rotation::FindKubeletClient(host.files).Node(); });
  if (node.control_plane) {
    node.kubeconfig = flags.Text("kubeconfig");
    node.config = LoadCertsConfig(flags, host, "[rotate-ca]", say);
  } else {
    node.config.cluster.certificates_dir = flags.Text("cert-dir");
  }
  CheckAuthority(node);
  return node;
}

ca_rotation::Situation GatherSituation(const RotatingNode& node) {
  kube::Client client = node.NewClient();
  const Place place = node.place();
  ca_rotation::Situation situation{.authority = &node.authority,
                                   .node = node.name,
                                   .control_plane = node.control_plane,
                                   .live_pin = ca_rotation::LiveAnchors(place).front().pin,
                                   .new_pin = {},
                                   .record = ca_rotation::FindRecord(client, node.authority),
                                   .holders = {},
                                   .nodes = {},
                                   .now = node.Now(),
                                   .again = node.options.again,
                                   .early = node.options.early};
  std::optional<ca_rotation::Anchor> fresh;
  if (situation.record) {
    fresh = ca_rotation::Anchor{.pin = situation.record->pin, .pem = situation.record->pem};
  }
  if (const auto saved = ca_rotation::FindSaved(place, Which::kNew)) {
    situation.new_pin = saved->pin;
  }
  situation.holders = ca_rotation::ReadHolders(place, fresh);
  const std::string pin = fresh ? fresh->pin : "";
  situation.nodes = node.control_plane
                        ? ca_rotation::StatesOf(client, node.authority, pin)
                        : std::vector{ca_rotation::StateOf(client, node.name, node.authority, pin)};
  return situation;
}

}  // namespace kubeadm
