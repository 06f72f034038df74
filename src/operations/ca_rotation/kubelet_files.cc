// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/kubelet_files.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/ca_files.h"
#include "certs/period.h"
#include "renewal/kubelet_certificate.h"

namespace ca_rotation {
namespace {

using base::Error;

constexpr std::chrono::milliseconds kApprovalPatience{120'000};

// The cluster's signer is its leader; a control-plane node has the key itself.
pki::KeyPair NewKubeletPair(const Node& node, const renewal::KubeletClient& old) {
  if (!node.control_plane) {
    kube::Client client = node.new_client();
    return renewal::RequestKubeletCertificate(
        client, {.subject = old.certificate.subject(),
                 .name = fmt::format("rotate-ca-{}-{}", node.name,
                                     base::HexEncode(node.host.random.Bytes(4))),
                 .waiting = node.Waiting(kApprovalPatience),
                 .say = node.say});
  }
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto now = node.Now();
  return {pki::Sign({.subject = old.certificate.subject(),
                     .alt_names = {},
                     .usages = {pki::ExtendedKeyUsage::kClientAuth},
                     .not_before = now - certs::kBackdate,
                     .not_after = certs::EndOf(now, certs::LeafValidity(node.config.cluster))},
                    key.Public(), LoadSavedCa(node.place(), Generation::kNew)),
          key};
}

}  // namespace

void ReissueKubelet(const Node& node, const RotationRecord& record) {
  const pki::Certificate ca = pki::Certificate::FromPem(record.pem);
  const renewal::KubeletClient old = renewal::FindKubeletClient(node.host.files);
  if (!pki::ChainProblem(old.certificate, {ca}, {})) {
    return;
  }
  const pki::KeyPair pair = NewKubeletPair(node, old);
  if (pki::ChainProblem(pair.certificate, {ca}, {})) {
    throw Error(Error::Kind::kUnavailable,
                "the controller manager that leads still signs with the old authority: first do "
                "this step on all nodes of the control plane");
  }
  renewal::SaveKubeletClient(node.host.files, old, pair);
}

void WriteWorker(const Node& node, const RotationRecord& record, Step step) {
  const AuthorityFiles place = node.place();
  const Anchor fresh{.pin = record.pin, .pem = record.pem};
  std::vector<Anchor> anchors = LiveAnchors(place);
  std::erase(anchors, fresh);
  switch (step) {
    case Step::kTrust:
      anchors.push_back(fresh);
      SetAnchors(place, anchors);
      return;
    case Step::kReissue:
      ReissueKubelet(node, record);
      return;
    case Step::kDrop:
      SetAnchors(place, {fresh});
  }
}

}  // namespace ca_rotation
