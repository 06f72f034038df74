#include "ca_rotation/ca_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/load.h"
#include "pki/cross_sign.h"
#include "pki/crypto.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;
using static_pods::Component;

constexpr std::string_view kSigningFlag = "--cluster-signing-cert-file=";
constexpr std::array kControlPlaneKubeconfigs = {config::kAdminConf, config::kSuperAdminConf,
                                                 config::kControllerManagerConf,
                                                 config::kSchedulerConf, config::kKubeletConf};
constexpr std::array kWorkerKubeconfigs = {config::kKubeletConf};

std::string PinOf(const pki::PublicKey& key) {
  return "sha256:" + base::HexEncode(pki::Sha256(key.Der()));
}

// Blocks cuts a text into its PEM blocks.
std::vector<std::string> Blocks(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::vector<std::string> blocks;
  for (std::size_t at = pem.find(kBegin); at != std::string_view::npos;) {
    const std::size_t next = pem.find(kBegin, at + 1);
    blocks.emplace_back(pem.substr(at, next - at));
    at = next;
  }
  return blocks;
}

std::string Joined(const std::vector<Anchor>& anchors) {
  std::string pem;
  for (const Anchor& anchor : anchors) {
    pem += anchor.pem;
  }
  return pem;
}

const Anchor* FindPin(const std::vector<Anchor>& anchors, std::string_view pin) {
  const auto found = std::ranges::find(anchors, pin, &Anchor::pin);
  return found == anchors.end() ? nullptr : &*found;
}

std::string_view AnchorSuffix(const Place& place) { return place.IsKeyOnly() ? "pub" : "crt"; }

fs::path SigningPath(const Place& place) { return place.Folder() / "signing.crt"; }

bool HasKubeconfigs(const Place& place) { return place.authority.row == certs::kCa; }

std::vector<fs::path> KubeconfigPaths(const Place& place) {
  std::vector<fs::path> paths;
  if (!HasKubeconfigs(place)) {
    return paths;
  }
  const std::span<const std::string_view> names =
      place.control_plane ? std::span<const std::string_view>(kControlPlaneKubeconfigs)
                          : std::span<const std::string_view>(kWorkerKubeconfigs);
  for (const std::string_view name : names) {
    if (const fs::path path = fs::path(config::kKubernetesDir) / name; place.files.Exists(path)) {
      paths.push_back(path);
    }
  }
  return paths;
}

// Leaves are the rows whose certificate is a file of its own.
std::vector<const certs::Renewable*> Leaves(const Place& place) {
  std::vector<const certs::Renewable*> leaves;
  for (const certs::Renewable& row : certs::Renewables()) {
    if (row.ca == place.authority.row && row.spec != nullptr && place.control_plane &&
        place.files.Exists(certs::CertPath(place.certs_dir, row.spec->base_name))) {
      leaves.push_back(&row);
    }
  }
  return leaves;
}

std::optional<std::string> SignerOf(const pki::Certificate& leaf,
                                    const std::vector<Anchor>& known) {
  for (const Anchor& anchor : known) {
    if (!pki::ChainProblem(leaf, {pki::Certificate::FromPem(anchor.pem)}, {})) {
      return anchor.pin;
    }
  }
  return std::nullopt;
}

// The old and the new one, as far as this node knows them.
std::vector<Anchor> KnownAnchors(const Place& place) {
  std::vector<Anchor> known = LiveAnchors(place);
  for (const Which which : {Which::kOld, Which::kNew}) {
    const auto saved = FindSaved(place, which);
    if (saved && FindPin(known, saved->pin) == nullptr) {
      known.push_back(*saved);
    }
  }
  return known;
}

Holder KubeconfigHolder(const Place& place, const fs::path& path,
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

void WriteIfOther(const Place& place, const fs::path& path, const std::string& content,
                  unsigned mode) {
  if (place.files.Find(path) != content) {
    place.files.Write(path, content, {.mode = mode, .directory_mode = 0700});
  }
}

void SetKubeconfigAnchors(const Place& place, const fs::path& path,
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
  pem = Joined(wanted);
  place.files.Write(path, config.Text(), {.mode = 0600});
}

// The controller manager signs with the certificate `to` if it signed with `from`.
std::set<Component> MoveSigningFlag(const Place& place, const fs::path& from, const fs::path& to) {
  if (place.authority.row != certs::kCa) {
    return {};
  }
  auto pod = static_pods::ReadManifest(place.files, Component::kControllerManager);
  if (!pod) {
    return {};
  }
  const std::string before = fmt::format("{}{}", kSigningFlag, from.string());
  bool changed = false;
  for (json::Value& word : (*pod)["spec"]["containers"][0]["command"]) {
    if (word == before) {
      word = fmt::format("{}{}", kSigningFlag, to.string());
      changed = true;
    }
  }
  if (!changed) {
    return {};
  }
  static_pods::WriteManifest(place.files, Component::kControllerManager, *pod);
  return {Component::kControllerManager};
}

// SignWithOne: between two authorities the controller manager signs with a file of its own.
std::set<Component> SignWithOne(const Place& place) {
  if (place.authority.row != certs::kCa) {
    return {};
  }
  WriteIfOther(place, SigningPath(place), LiveAnchors(place).front().pem, 0600);
  return MoveSigningFlag(place, place.AnchorsPath(), SigningPath(place));
}

// Files that are further than a step are left as they are: only the step's restarts are missing.
bool IsDone(const Place& place, const Anchor& fresh, Step step) {
  return StepDoneBy(ReadHolders(place, {}), fresh.pin) >= step;
}

Anchor Saved(const Place& place, Which which) {
  const auto saved = FindSaved(place, which);
  if (!saved) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{} and its key are missing", SavedAnchorPath(place, which).string()));
  }
  return *saved;
}

void CheckPair(const Place& place, Which which, const std::string& anchor_pem,
               const std::string& key_pem) {
  const std::vector<Anchor> anchors = ParseAnchors(anchor_pem);
  if (anchors.size() != 1 ||
      anchors.front().pin != PinOf(pki::PrivateKey::FromPem(key_pem).Public())) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} and {} do not belong together",
                                                   SavedAnchorPath(place, which).string(),
                                                   SavedKeyPath(place, which).string()));
  }
}

// What the API server shows of itself besides its own certificate. Between the two steps it shows
// that the old CA vouches for the new one: who knows only the old one, like a Pod that was not
// restarted, goes on trusting it.
enum class Vouching { kShown, kGone };

void SetVouching(const Place& place, const Anchor& fresh, Vouching vouching) {
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
  if (vouching == Vouching::kGone) {
    WriteIfOther(place, path, pem, 0644);
  } else if (!shown && !pki::ChainProblem(chain.front(), {ca}, {})) {
    pem += pki::CrossSign(ca, LoadSavedCa(place, Which::kOld)).Pem();
    WriteIfOther(place, path, pem, 0644);
  }
}

}  // namespace

fs::path Place::AnchorsPath() const {
  return certs_dir / fmt::format("{}.{}", authority.base_name, AnchorSuffix(*this));
}
fs::path Place::KeyPath() const { return certs::KeyPath(certs_dir, authority.base_name); }
fs::path Place::Folder() const { return certs_dir / "rotate-ca" / authority.name; }
bool Place::IsKeyOnly() const { return authority.row == certs::kServiceAccount; }

fs::path SavedAnchorPath(const Place& place, Which which) {
  return place.Folder() /
         fmt::format("{}.{}", which == Which::kOld ? "old" : "new", AnchorSuffix(place));
}

fs::path SavedKeyPath(const Place& place, Which which) {
  return place.Folder() / (which == Which::kOld ? "old.key" : "new.key");
}

std::vector<Anchor> ParseAnchors(std::string_view pem) {
  std::vector<Anchor> anchors;
  for (const std::string& block : Blocks(pem)) {
    if (block.starts_with("-----BEGIN PUBLIC KEY-----")) {
      const pki::PublicKey key = pki::PublicKey::FromPem(block);
      anchors.push_back({.pin = PinOf(key), .pem = key.Pem()});
    } else if (block.starts_with("-----BEGIN CERTIFICATE-----")) {
      const pki::Certificate certificate = pki::Certificate::FromPem(block);
      anchors.push_back({.pin = pki::Pin(certificate), .pem = certificate.Pem()});
    }
  }
  return anchors;
}

std::vector<Anchor> LiveAnchors(const Place& place) {
  const fs::path path = place.AnchorsPath();
  std::vector<Anchor> anchors =
      base::WithContext(path.string(), [&] { return ParseAnchors(place.files.Read(path)); });
  if (anchors.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} holds no {}", path.string(),
                            place.IsKeyOnly() ? "public key" : "certificate"));
  }
  return anchors;
}

std::optional<Anchor> FindSaved(const Place& place, Which which) {
  const auto pem = place.files.Find(SavedAnchorPath(place, which));
  const auto key = place.files.Find(SavedKeyPath(place, which));
  if (!pem || !key) {
    return std::nullopt;
  }
  CheckPair(place, which, *pem, *key);
  return ParseAnchors(*pem).front();
}

void SavePair(const Place& place, Which which, const std::string& anchor_pem,
              const std::string& key_pem) {
  CheckPair(place, which, anchor_pem, key_pem);
  WriteIfOther(place, SavedKeyPath(place, which), key_pem, 0600);
  WriteIfOther(place, SavedAnchorPath(place, which), anchor_pem, 0600);
}

Anchor NewPair(const Place& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start) {
  const pki::PrivateKey key = pki::PrivateKey::Generate(certs::AlgorithmFor(cluster));
  std::string pem = key.Public().Pem();
  if (!place.IsKeyOnly()) {
    const pki::Certificate old = certs::LoadChain(place.files, place.AnchorsPath()).front();
    pem = pki::NewSelfSignedCa({.subject = old.subject(),
                                .alt_names = old.alt_names(),
                                .usages = {},
                                .not_before = start - certs::kBackdate,
                                .not_after = certs::EndOf(start, certs::CaValidity(cluster))},
                               key)
              .Pem();
  }
  SavePair(place, Which::kNew, pem, base::SecretText(key.Pem()).text());
  return ParseAnchors(pem).front();
}

pki::KeyPair LoadSavedCa(const Place& place, Which which) {
  return {certs::LoadChain(place.files, SavedAnchorPath(place, which)).front(),
          certs::LoadKey(place.files, SavedKeyPath(place, which))};
}

std::vector<Holder> ReadHolders(const Place& place, const std::optional<Anchor>& fresh) {
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
    // Who signs comes first in the file.
    live.signer = live.trusts->front();
    holders.push_back({.name = place.KeyPath().string(),
                       .signer = PinOf(certs::LoadKey(place.files, place.KeyPath()).Public())});
  }
  holders.insert(holders.begin(), std::move(live));
  for (const certs::Renewable* row : Leaves(place)) {
    const fs::path path = certs::CertPath(place.certs_dir, row->spec->base_name);
    holders.push_back({.name = path.string(),
                       .signer = SignerOf(certs::LoadChain(place.files, path).front(), known)});
  }
  for (const fs::path& path : KubeconfigPaths(place)) {
    holders.push_back(KubeconfigHolder(place, path, known));
  }
  return holders;
}

std::vector<fs::path> TouchedFiles(const Place& place,
                                   const config::ClusterConfiguration& cluster) {
  std::vector<fs::path> paths = {place.AnchorsPath()};
  std::ranges::move(KubeconfigPaths(place), std::back_inserter(paths));
  if (!place.control_plane) {
    return paths;
  }
  paths.push_back(place.KeyPath());
  const certs::RenewalContext context{
      .files = place.files, .cluster = cluster, .kubeconfig_dir = config::kKubernetesDir};
  for (const certs::Renewable* row : Leaves(place)) {
    std::ranges::move(certs::FilesOf(*row, context), std::back_inserter(paths));
  }
  if (place.authority.row == certs::kCa) {
    paths.push_back(SigningPath(place));
    paths.push_back(static_pods::ManifestPath(Component::kControllerManager));
  }
  return paths;
}

void SetAnchors(const Place& place, const std::vector<Anchor>& anchors) {
  std::vector<Anchor> known = KnownAnchors(place);
  known.insert(known.end(), anchors.begin(), anchors.end());
  // The authority's own file last: on a worker nothing else tells which the old one is.
  for (const fs::path& path : KubeconfigPaths(place)) {
    base::WithContext(path.string(), [&] { SetKubeconfigAnchors(place, path, anchors, known); });
  }
  WriteIfOther(place, place.AnchorsPath(), Joined(anchors), 0644);
}

std::set<Component> WriteTrust(const Place& place) {
  const Anchor fresh = Saved(place, Which::kNew);
  if (!IsDone(place, fresh, Step::kTrust)) {
    if (!FindSaved(place, Which::kOld)) {
      SavePair(place, Which::kOld, LiveAnchors(place).front().pem,
               place.files.Read(place.KeyPath()));
    }
    SetAnchors(place, {Saved(place, Which::kOld), fresh});
  }
  return SignWithOne(place);
}

void WriteReissue(const Place& place, const certs::RenewalContext& renewal) {
  const Anchor fresh = Saved(place, Which::kNew);
  if (IsDone(place, fresh, Step::kReissue)) {
    return;
  }
  WriteIfOther(place, place.KeyPath(), place.files.Read(SavedKeyPath(place, Which::kNew)), 0600);
  SetAnchors(place, {fresh, Saved(place, Which::kOld)});
  SignWithOne(place);
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
  SetVouching(place, fresh, Vouching::kShown);
}

std::set<Component> WriteDrop(const Place& place) {
  const Anchor fresh = Saved(place, Which::kNew);
  SetVouching(place, fresh, Vouching::kGone);
  if (!IsDone(place, fresh, Step::kDrop)) {
    SetAnchors(place, {fresh});
  }
  return MoveSigningFlag(place, SigningPath(place), place.AnchorsPath());
}

void Backup(const Place& place, const std::vector<fs::path>& paths, const fs::path& folder) {
  std::vector<fs::path> all = paths;
  for (const Which which : {Which::kOld, Which::kNew}) {
    all.push_back(SavedAnchorPath(place, which));
    all.push_back(SavedKeyPath(place, which));
  }
  for (const fs::path& path : all) {
    if (const auto content = place.files.Find(path)) {
      place.files.Write(folder / path.relative_path(), *content,
                        {.mode = 0600, .keep_mode = false, .directory_mode = 0700});
    }
  }
}

}  // namespace ca_rotation
