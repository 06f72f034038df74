// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/ca_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/holders.h"
#include "certs/disk.h"
#include "certs/period.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"
#include "pki/cross_sign.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/replace.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using static_pods::Replacement;

constexpr std::string_view kSigningFlag = "--cluster-signing-cert-file=";
constexpr std::chrono::milliseconds kApprovalPatience{120'000};

void SetKubeconfigAnchors(const AuthorityFiles& place, const fs::path& path,
                          const std::vector<Anchor>& anchors, const std::vector<Anchor>& known) {
  kube::Kubeconfig config = kube::Kubeconfig::Parse(place.files.Read(path));
  const kube::KubeconfigContext* current = config.CurrentContext();
  if (current == nullptr || config.CurrentCluster() == nullptr) {
    return;
  }
  std::string& pem = config.clusters.at(current->cluster).certificate_authority_data;
  const std::vector<Anchor> before = ParseAnchors(pem);
  if (std::ranges::none_of(
          before, [&](const Anchor& anchor) { return FindPin(known, anchor.pin) != nullptr; })) {
    return;
  }
  std::vector<Anchor> wanted = anchors;
  std::ranges::copy_if(before, std::back_inserter(wanted),
                       [&](const Anchor& anchor) { return FindPin(known, anchor.pin) == nullptr; });
  if (before == wanted) {
    return;
  }
  pem = PemOf(wanted);
  place.files.Write(path, config.Text(), {.mode = 0600});
}

// Plans the change of the controller manager's signing certificate to `to`, if it signed with
// `from`.
std::optional<Replacement> MoveSigningFlag(const AuthorityFiles& place, const fs::path& from,
                                           const fs::path& to) {
  if (place.authority.row != certs::kCa) {
    return std::nullopt;
  }
  auto pod = static_pods::ReadManifest(place.files, Component::kControllerManager);
  if (!pod) {
    return std::nullopt;
  }
  const std::string before = fmt::format("{}{}", kSigningFlag, from.string());
  bool changed = static_pods::Unmark(*pod);
  for (json::Value& word : (*pod)["spec"]["containers"][0]["command"]) {
    if (word == before) {
      word = fmt::format("{}{}", kSigningFlag, to.string());
      changed = true;
    }
  }
  if (!changed) {
    return std::nullopt;
  }
  return Replacement{.component = Component::kControllerManager, .pod = *std::move(pod)};
}

// While the authority's file contains two authorities, the controller manager signs with a separate
// file that contains one certificate.
std::optional<Replacement> SignWithOne(const AuthorityFiles& place) {
  if (place.authority.row != certs::kCa) {
    return std::nullopt;
  }
  WriteIfOther(place, place.SigningPath(), LiveAnchors(place).front().pem, 0600);
  return MoveSigningFlag(place, place.AnchorsPath(), place.SigningPath());
}

// Returns whether the files show this step or a later one. Such files are not changed: only the
// step's restarts are missing.
bool IsDone(const AuthorityFiles& place, const Anchor& fresh, Step step) {
  return StepDoneBy(ReadHolders(place, {}), fresh.pin) >= step;
}

// Selects whether the API server's chain includes the new CA's certificate that the old CA has
// signed. The chain includes this certificate between the steps reissue and drop. With it, clients
// that only know the old CA, such as Pods that were not restarted, still trust the server.
enum class CrossCertificate { kShown, kGone };

void SetCrossCertificate(const AuthorityFiles& place, const Anchor& fresh, CrossCertificate state) {
  const fs::path path = certs::CertPath(place.certs_dir, "apiserver");
  if (place.authority.row != certs::kCa || !place.files.Exists(path)) {
    return;
  }
  const std::vector<pki::Certificate> chain = certs::LoadChain(place.files, path);
  std::string pem;
  bool shown = false;
  for (const pki::Certificate& certificate : chain) {
    shown = shown || pki::Pin(certificate) == fresh.pin;
    pem += pki::Pin(certificate) == fresh.pin ? "" : certificate.Pem();
  }
  const pki::Certificate ca = pki::Certificate::FromPem(fresh.pem);
  if (state == CrossCertificate::kGone) {
    WriteIfOther(place, path, pem, 0644);
  } else if (!shown && !pki::ChainProblem(chain.front(), {ca}, {})) {
    pem += pki::CrossSign(ca, LoadSavedCa(place, Generation::kOld)).Pem();
    WriteIfOther(place, path, pem, 0644);
  }
}

// Issues the kubelet's new certificate. On a worker, the leader of the controller managers signs
// it; a control-plane node has the CA's key itself.
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

std::vector<fs::path> TouchedFiles(const AuthorityFiles& place,
                                   const config::ClusterConfiguration& cluster) {
  std::vector<fs::path> paths = {place.AnchorsPath()};
  std::ranges::move(place.KubeconfigPaths(), std::back_inserter(paths));
  if (!place.control_plane) {
    return paths;
  }
  paths.push_back(place.KeyPath());
  const certs::RenewalContext context{
      .files = place.files, .cluster = cluster, .kubeconfig_dir = config::kKubernetesDir};
  for (const certs::Renewable* row : place.Leaves()) {
    std::ranges::move(certs::FilesOf(*row, context), std::back_inserter(paths));
  }
  if (place.authority.row == certs::kCa) {
    paths.push_back(place.SigningPath());
    paths.push_back(components::ManifestPath(Component::kControllerManager));
  }
  return paths;
}

void SetAnchors(const AuthorityFiles& place, const std::vector<Anchor>& anchors) {
  std::vector<Anchor> known = KnownAnchors(place);
  known.insert(known.end(), anchors.begin(), anchors.end());
  // The authority's own file is written last: on a worker it is the only file that identifies the
  // old authority.
  for (const fs::path& path : place.KubeconfigPaths()) {
    base::WithContext(path.string(), [&] { SetKubeconfigAnchors(place, path, anchors, known); });
  }
  WriteIfOther(place, place.AnchorsPath(), PemOf(anchors), 0644);
}

std::optional<Replacement> WriteTrust(const AuthorityFiles& place) {
  const Anchor fresh = Saved(place, Generation::kNew);
  if (!IsDone(place, fresh, Step::kTrust)) {
    if (!FindSaved(place, Generation::kOld)) {
      SavePair(place, Generation::kOld, LiveAnchors(place).front().pem,
               place.files.Read(place.KeyPath()));
    }
    SetAnchors(place, {Saved(place, Generation::kOld), fresh});
  }
  return SignWithOne(place);
}

std::optional<Replacement> WriteReissue(const AuthorityFiles& place,
                                        const certs::RenewalContext& renewal) {
  const Anchor fresh = Saved(place, Generation::kNew);
  if (IsDone(place, fresh, Step::kReissue)) {
    return IsDone(place, fresh, Step::kDrop) ? std::nullopt : SignWithOne(place);
  }
  WriteIfOther(place, place.KeyPath(), place.files.Read(SavedKeyPath(place, Generation::kNew)),
               0600);
  SetAnchors(place, {fresh, Saved(place, Generation::kOld)});
  std::optional<Replacement> replacement = SignWithOne(place);
  const std::vector<Holder> holders = ReadHolders(place, {});
  for (const certs::Renewable& row : certs::Renewables()) {
    if (row.ca != place.authority.row) {
      continue;
    }
    const std::string path = certs::FilesOf(row, renewal).back().string();
    const auto holder = std::ranges::find(holders, path, &Holder::name);
    if (holder != holders.end() && holder->signer && *holder->signer != fresh.pin) {
      base::WithContext(fmt::format("cannot reissue {}", row.name),
                        [&] { certs::Renew(row, renewal); });
    }
  }
  SetCrossCertificate(place, fresh, CrossCertificate::kShown);
  return replacement;
}

std::optional<Replacement> WriteDrop(const AuthorityFiles& place) {
  const Anchor fresh = Saved(place, Generation::kNew);
  SetCrossCertificate(place, fresh, CrossCertificate::kGone);
  if (!IsDone(place, fresh, Step::kDrop)) {
    SetAnchors(place, {fresh});
  }
  return MoveSigningFlag(place, place.SigningPath(), place.AnchorsPath());
}

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
