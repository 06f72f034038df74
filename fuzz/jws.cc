// SPDX-License-Identifier: Apache-2.0
// cluster-info from an untrusted sender: only content signed with the token's secret is accepted as
// signed.
#include "discovery/cluster_info.h"
#include "discovery/judge.h"
#include "fuzz.h"
#include "pki/crypto.h"

namespace {

constexpr const char* kToken = "abcdef.0123456789abcdef";

void JudgeAll(const discovery::Answer& answer) {
  const discovery::Facts facts{.server = "10.0.0.1:6443", .token_id = "abcdef", .answer = answer};
  const discovery::Decision decision = discovery::JudgeForToken(facts);
  fuzz::Require(decision.what != discovery::Decision::What::kUse || decision.info.has_value(),
                "what is used is there");
  discovery::JudgeForFile(facts);
  discovery::JudgeDocument(facts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(fuzz::Text(bytes, size));
  for (const int status : {200, 403, 500}) {
    JudgeAll({.status = status, .body = text});
  }
  const auto info = discovery::ClusterInfo::Read(json::TryParse(text));
  if (!info) {
    return 0;
  }
  const auto found = info->signatures.find("abcdef");
  const bool is_signed =
      found != info->signatures.end() &&
      found->second == pki::DetachedJws("abcdef", "0123456789abcdef", info->kubeconfig);
  const auto problem = discovery::SignatureProblem(*info, kToken);
  fuzz::Require(!problem == is_signed, "a signature is the one that the secret makes");
  fuzz::Require(!problem || !problem->contains("0123456789abcdef"), "the secret is not told");
  fuzz::Refused([&] { discovery::PublicCluster(kube::Kubeconfig::Parse(info->kubeconfig)); });
  return 0;
}
