// SPDX-License-Identifier: Apache-2.0
#include "config/extension.h"

#include <fmt/core.h>

#include "base/error.h"
#include "json/fields.h"
#include "net/cidr.h"

namespace config {
namespace {

using base::Error;
using json::Describe;

constexpr std::string_view kKubeletCaFlag = "kubelet-certificate-authority";

void Check(const KubeletServingCerts& certs) {
  if (!certs.image.empty() && !certs.program.empty()) {
    throw Error(Error::Kind::kInvalid,
                "kubeletServingCerts: give image or program, not both: an image has its own "
                "program");
  }
  if (!certs.program.empty() && !certs.program.starts_with('/')) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("kubeletServingCerts.program must be an absolute path, is \"{}\"",
                            certs.program));
  }
  for (const std::string& cidr : certs.allowed_cidrs) {
    const auto network = net::Cidr::Parse(cidr);
    if (!network) {
      throw Error(Error::Kind::kInvalid,
                  "kubeletServingCerts.allowedCIDRs: invalid CIDR address: " + cidr);
    }
    if (network->PrefixLength() == 0) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("kubeletServingCerts.allowedCIDRs: {} would allow every address; "
                              "leave it out, and each node keeps its first addresses",
                              cidr));
    }
  }
}

std::string ClusterCaPath(const ClusterConfiguration& cluster) {
  return cluster.certificates_dir + "/ca.crt";
}

}  // namespace

std::span<const json::Field> KubeletServingCerts::Fields() {
  static const json::Field fields[] = {
      Describe<&KubeletServingCerts::enabled>("enabled").Help(
          "let kubelets serve with certificates of the cluster's CA, and run the approver"),
      Describe<&KubeletServingCerts::image>("image").Help(
          "image of the approver; without it the program of the control-plane nodes is run"),
      Describe<&KubeletServingCerts::program>("program").Help(
          "path of cluster-machine-approver on the control-plane nodes; found in PATH by default"),
      Describe<&KubeletServingCerts::allowed_cidrs>("allowedCIDRs")
          .Help("networks of the nodes' addresses: within these, a node may change its addresses; "
                "if not set, it keeps its first ones"),
  };
  return fields;
}

std::span<const json::Field> NodeBoundTokens::Fields() {
  static const json::Field fields[] = {
      Describe<&NodeBoundTokens::enabled>("enabled").Help(
          "let nodes join only with tokens that are bound to their name; needs "
          "kubeletServingCerts, whose approver approves their first certificates"),
  };
  return fields;
}

std::span<const json::Field> Fleet::Fields() {
  static const json::Field fields[] = {
      Describe<&Fleet::enabled>("enabled").Help(
          "run the operator of ClusterOperations in the cluster"),
      Describe<&Fleet::image>("image").Help("image of the operator; has slipway-operator"),
      Describe<&Fleet::kubeadm_image>("kubeadmImage")
          .Help("image of the operator's Jobs; has the kubeadm that runs on the nodes"),
  };
  return fields;
}

std::span<const json::Field> ExtensionConfiguration::Fields() {
  static const json::Field fields[] = {
      Describe<&ExtensionConfiguration::kubelet_serving_certs>("kubeletServingCerts")
          .Help("serving certificates of kubelets, signed by the cluster's CA"),
      Describe<&ExtensionConfiguration::node_bound_tokens>("nodeBoundTokens")
          .Help("bootstrap tokens that are each bound to a node"),
      Describe<&ExtensionConfiguration::fleet>("fleet").Help(
          "operations on all nodes, by the operator of ClusterOperations"),
  };
  return fields;
}

bool IsExtension(const GroupVersionKind& gvk) {
  return kExtensionApiVersion.starts_with(gvk.group + "/");
}

ExtensionConfiguration ReadExtension(const Source& source) {
  ExtensionConfiguration extension;
  for (const Document& document : ReadDocuments(source)) {
    if (!IsExtension(document.gvk)) {
      continue;
    }
    if (!IsKnown(document.gvk)) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("no kind \"{}\" is known in version \"{}\"; there is {} in {}",
                              document.gvk.kind, document.gvk.ApiVersion(), kExtensionKind,
                              kExtensionApiVersion));
    }
    json::Value body = document.yaml.value;
    body.erase("apiVersion");
    body.erase("kind");
    json::DecodeProblems problems;
    json::Decode(body, extension, json::kAllVersions, problems);
    ReportProblems(source, document, problems, UnknownFields::kRefuse);
  }
  Check(extension.kubelet_serving_certs);
  return extension;
}

void ServeByClusterCa(ClusterConfiguration& cluster) {
  Args& args = cluster.api_server.component.extra_args;
  if (!FindArg(args, kKubeletCaFlag)) {
    args.push_back({.name = std::string(kKubeletCaFlag), .value = ClusterCaPath(cluster)});
  }
  cluster.kubelet.value["serverTLSBootstrap"] = true;
  cluster.kubelet.user_supplied = true;  // an upgrade must keep this value
}

bool VerifiesKubeletsByClusterCa(const ClusterConfiguration& cluster) {
  return FindArg(cluster.api_server.component.extra_args, kKubeletCaFlag) == ClusterCaPath(cluster);
}

}  // namespace config
