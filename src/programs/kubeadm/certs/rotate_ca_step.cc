#include "kubeadm/certs/rotate_ca_step.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/api_trust.h"
#include "ca_rotation/ca_cluster.h"
#include "ca_rotation/kubelet_certificate.h"
#include "static_pods/restart.h"
#include "config/paths.h"
#include "cri/runtime.h"
#include "json/rfc3339.h"
#include "kubeadm/certs/rotate_ca_etcd.h"
#include "kubeadm/certs/rotate_ca_pair.h"
#include "kubeadm/local_runtime.h"
#include "kubeadm/terminal.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "static_pods/endpoints.h"
#include "yaml/yaml.h"

namespace kubeadm {
namespace {

namespace fs = host::fs;
using base::Error;
using ca_rotation::Anchor;
using ca_rotation::Place;
using ca_rotation::Record;
using ca_rotation::Step;
using ca_rotation::Which;
using static_pods::Component;

constexpr std::chrono::seconds kRuntimePatience{10};
constexpr std::chrono::milliseconds kReloadPatience{90'000};
constexpr std::chrono::milliseconds kClusterPatience{240'000};
constexpr std::chrono::milliseconds kApprovalPatience{120'000};

kube::WaitOptions Waiting(std::chrono::milliseconds limit) {
  return {.most = std::chrono::milliseconds(500),
          .limit = limit,
          .stop = InterruptToken(),
          .culprit = {}};
}

bool IsKubernetes(const RotatingNode& node) { return node.authority.row == certs::kCa; }

std::string ApiServerUrl(const RotatingNode& node) {
  const auto pod = static_pods::ReadManifest(node.host.files, Component::kApiServer);
  return static_pods::EndpointOf(Component::kApiServer, pod.value_or(json::Value::object()),
                                 node.config.init.local_api_endpoint)
      .Url();
}

// ---- before ----

void RestartAddons(const RotatingNode& node, const Record& record, const Say& say) {
  kube::Client client = node.NewClient();
  say("[rotate-ca] Restarting the Pods of kube-proxy and CoreDNS, unless that was done already");
  ca_rotation::RestartAddons(client, record.pin);
  kube::WaitUntil(static_pods::UntilAnswered(ca_rotation::AddonsProbe(client)),
                  Waiting(kClusterPatience));
}

// Whom kubeadm has made shall not depend on the old one's vouching for the new one.
void LetPodsTrust(const RotatingNode& node, const Record& record, const Say& say) {
  kube::Client client = node.NewClient();
  say("[rotate-ca] Waiting until Pods are given the new certificate (ConfigMap kube-root-ca.crt)");
  kube::WaitUntil(static_pods::UntilAnswered(ca_rotation::PodsTrustProbe(client, record.pin)),
                  Waiting(kClusterPatience));
  RestartAddons(node, record, say);
}

void RefuseOldTokens(const RotatingNode& node) {
  const auto old = ca_rotation::FindSaved(node.place(), Which::kOld);
  if (!old) {
    return;
  }
  kube::Client client = node.NewClient();
  const std::vector<std::string> names = ca_rotation::OldTokenSecrets(client, old->pin);
  if (!names.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("tokens in these Secrets would no longer be valid: {}; have each "
                    "written anew first: kubectl -n NAMESPACE patch secret NAME --type=json "
                    "-p '[{{\"op\":\"remove\",\"path\":\"/data/token\"}}]'",
                    base::Join(names, ", ")));
  }
}

void Prepare(const RotatingNode& node, const Record& record, Step step, const Say& say) {
  if (!node.control_plane) {
    return;
  }
  if (IsKubernetes(node) && step == Step::kReissue) {
    LetPodsTrust(node, record, say);
  }
  if (node.place().IsKeyOnly() && step == Step::kDrop) {
    RefuseOldTokens(node);
    if (node.options.early) {
      RestartAddons(node, record, say);
    }
  }
  if (node.authority.row == certs::kEtcdCa && step != Step::kReissue) {
    CheckEtcdBeforeRestart(node);
  }
}

// ---- files ----

std::vector<fs::path> FilesOf(const RotatingNode& node) {
  std::vector<fs::path> paths = ca_rotation::TouchedFiles(node.place(), node.config.cluster);
  if (IsKubernetes(node)) {
    const ca_rotation::KubeletClient kubelet = ca_rotation::FindKubeletClient(node.host.files);
    if (!kubelet.file.empty()) {
      paths.push_back(kubelet.file);
    }
  }
  return paths;
}

std::string KeepOld(const RotatingNode& node, Step step, const std::vector<fs::path>& paths) {
  const fs::path folder =
      fs::path(config::kTmpDir) / fmt::format("kubeadm-rotate-ca-{}-{}-{:%Y-%m-%d-%H-%M-%S}",
                                              node.authority.name, ca_rotation::NameOf(step),
                                              fmt::gmtime(node.Now().time_since_epoch().count()));
  ca_rotation::Backup(node.place(), paths, folder);
  return node.host.files.Location(folder).string();
}

certs::RenewalContext RenewalOf(const RotatingNode& node) {
  const pki::Algorithm algorithm = certs::AlgorithmFor(node.config.cluster);
  return {
      .files = node.host.files,
      .cluster = node.config.cluster,
      .kubeconfig_dir = config::kKubernetesDir,
      .start = node.Now(),
      .new_key = [algorithm] { return pki::PrivateKey::Generate(algorithm, InterruptToken()); }};
}

// The signer of the cluster follows its leader; a node of the control plane has the key itself.
pki::KeyPair NewKubeletPair(const RotatingNode& node, const ca_rotation::KubeletClient& old,
                            const Say& say) {
  if (!node.control_plane) {
    kube::Client client = node.NewClient();
    return ca_rotation::RequestKubeletCertificate(
        client, {.subject = old.certificate.subject(),
                 .name = fmt::format("rotate-ca-{}-{}", node.name,
                                     base::HexEncode(node.host.random.Bytes(4))),
                 .waiting = Waiting(kApprovalPatience),
                 .say = [&](const std::string& line) { say("[rotate-ca] " + line); }});
  }
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto now = node.Now();
  return {pki::Sign({.subject = old.certificate.subject(),
                     .alt_names = {},
                     .usages = {pki::ExtendedKeyUsage::kClientAuth},
                     .not_before = now - certs::kBackdate,
                     .not_after = certs::EndOf(now, certs::LeafValidity(node.config.cluster))},
                    key.Public(), ca_rotation::LoadSavedCa(node.place(), Which::kNew)),
          key};
}

void ReissueKubelet(const RotatingNode& node, const Record& record, const Say& say) {
  const pki::Certificate ca = pki::Certificate::FromPem(record.pem);
  const ca_rotation::KubeletClient old = ca_rotation::FindKubeletClient(node.host.files);
  if (pki::ChainProblem(old.certificate, {ca}, {}).empty()) {
    return;
  }
  const pki::KeyPair pair = NewKubeletPair(node, old, say);
  if (!pki::ChainProblem(pair.certificate, {ca}, {}).empty()) {
    throw Error(Error::Kind::kUnavailable,
                "the controller manager that leads still signs with the old authority: first do "
                "this step on all nodes of the control plane");
  }
  ca_rotation::SaveKubeletClient(node.host.files, old, pair);
}

std::set<Component> WriteWorker(const RotatingNode& node, const Record& record, Step step,
                                const Say& say) {
  const Place place = node.place();
  const Anchor fresh{.pin = record.pin, .pem = record.pem};
  std::vector<Anchor> anchors = ca_rotation::LiveAnchors(place);
  std::erase(anchors, fresh);
  switch (step) {
    case Step::kTrust:
      anchors.push_back(fresh);
      ca_rotation::SetAnchors(place, anchors);
      break;
    case Step::kReissue:
      ReissueKubelet(node, record, say);
      break;
    case Step::kDrop:
      ca_rotation::SetAnchors(place, {fresh});
      break;
  }
  return {};
}

std::set<Component> WriteFiles(const RotatingNode& node, const Record& record, Step step,
                               const Say& say) {
  if (!node.control_plane) {
    return WriteWorker(node, record, step, say);
  }
  if (step == Step::kTrust) {
    return ca_rotation::WriteTrust(node.place());
  }
  if (step == Step::kDrop) {
    return ca_rotation::WriteDrop(node.place());
  }
  ca_rotation::WriteReissue(node.place(), RenewalOf(node));
  if (IsKubernetes(node)) {
    ReissueKubelet(node, record, say);
  }
  return {};
}

// ---- after ----

// Moment is a time as the kubelet writes it into its lease: with microseconds, so that these texts
// sort like the times.
std::string Moment(const RotatingNode& node) {
  const auto now = std::chrono::floor<std::chrono::microseconds>(node.host.clock.Now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  std::string text = json::FormatRfc3339(seconds);
  text.pop_back();
  return fmt::format("{}.{:06}Z", text, (now - seconds).count());
}

// LeaseProbe: whoever holds the lease has renewed it since. The kubelet that does so runs, and it
// and the API server know each other.
struct LeaseName {
  std::string name_space;
  std::string name;
};
kube::Probe LeaseProbe(kube::Client& client, LeaseName lease, std::string since) {
  return [&client, lease = std::move(lease),
          since = std::move(since)](const std::stop_token&) -> std::string {
    const json::Value object = client.Get(kube::resources::kLease, lease.name_space, lease.name);
    const std::string renewed = json::TextAt(object, {"spec", "renewTime"});
    return renewed > since ? ""
                           : fmt::format("lease {}/{} has not been renewed since {}",
                                         lease.name_space, lease.name, renewed);
  };
}

// A controller manager serves before it leads, and what it writes has to wait until then.
void AwaitControllers(const RotatingNode& node, const std::string& since, const Say& say) {
  say("[rotate-ca] Waiting for a controller manager that leads");
  kube::Client client = node.NewClient();
  kube::WaitUntil(
      static_pods::UntilAnswered(LeaseProbe(
          client, {.name_space = "kube-system", .name = std::string(config::kControllerManager)},
          since)),
      Waiting(kReloadPatience));
}

void RestartKubelet(const RotatingNode& node, const Say& say) {
  using Outcome = kubelet::ServiceResult::Outcome;
  say("[rotate-ca] Restarting the kubelet");
  const kubelet::ServiceResult result = kubelet::RestartKubelet(node.host);
  const std::string since = Moment(node);
  if (result.outcome == Outcome::kFailed) {
    throw Error(fmt::format("the kubelet cannot be restarted: {}", result.problem));
  }
  if (result.outcome != Outcome::kDone) {
    say("[rotate-ca] There is no service manager to do it: restart the kubelet yourself, now");
  }
  kube::Client client = node.NewClient();
  base::WithContext("the kubelet does not come back", [&] {
    kube::WaitUntil(static_pods::UntilAnswered(LeaseProbe(
                        client, {.name_space = "kube-node-lease", .name = node.name}, since)),
                    Waiting(kReloadPatience));
  });
  say("[rotate-ca] The kubelet is back");
}

// What is read anew without a restart, and how to see that it was.
std::vector<kube::Probe> ReloadProbes(const RotatingNode& node, Step step) {
  const Place place = node.place();
  if (!node.control_plane || place.IsKeyOnly()) {
    return {};
  }
  if (node.authority.row == certs::kEtcdCa) {
    if (step != Step::kReissue) {
      return {};
    }
    return {static_pods::ServingProbes(node.host, node.config.cluster,
                                   node.config.init.local_api_endpoint)(Component::kEtcd)};
  }
  const Which which = step == Step::kDrop ? Which::kOld : Which::kNew;
  if (!ca_rotation::FindSaved(place, which)) {
    return {};
  }
  return {ca_rotation::TrustProbe({.url = ApiServerUrl(node),
                                   .authority = node.authority,
                                   .ca = ca_rotation::LoadSavedCa(place, which),
                                   .now = node.Now(),
                                   .wanted = step == Step::kDrop ? ca_rotation::Trust::kWithdrawn
                                                                 : ca_rotation::Trust::kGiven})};
}

void TellCluster(const RotatingNode& node, Step step) {
  if (!node.control_plane || node.place().IsKeyOnly()) {
    return;
  }
  kube::Client client = node.NewClient();
  if (IsKubernetes(node)) {
    ca_rotation::PublishCa(client, ca_rotation::LiveAnchors(node.place()));
  }
  const auto old = ca_rotation::FindSaved(node.place(), Which::kOld);
  if (step == Step::kDrop && old && node.authority.row != certs::kEtcdCa) {
    ca_rotation::ForgetOldCa(client, node.authority, old->pin);
  }
}

// An API server that verifies kubelets reads their CA only once.
ca_rotation::Restarts RestartsHere(const RotatingNode& node, Step step) {
  ca_rotation::Restarts restarts = ca_rotation::RestartsOf(node.authority, step);
  if (!node.control_plane || !IsKubernetes(node) || step == Step::kReissue) {
    return restarts;
  }
  const auto pod = static_pods::ReadManifest(node.host.files, Component::kApiServer);
  if (pod && static_pods::CommandArg(*pod, "kubelet-certificate-authority")) {
    restarts.components.insert(restarts.components.begin(), Component::kApiServer);
  }
  return restarts;
}

class StepRun {
 public:
  StepRun(const RotatingNode& node, const Record& record, Step step, const Say& say)
      : node_(node), record_(record), step_(step), say_(say), restarts_(RestartsHere(node, step)) {}

  StepOutcome Do() {
    Prepare(node_, record_, step_, say_);
    const std::vector<fs::path> paths = FilesOf(node_);
    const static_pods::Snapshot before(node_.host.files, paths);
    StepOutcome outcome{
        .restarted = {}, .backup = KeepOld(node_, step_, paths), .certificate_key = {}};
    say_(fmt::format("[rotate-ca] What this step replaces is kept in {}", outcome.backup));
    if (node_.control_plane) {
      kube::Client client = node_.NewClient();
      ca_rotation::SetStep(client, node_.authority, step_);
      WriteAndRestart(before, outcome);
    } else {
      WriteFiles(node_, record_, step_, say_);
    }
    if (restarts_.kubelet) {
      RestartKubeletOrRestore(before);
      outcome.restarted.emplace_back("kubelet");
    }
    TellCluster(node_, step_);
    if (node_.control_plane &&
        std::ranges::find(restarts_.components, Component::kControllerManager) !=
            restarts_.components.end()) {
      AwaitControllers(node_, restarted_, say_);
    }
    return outcome;
  }

 private:
  void WriteAndRestart(const static_pods::Snapshot& before, StepOutcome& outcome) {
    const auto runtime = cri::Connect(LocalCriSocket(node_.host), kRuntimePatience);
    static_pods::RestartContext context{
        .host = node_.host,
        .runtime = *runtime,
        .probe_of = static_pods::ServingProbes(node_.host, node_.config.cluster,
                                           node_.config.init.local_api_endpoint),
        .stop = InterruptToken(),
        .restart_kubelet = [this] { RestartKubelet(node_, say_); },
        .say = [this](const std::string& line) { say_("[rotate-ca] " + line); }};
    const auto manager = static_pods::FindRunning(Component::kControllerManager, *runtime);
    if (!WriteFiles(node_, record_, step_, say_).empty()) {
      context.replaced.push_back(manager);
    }
    for (const Component component : restarts_.components) {
      outcome.restarted.emplace_back(static_pods::Name(component));
    }
    static_pods::RestartOrRestore(restarts_.components, before, context);
    restarted_ = Moment(node_);
    AwaitReload(before);
  }

  // On a worker nothing else uses the files, so that the old ones may come back.
  void RestartKubeletOrRestore(const static_pods::Snapshot& before) {
    try {
      RestartKubelet(node_, say_);
    } catch (const Error& error) {
      if (node_.control_plane || error.kind() == Error::Kind::kCancelled) {
        throw;
      }
      before.Restore();
      kubelet::RestartKubelet(node_.host);
      throw Error(fmt::format("{}; the old files are back", error.message()));
    }
  }

  void AwaitReload(const static_pods::Snapshot& before) {
    try {
      for (const kube::Probe& probe : ReloadProbes(node_, step_)) {
        kube::WaitUntil(static_pods::UntilAnswered(probe), Waiting(kReloadPatience));
      }
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        throw;
      }
      before.Restore();
      throw Error(fmt::format("{}; the old files are back", error.message()));
    }
  }

  const RotatingNode& node_;
  const Record& record_;
  Step step_;
  const Say& say_;
  ca_rotation::Restarts restarts_;
  std::string restarted_;  // when the last static Pod was
};

}  // namespace

StepOutcome RunStep(const RotatingNode& node, const Record& record, Step step, const Say& say) {
  StepOutcome outcome = StepRun(node, record, step, say).Do();
  kube::Client client = node.NewClient();
  ca_rotation::SetMark(client, node.name, node.authority,
                       {.step = step, .pin = record.pin, .at = node.Now()});
  if (step == Step::kDrop) {
    RemoveSavedPairs(node);
  }
  return outcome;
}

}  // namespace kubeadm
