// SPDX-License-Identifier: Apache-2.0
// The field tables: names, API versions and whether a zero value is written, as in the API
// reference of kubeadm.k8s.io/v1beta4 and v1beta3. Members that are structs in the API are always
// written, since Go's "omitempty" has no effect on them.
#include "config/types.h"
#include "config/versions.h"

namespace config {
namespace {

using json::Describe;
using json::DescribeAs;
using json::Field;
using json::Inline;

// Converts Args from and to v1beta3's form, which is an object from name to value. The decoder
// visits the members sorted by name, so the resulting list is sorted by name.
const json::Type* ArgsByName() {
  static const json::Type type{
      .kind = json::Type::Kind::kMap,
      .element = json::TypeFor<std::string>::Get,
      .add = [](void* self, const std::string& key) -> void* {
        return &static_cast<Args*>(self)->emplace_back(Arg{.name = key, .value = ""}).value;
      },
      .size = [](const void* self) { return static_cast<const Args*>(self)->size(); },
      .at =
          [](const void* self, std::size_t i) {
            const Arg& arg = (*static_cast<const Args*>(self))[i];
            return std::pair<std::string_view, const void*>{arg.name, &arg.value};
          }};
  return &type;
}

}  // namespace

std::optional<std::string> FindArg(const Args& args, std::string_view name) {
  std::optional<std::string> found;
  for (const Arg& arg : args) {
    if (arg.name == name) {
      found = arg.value;
    }
  }
  return found;
}

std::span<const Field> Arg::Fields() {
  static const Field fields[] = {
      Describe<&Arg::name>("name").Always().Help("name of the argument, without leading dashes"),
      Describe<&Arg::value>("value").Always().Help("value of the argument"),
      Describe<&Arg::merge_method>("mergeMethod")
          .In(kV1)
          .Help("effect on the default value: replaced, or with append or prepend joined with it"),
  };
  return fields;
}

std::span<const Field> HostPathMount::Fields() {
  static const Field fields[] = {
      Describe<&HostPathMount::name>("name").Always().Help("name of the volume in the Pod"),
      Describe<&HostPathMount::host_path>("hostPath").Always().Help("path on the host"),
      Describe<&HostPathMount::mount_path>("mountPath").Always().Help("path in the container"),
      Describe<&HostPathMount::read_only>("readOnly").Help("mount it read-only"),
      Describe<&HostPathMount::path_type>("pathType").Help("type of the host path"),
  };
  return fields;
}

std::span<const Field> ControlPlaneComponent::Fields() {
  static const Field fields[] = {
      Describe<&ControlPlaneComponent::extra_args>("extraArgs")
          .In(kSinceV1beta4)
          .Help("arguments that replace or add to the default ones"),
      DescribeAs<&ControlPlaneComponent::extra_args>("extraArgs", ArgsByName).In(kV1beta3),
      Describe<&ControlPlaneComponent::extra_volumes>("extraVolumes")
          .Help("host paths to mount into the Pod"),
      Describe<&ControlPlaneComponent::extra_envs>("extraEnvs")
          .In(kSinceV1beta4)
          .Help("environment variables of the container"),
  };
  return fields;
}

std::span<const Field> ApiServer::Fields() {
  static const Field fields[] = {
      Inline<&ApiServer::component>(),
      Describe<&ApiServer::cert_sans>("certSANs").Help("further names of the serving certificate"),
      Describe<&ApiServer::timeout_for_control_plane>("timeoutForControlPlane").In(kV1beta3),
  };
  return fields;
}

std::span<const Field> LocalEtcd::Fields() {
  static const Field fields[] = {
      Describe<&LocalEtcd::image_repository>("imageRepository").Help("registry of the etcd image"),
      Describe<&LocalEtcd::image_tag>("imageTag").Help("tag of the etcd image"),
      Describe<&LocalEtcd::data_dir>("dataDir").Always().Help("directory of the data"),
      Describe<&LocalEtcd::extra_args>("extraArgs").In(kSinceV1beta4).Help("arguments of etcd"),
      DescribeAs<&LocalEtcd::extra_args>("extraArgs", ArgsByName).In(kV1beta3),
      Describe<&LocalEtcd::extra_envs>("extraEnvs")
          .In(kSinceV1beta4)
          .Help("environment variables of the container"),
      Describe<&LocalEtcd::server_cert_sans>("serverCertSANs")
          .Help("further names of the server certificate"),
      Describe<&LocalEtcd::peer_cert_sans>("peerCertSANs")
          .Help("further names of the peer certificate"),
  };
  return fields;
}

std::span<const Field> ExternalEtcd::Fields() {
  static const Field fields[] = {
      Describe<&ExternalEtcd::endpoints>("endpoints").Always().Help("URLs of the members"),
      Describe<&ExternalEtcd::http_endpoints>("httpEndpoints")
          .In(kSinceV1beta4)
          .Help("URLs that answer /version; the endpoints when not set"),
      Describe<&ExternalEtcd::ca_file>("caFile").Always().Help("CA of the members"),
      Describe<&ExternalEtcd::cert_file>("certFile").Always().Help("client certificate"),
      Describe<&ExternalEtcd::key_file>("keyFile").Always().Help("key of the client certificate"),
  };
  return fields;
}

std::span<const Field> Etcd::Fields() {
  static const Field fields[] = {
      Describe<&Etcd::local>("local").Help("etcd as a static Pod of each control-plane node"),
      Describe<&Etcd::external>("external").Help("an etcd cluster that is run elsewhere"),
  };
  return fields;
}

std::span<const Field> Networking::Fields() {
  static const Field fields[] = {
      Describe<&Networking::service_subnet>("serviceSubnet").Help("networks of Services"),
      Describe<&Networking::pod_subnet>("podSubnet").Help("networks of Pods"),
      Describe<&Networking::dns_domain>("dnsDomain").Help("domain of Services"),
  };
  return fields;
}

std::span<const Field> Dns::Fields() {
  static const Field fields[] = {
      Describe<&Dns::image_repository>("imageRepository").Help("registry of the CoreDNS image"),
      Describe<&Dns::image_tag>("imageTag").Help("tag of the CoreDNS image"),
      Describe<&Dns::disabled>("disabled").In(kSinceV1beta4).Help("do not install CoreDNS"),
  };
  return fields;
}

std::span<const Field> Proxy::Fields() {
  static const Field fields[] = {
      Describe<&Proxy::disabled>("disabled").Help("do not install kube-proxy"),
  };
  return fields;
}

std::span<const Field> Taint::Fields() {
  static const Field fields[] = {
      Describe<&Taint::key>("key").Always().Help("its name"),
      Describe<&Taint::value>("value").Help("what goes with the name"),
      Describe<&Taint::effect>("effect").Always().Help("NoSchedule, PreferNoSchedule or NoExecute"),
      Describe<&Taint::time_added>("timeAdded").Help("when it was added; for NoExecute only"),
  };
  return fields;
}

std::span<const Field> NodeRegistration::Fields() {
  static const Field fields[] = {
      Describe<&NodeRegistration::name>("name").Help("name of the Node; the host's by default"),
      Describe<&NodeRegistration::cri_socket>("criSocket").Help("endpoint of the runtime"),
      Describe<&NodeRegistration::taints>("taints").Always().Help(
          "taints of the Node; [] for none, null for those of its role"),
      Describe<&NodeRegistration::kubelet_extra_args>("kubeletExtraArgs")
          .In(kSinceV1beta4)
          .Help("arguments of the kubelet"),
      DescribeAs<&NodeRegistration::kubelet_extra_args>("kubeletExtraArgs", ArgsByName)
          .In(kV1beta3),
      Describe<&NodeRegistration::ignore_preflight_errors>("ignorePreflightErrors")
          .Help("checks whose errors are shown as warnings"),
      Describe<&NodeRegistration::image_pull_policy>("imagePullPolicy")
          .Help("Always, IfNotPresent or Never"),
      Describe<&NodeRegistration::image_pull_serial>("imagePullSerial")
          .In(kSinceV1beta4)
          .Help("pull one image after the other"),
  };
  return fields;
}

std::span<const Field> ApiEndpoint::Fields() {
  static const Field fields[] = {
      Describe<&ApiEndpoint::advertise_address>("advertiseAddress")
          .Help("address that this API server advertises"),
      Describe<&ApiEndpoint::bind_port>("bindPort").Help("port of this API server"),
  };
  return fields;
}

std::span<const Field> Patches::Fields() {
  static const Field fields[] = {
      Describe<&Patches::directory>("directory")
          .Help("directory of target[suffix][+type].ext files"),
  };
  return fields;
}

std::span<const Field> Timeouts::Fields() {
  static const Field fields[] = {
      Describe<&Timeouts::control_plane_component_health_check>("controlPlaneComponentHealthCheck")
          .Help("for each component of the control plane to become healthy"),
      Describe<&Timeouts::kubelet_health_check>("kubeletHealthCheck")
          .Help("for the kubelet to become healthy"),
      Describe<&Timeouts::kubernetes_api_call>("kubernetesAPICall")
          .Help("for calls of the API to succeed, tries included"),
      Describe<&Timeouts::etcd_api_call>("etcdAPICall")
          .Help("for calls of etcd to succeed, tries included"),
      Describe<&Timeouts::tls_bootstrap>("tlsBootstrap")
          .Help("for the kubelet to get its certificate"),
      Describe<&Timeouts::discovery>("discovery")
          .Help("for a joining node to find and trust the cluster"),
      Describe<&Timeouts::upgrade_manifests>("upgradeManifests")
          .Help("for a static Pod to come up with its new manifest"),
  };
  return fields;
}

std::span<const Field> BootstrapToken::Fields() {
  static const Field fields[] = {
      Describe<&BootstrapToken::token>("token").Always().Help("[a-z0-9]{6}.[a-z0-9]{16}"),
      Describe<&BootstrapToken::description>("description")
          .Help("its purpose, as a text for people"),
      Describe<&BootstrapToken::ttl>("ttl").Help(
          "how long it is valid; 0s means that it never expires"),
      Describe<&BootstrapToken::expires>("expires").Help("when it ends; excludes ttl"),
      Describe<&BootstrapToken::usages>("usages").Help("signing, authentication"),
      Describe<&BootstrapToken::groups>("groups").Help("groups of a user who logs in with it"),
  };
  return fields;
}

std::span<const Field> InitConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&InitConfiguration::bootstrap_tokens>("bootstrapTokens").Help("tokens to create"),
      Describe<&InitConfiguration::dry_run>("dryRun").In(kSinceV1beta4).Help("change nothing"),
      Describe<&InitConfiguration::node_registration>("nodeRegistration")
          .Always()
          .Help("how the node is made part of the cluster"),
      Describe<&InitConfiguration::local_api_endpoint>("localAPIEndpoint")
          .Always()
          .Help("where the API server of this node is reached"),
      Describe<&InitConfiguration::certificate_key>("certificateKey")
          .Help("key, in hex, that encrypts uploaded certificates"),
      Describe<&InitConfiguration::skip_phases>("skipPhases").Help("phases to leave out"),
      Describe<&InitConfiguration::patches>("patches").Help(
          "patches for the manifests and the kubelet's configuration"),
      Describe<&InitConfiguration::timeouts>("timeouts")
          .In(kSinceV1beta4)
          .Help("timeouts of all waits"),
  };
  return fields;
}

std::span<const Field> ClusterConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&ClusterConfiguration::etcd>("etcd").Always().Help(
          "where the cluster keeps its data: local or external, not both"),
      Describe<&ClusterConfiguration::networking>("networking")
          .Always()
          .Help("the networks of the cluster"),
      Describe<&ClusterConfiguration::kubernetes_version>("kubernetesVersion")
          .Help("version or label (stable-1) of the control plane"),
      Describe<&ClusterConfiguration::control_plane_endpoint>("controlPlaneEndpoint")
          .Help("stable address host[:port] of the control plane"),
      Describe<&ClusterConfiguration::api_server>("apiServer").Always().Help("the API servers"),
      Describe<&ClusterConfiguration::controller_manager>("controllerManager")
          .Always()
          .Help("the controller managers"),
      Describe<&ClusterConfiguration::scheduler>("scheduler").Always().Help("the schedulers"),
      Describe<&ClusterConfiguration::dns>("dns").Always().Help("the addon CoreDNS"),
      Describe<&ClusterConfiguration::proxy>("proxy")
          .Always()
          .In(kSinceV1beta4)
          .Help("the addon kube-proxy"),
      Describe<&ClusterConfiguration::certificates_dir>("certificatesDir")
          .Help("directory of the certificates"),
      Describe<&ClusterConfiguration::image_repository>("imageRepository")
          .Help("registry of the images"),
      Describe<&ClusterConfiguration::feature_gates>("featureGates")
          .Help("experimental features, on or off"),
      Describe<&ClusterConfiguration::cluster_name>("clusterName")
          .Help("name of the cluster in kubeconfig files"),
      Describe<&ClusterConfiguration::encryption_algorithm>("encryptionAlgorithm")
          .In(kSinceV1beta4)
          .Help("RSA-2048, RSA-3072, RSA-4096, ECDSA-P256 or ECDSA-P384; for Kubernetes v1.38 and "
                "later also ML-DSA-44, ML-DSA-65 or ML-DSA-87"),
      Describe<&ClusterConfiguration::certificate_validity_period>("certificateValidityPeriod")
          .In(kSinceV1beta4)
          .Help("how long new certificates are valid; a year by default"),
      Describe<&ClusterConfiguration::ca_certificate_validity_period>("caCertificateValidityPeriod")
          .In(kSinceV1beta4)
          .Help("how long new authorities are valid; ten years by default"),
  };
  return fields;
}

}  // namespace config
