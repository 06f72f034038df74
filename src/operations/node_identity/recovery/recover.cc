// SPDX-License-Identifier: Apache-2.0
#include "node_identity/recovery/recover.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/period.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "discovery/discover.h"
#include "kubeconfigs/build.h"
#include "kubeconfigs/connect.h"
#include "kubelet/finalize.h"
#include "kubelet/service.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/static_pod.h"

namespace kubelet_recovery {
namespace {

namespace fs = host::fs;
using base::Error;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000};  // for one query
// The time for the cluster to approve and sign the request.
constexpr milliseconds kApprovalPatience{60'000};
constexpr milliseconds kComeback{180'000};  // for a control plane, which may have to start first

std::optional<json::Value> ApiServerHere(const host::Files& files) {
  return static_pods::ReadManifest(files, components::Component::kApiServer);
}

fs::path CertificatesDir(const host::Files& files) {
  const std::optional<json::Value> pod = ApiServerHere(files);
  const std::optional<std::string> ca =
      pod ? static_pods::CommandArg(*pod, "client-ca-file") : std::nullopt;
  return ca ? fs::path(*ca).parent_path() : fs::path(config::kDefaultCertificatesDir);
}

std::string CaText(const host::Files& files) {
  return files.Read(certs::CertPath(CertificatesDir(files), certs::kCa));
}

pki::Subject SubjectOf(const std::string& node) {
  return {.common_name = "system:node:" + node, .organizations = {"system:nodes"}};
}

// Returns the cluster in kubelet.conf. Without kubelet.conf, returns this node's API server.
kube::KubeconfigCluster ClusterHere(const Found& found, const host::Files& files) {
  if (found.config) {
    return *found.config->CurrentCluster();
  }
  const std::optional<json::Value> pod = ApiServerHere(files);
  const std::string url = pod ? static_pods::AdvertisedEndpointOf(*pod).Url() : "";
  if (url.empty()) {
    throw Error(Error::Kind::kInvalid,
                "neither kubelet.conf nor a manifest of the API server says where the cluster is: "
                "give a token and the API server's endpoint");
  }
  return {.server = url, .certificate_authority_data = CaText(files)};
}

NewCredentials Sign(const Found& found, host::Host& host) {
  const pki::KeyPair ca = certs::LoadCa(host.files, CertificatesDir(host.files), certs::kCa);
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto now = host.clock.NowSeconds();
  return {.pair = {kubeconfigs::NewClient(SubjectOf(found.node), key.Public(), ca,
                                          certs::EndOf(now, certs::kDefaultValidity)),
                   key},
          .cluster = ClusterHere(found, host.files)};
}

std::string EndpointOf(const TokenSource& source, const Found& found) {
  if (!source.endpoint.empty()) {
    return source.endpoint;
  }
  if (!found.config) {
    throw Error(Error::Kind::kUsage,
                "kubelet.conf does not say where the cluster is: name the API server, host:port");
  }
  std::string server = found.config->CurrentCluster()->server;
  return server.substr(server.find("//") + 2);
}

// Returns the pins from the user. If there are none, returns the pin of the CA that the node has
// trusted so far.
std::vector<std::string> PinsOf(const TokenSource& source, const host::Files& files) {
  if (!source.hashes.empty()) {
    return source.hashes;
  }
  std::vector<std::string> pins;
  for (const pki::Certificate& ca :
       base::WithContext("--discovery-token-ca-cert-hash is not given, and this node has no CA",
                         [&] { return pki::Certificate::ChainFromPem(CaText(files)); })) {
    pins.push_back(pki::Pin(ca));
  }
  return pins;
}

kube::Kubeconfig Discover(const TokenSource& source, const Found& found, const RecoveryDeps& deps) {
  const config::JoinConfiguration join{
      .discovery = {
          .bootstrap_token =
              config::BootstrapTokenDiscovery{.token = source.token,
                                              .api_server_endpoint = EndpointOf(source, found),
                                              .ca_cert_hashes = PinsOf(source, deps.host.files)},
          .tls_bootstrap_token = source.token}};
  return discovery::Discover(deps.host, {.config = join,
                                         .timeout = std::chrono::minutes(1),
                                         .stop = deps.stop,
                                         .progress = deps.say});
}

kube::Kubeconfig ConfigOf(const Found& found, const NewCredentials& credentials) {
  const std::string name = SubjectOf(found.node).common_name;
  kube::Kubeconfig config =
      found.config
          ? *found.config
          : kubeconfigs::NewKubeconfig(
                {.cluster = "kubernetes", .server = credentials.cluster.server, .user = name});
  config.clusters.at(config.CurrentContext()->cluster) = credentials.cluster;
  kube::KubeconfigUser& user = config.users.at(config.CurrentContext()->user);
  user = {.client_certificate_data = credentials.pair.certificate.Pem(),
          .client_key_data = credentials.pair.key.Pem()};
  return config;
}

NewCredentials Request(const TokenSource& source, const Found& found, const RecoveryDeps& deps) {
  host::Host& host = deps.host;
  const kube::Kubeconfig discovered = Discover(source, found, deps);
  kube::Client client(kubeconfigs::ConnectBy(host, discovered), host.clock, {.limit = kPatience},
                      deps.stop);
  const pki::KeyPair pair = renewal::RequestKubeletCertificate(
      client,
      {.subject = SubjectOf(found.node),
       .name = fmt::format("recover-{}-{}", found.node, base::HexEncode(host.random.Bytes(4))),
       .waiting = {.clock = host.clock,
                   .most = milliseconds(500),
                   .limit = kApprovalPatience,
                   .stop = deps.stop,
                   .culprit = {}},
       .say = deps.say});
  NewCredentials got{.pair = pair, .cluster = *discovered.CurrentCluster()};
  if (found.config) {
    got.cluster.server = found.config->CurrentCluster()->server;
  }
  kube::Client as_node(kubeconfigs::ConnectBy(host, ConfigOf(found, got)), host.clock,
                       {.limit = kPatience}, deps.stop);
  as_node.Retry("the cluster does not take the new certificate",
                [&] { as_node.Get({kube::resources::kNode, "", found.node}); });
  return got;
}

}  // namespace

bool HasCaKey(const host::Files& files) {
  return files.Exists(certs::KeyPath(CertificatesDir(files), certs::kCa));
}

NewCredentials Issue(const Found& found, const RecoveryDeps& deps) {
  if (deps.source) {
    return Request(*deps.source, found, deps);
  }
  if (!HasCaKey(deps.host.files)) {
    throw Error(Error::Kind::kInvalid,
                "the key of the cluster's CA is not on this node: run 'kubeadm token create --ttl "
                "10m' on a control plane, and give the token here with --token");
  }
  return Sign(found, deps.host);
}

void Install(const Found& found, const NewCredentials& credentials, engine::StepContext& context) {
  const host::Files& files = context.host().files;
  const fs::path rotated = RotatedPair(files);
  context.BackupFile(KubeletConf());
  if (const fs::path ca = certs::CertPath(config::kDefaultCertificatesDir, certs::kCa);
      !files.Exists(ca) && !credentials.cluster.certificate_authority_data.empty()) {
    context.WriteFile(ca, credentials.cluster.certificate_authority_data, 0644);
  }
  context.WriteFile(KubeletConf(), base::SecretText(ConfigOf(found, credentials).Text()), 0600);
  context.RemoveFile(rotated);
  context.Say(fmt::format("{} is new; a copy of the replaced file is in {}", KubeletConf().string(),
                          context.BackupDirectory()));
}

void Restart(const std::string& node, engine::StepContext& context) {
  host::Host& host = context.host();
  context.RestartKubelet({.node = node,
                          .new_client =
                              [&] {
                                return kube::Client(kubeconfigs::ConnectBy(host, KubeletConf()),
                                                    host.clock, {.limit = {}}, context.Stop());
                              },
                          .waiting = {.clock = host.clock,
                                      .most = milliseconds(500),
                                      .limit = kComeback,
                                      .stop = context.Stop(),
                                      .culprit = kubelet::KubeletCulprit(host, host.clock.Now())},
                          .on_no_service =
                              [] {
                                throw Error(
                                    "the kubelet is not a service of this machine's init system: "
                                    "kubelet.conf is ready, restart the kubelet by hand");
                              }});
  const fs::path rotated = RotatedPair(host.files);
  if (host.files.Find(rotated)) {
    context.WriteFile(KubeletConf(),
                      kubelet::PointToRotatedCertificate(host.files.Read(KubeletConf()), rotated),
                      0600);
  }
}

}  // namespace kubelet_recovery
