// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/holders.h"

#include "base/error.h"
#include "certs/disk.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/load.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;

std::optional<std::string> SignerOf(const pki::Certificate& leaf,
                                    const std::vector<Anchor>& known) {
  for (const Anchor& anchor : known) {
    if (!pki::ChainProblem(leaf, {pki::Certificate::FromPem(anchor.pem)}, {})) {
      return anchor.pin;
    }
  }
  return std::nullopt;
}

Holder KubeconfigHolder(const AuthorityFiles& place, const fs::path& path,
                        const std::vector<Anchor>& known) {
  const kube::Kubeconfig config = kubeconfigs::LoadKubeconfig(place.files, path);
  return base::WithContext(path.string(), [&] {
    Holder holder{.name = path.string()};
    const kube::KubeconfigCluster* cluster = config.CurrentCluster();
    const kube::KubeconfigUser* user = config.CurrentUser();
    std::vector<std::string> trusts;
    for (const Anchor& anchor :
         ParseAnchors(cluster == nullptr ? "" : cluster->certificate_authority_data)) {
      if (FindPin(known, anchor.pin) != nullptr) {
        trusts.push_back(anchor.pin);
      }
    }
    if (!trusts.empty()) {
      holder.trusts = std::move(trusts);
    }
    if (user != nullptr && !user->client_certificate_data.empty()) {
      holder.signer = SignerOf(pki::Certificate::FromPem(user->client_certificate_data), known);
    }
    return holder;
  });
}

}  // namespace

std::vector<Holder> ReadHolders(const AuthorityFiles& place, const std::optional<Anchor>& fresh) {
  std::vector<Anchor> known = KnownAnchors(place);
  if (fresh && FindPin(known, fresh->pin) == nullptr) {
    known.push_back(*fresh);
  }
  Holder live{.name = place.AnchorsPath().string(), .trusts = std::vector<std::string>()};
  for (const Anchor& anchor : LiveAnchors(place)) {
    live.trusts->push_back(anchor.pin);
  }
  std::vector<Holder> holders;
  if (place.control_plane) {
    // The file's first anchor is the signer.
    live.signer = live.trusts->front();
    holders.push_back({.name = place.KeyPath().string(),
                       .signer = PinOf(certs::LoadKey(place.files, place.KeyPath()).Public())});
  }
  holders.insert(holders.begin(), std::move(live));
  for (const certs::Renewable* row : place.Leaves()) {
    const fs::path path = certs::CertPath(place.certs_dir, row->spec->base_name);
    holders.push_back({.name = path.string(),
                       .signer = SignerOf(certs::LoadChain(place.files, path).front(), known)});
  }
  for (const fs::path& path : place.KubeconfigPaths()) {
    holders.push_back(KubeconfigHolder(place, path, known));
  }
  return holders;
}

}  // namespace ca_rotation
