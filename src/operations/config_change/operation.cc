// SPDX-License-Identifier: Apache-2.0
#include "config_change/operation.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "base/error.h"
#include "base/strings.h"
#include "certs/alt_names.h"
#include "certs/renewal.h"
#include "components/strays.h"
#include "config/paths.h"
#include "config_change/encryption.h"
#include "config_change/parts.h"
#include "control_plane/apply.h"
#include "control_plane/images.h"
#include "etcd_membership/own_member.h"
#include "kube/lease.h"
#include "kubelet/node_config.h"
#include "kubelet/wait.h"
#include "objects/leader.h"
#include "static_pods/static_pod.h"
#include "stored_config/fetch.h"
#include "stored_config/upload.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;
using control_plane::PodChange;
using engine::StepContext;

// A fact: the kube::MicroTime before the first Pod is replaced.
constexpr const char* kSince = "since";

std::string NamesOf(const std::vector<PodChange>& group) {
  std::vector<std::string> names;
  for (const PodChange& change : group) {
    names.push_back(base::Quoted(components::Name(change.component)));
  }
  return base::Join(names, " and ");
}

std::string LineOf(const std::vector<PodChange>& group) {
  std::vector<std::string> lines;
  for (const PodChange& change : group) {
    lines.push_back(
        fmt::format("{} is restarted on this node", components::Name(change.component)));
  }
  return base::Join(lines, "; ");
}

std::string LineOfStoring(const Plan& plan) {
  return std::string("the new configuration is stored in the cluster") +
         (plan.core_dns ? "; CoreDNS is brought up to date" : "") +
         (plan.kube_proxy ? "; kube-proxy is brought up to date on all nodes" : "");
}

// Returns whether the cluster's stored configuration is still the configuration of the change. Also
// returns true if `facts` do not identify the configuration of the change.
bool IsStoredAsLeft(const json::Value& facts, const config::StoredConfig& now) {
  const std::string hash = json::TextAt(facts, {kStoredAs});
  return hash.empty() || hash == HashOf(now);
}

Error Refusal(const std::string& reason) {
  return {Error::Kind::kConflict,
          fmt::format("nothing was changed: later changes would be rolled back as well: {}. Give "
                      "the old values to 'kubeadm config apply --set' instead, after "
                      "'kubeadm config confirm' if the change is on trial",
                      reason)};
}

// Returns the API server's address. Certificates, manifests and the stored configuration contain
// it.
std::string AddressHere(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
  return pod ? static_pods::CommandArg(*pod, "advertise-address").value_or("") : "";
}

// Returns the API server's Pod from before the change; std::nullopt if it was not replaced.
std::optional<json::Value> OldServer(const engine::Journal& journal, const host::Files& files) {
  const engine::FileBackup* backup =
      journal.FindBackup(components::ManifestPath(components::Component::kApiServer));
  return backup == nullptr ? std::nullopt
                           : std::optional(yaml::Parse(files.Read(backup->copy)).value);
}

}  // namespace

Plan PlanRest(const Recorded& recorded, const Sources& sources, const config::Init& to) {
  Plan plan = recorded.plan;
  plan.to = to;
  if (plan.pods.empty()) {  // always on a worker
    return plan;
  }
  for (config_change::Component& wanted : Rendered(sources, to)) {
    const auto change = std::ranges::find_if(plan.pods, [&](const PodChange& each) {
      return components::Name(each.component) == wanted.name;
    });
    if (change != plan.pods.end()) {
      change->pod = std::move(*wanted.should);
    }
  }
  return plan;
}

engine::Operation Change::ToOperation(json::Value intent) {
  engine::Operation operation{.name = std::string(kOperation),
                              .tag = "config",
                              .intent = std::move(intent),
                              .facts = FactsOf(before_, plan_),
                              .steps = {},
                              .can_roll_back = true,
                              .rolls_back_on_failure = true,
                              .earlier_files = EarlierFiles(),
                              .timer = &Timer()};
  const auto self = shared_from_this();
  if (!plan_.certificates.empty()) {
    operation.steps.push_back(
        {.id = std::string(kCertificatesStep),
         .line =
             fmt::format("certificates are issued again: {}", fmt::join(plan_.certificates, ", ")),
         .apply = [self](StepContext& context) { self->ReissueCertificates(context); }});
  }
  std::ranges::move(PodSteps(), std::back_inserter(operation.steps));
  if (plan_.kubelet) {
    operation.steps.push_back(
        {.id = std::string(kKubeletStep),
         .line = "the kubelet of this node is restarted; its Pods keep running",
         .apply = [self](StepContext& context) { self->ChangeKubelet(context); },
         .rollback = [](StepContext& context) { context.RestartKubelet(); }});
  }
  if (plan_.stores) {
    operation.steps.push_back(
        {.id = std::string(kStoreStep),
         .line = LineOfStoring(plan_),
         .where = engine::Where::kCluster,
         .apply = [self](StepContext& context) { self->StoreNew(context); },
         .rollback = [self](StepContext& context) { self->StoreOld(context); }});
  }
  return operation;
}

// The rollback of the first step restores the Pods of all steps together.
std::vector<engine::Step> Change::PodSteps() {
  const auto self = shared_from_this();
  std::vector<engine::Step> steps;
  for (const std::vector<PodChange>& group : control_plane::GroupsOf(plan_.pods)) {
    steps.push_back(
        {.id = PodsStep(group),
         .line = LineOf(group),
         .apply = [self, group](StepContext& context) { self->ChangePods(context, group); }});
  }
  if (!steps.empty()) {
    steps.front().rollback = [self](StepContext& context) { self->RestorePods(context); };
  }
  if (std::ranges::any_of(objects::kElecting,
                          [&](components::Component each) { return Touches(each); })) {
    steps.push_back({.id = "leaders",
                     .line = "the restarted components lead, and work",
                     .apply = [self](StepContext& context) { self->WaitForLeaders(context); }});
  }
  return steps;
}

void Change::RequireTriable() const { RequireSameKeysToTry(plan_, deps_.sources.host.files); }

void Change::PrepareRun() {
  if (TakesTurn()) {
    HoldLease();
    RequireStored(before_.stored, deps_.sources.client);
  }
  if (Touches(components::Component::kEtcd)) {
    RequireMajority(plan_.to, "nothing was changed");
  }
  if (control_plane::Changes(plan_.pods)) {
    base::WithContext("nothing was changed", [&] {
      components::RequireNoStrays(deps_.sources.host.files);
      kubelet::RequireRunning(deps_.sources.host, deps_.stop);
    });
    const auto runtime = deps_.connect_runtime(before_.node.node_registration.cri_socket);
    control_plane::RequireImages(
        plan_.pods,
        {.clock = deps_.sources.host.clock, .runtime = *runtime, .policy = "", .stop = deps_.stop});
  }
}

void Change::PrepareResumed(const engine::Journal& journal) {
  must_check_stored_ =
      !journal.HasBegun(kStoreStep) || !json::TextAt(journal.facts, {kStoredAs}).empty();
  TakeLeaseIfServed("this node is changed first");
}

void Change::RequireReversible(const engine::Journal& journal) const {
  if (!journal.IsApplied()) {
    return;
  }
  const host::Files& files = deps_.sources.host.files;
  std::vector<std::string> reasons;
  for (const std::string& file : engine::ChangedFiles(journal, files)) {
    reasons.push_back(
        fmt::format("{} {}", file, files.Exists(file) ? "is another one now" : "is gone"));
  }
  const std::string& address = before_.node.local_api_endpoint.advertise_address;
  const std::string here = AddressHere(files);
  if (!here.empty() && !address.empty() && here != address) {
    reasons.push_back(fmt::format("this node has moved from {} to {}", address, here));
  }
  if (!reasons.empty()) {
    throw Refusal(base::Join(reasons, "; "));
  }
}

void Change::PrepareRollback(const engine::Journal& journal) {
  const auto stored = TakeLeaseIfServed("this node is rolled back first");
  if (!stored || !journal.IsApplied()) {
    return;
  }
  if (!IsStoredAsLeft(journal.facts, *stored)) {
    throw Refusal("the cluster's configuration has changed since");
  }
  // The keys are checked only if the API server answers. A server that does not answer writes no
  // objects, and the rollback may be necessary because of its encryption keys.
  const host::Files& files = deps_.sources.host.files;
  RequireSameKeysToUndo(files, OldServer(journal, files));
}

void Change::ReissueCertificates(StepContext& context) const {
  for (const std::string_view name : plan_.certificates) {
    const certs::Renewable& row = certs::FindRenewable(name);
    const auto names = [&](const pki::SubjectAltNames&) {
      return certs::AltNamesOf(*row.spec, plan_.to);
    };
    const auto new_key = [&] {
      return pki::PrivateKey::Generate(certs::AlgorithmFor(plan_.to.cluster));
    };
    context.ReissueCertificate(row, {.files = context.host().files,
                                     .cluster = plan_.to.cluster,
                                     .kubeconfig_dir = host::fs::path(config::kKubernetesDir),
                                     .start = deps_.start,
                                     .new_key = new_key,
                                     .names = names});
  }
}

static_pods::RestartContext Change::RestartBy(StepContext& context, cri::Runtime& runtime,
                                              const config::Init& config) const {
  static_pods::RestartContext restart = context.RestartBy(
      runtime,
      static_pods::ServingProbes(context.host(), config.cluster, config.init.local_api_endpoint));
  restart.limit = deps_.limit;
  restart.restart_kubelet = context.RestartForLostPods();
  return restart;
}

void Change::ChangePods(StepContext& context, const std::vector<PodChange>& group) const {
  const auto runtime = deps_.connect_runtime(before_.node.node_registration.cri_socket);
  const static_pods::RestartContext restart = RestartBy(context, *runtime, plan_.to);
  if (json::At(context.Facts(), {kSince}).is_null()) {
    context.SetFact(kSince, kube::MicroTime(context.host().clock));
  }
  base::WithContext(fmt::format("could not change {}", NamesOf(group)), [&] {
    if (group.front().what == PodChange::What::kRestart) {
      static_pods::Restart(std::array{group.front().component}, restart);
      return;
    }
    context.Say("Replacing the static Pod of " + NamesOf(group));
    context.ReplacePods(control_plane::ReplacementsOf(group), restart);
    for (const PodChange& change : group) {
      context.Say(
          fmt::format("Component {} serves", base::Quoted(components::Name(change.component))));
    }
  });
}

// Waits until the components that elect a leader have one. They already serve before that.
void Change::WaitForLeaders(StepContext& context) const {
  const Sources& sources = deps_.sources;
  const std::string since = json::TextAt(context.Facts(), {kSince});
  std::vector<static_pods::ComponentProbe> probes;
  for (const components::Component component : objects::kElecting) {
    if (Touches(component) && objects::Elects(sources.host.files, component)) {
      probes.push_back({.name = std::string(components::Name(component)),
                        .url = {},
                        .probe = static_pods::UntilAnswered(
                            objects::LeadProbe(sources.client, sources.host, component, since))});
    }
  }
  if (probes.empty()) {
    return;
  }
  context.Say("Waiting until the restarted components are leaders and serve");
  objects::ReleaseLeases({.client = sources.client, .host = sources.host, .stop = context.Stop()});
  const auto runtime = deps_.connect_runtime(before_.node.node_registration.cri_socket);
  static_pods::WaitForProbes(probes, sources.host.clock.Now(),
                             RestartBy(context, *runtime, plan_.to));
}

void Change::RestorePods(StepContext& context) const {
  const config::Init before = ConfigBefore();
  const auto is_replaced = [&](components::Component component) {
    return context.HasBackup(components::ManifestPath(component));
  };
  // Pods that were restarted only for their certificate are restarted with the old certificate.
  std::vector<components::Component> others = components::ComponentsUsing(plan_.certificates);
  std::erase_if(others, is_replaced);
  if (is_replaced(components::Component::kEtcd) ||
      std::ranges::contains(others, components::Component::kEtcd)) {
    RequireMajority(before, "the static Pods are not rolled back now");
  }
  const auto runtime = deps_.connect_runtime(before_.node.node_registration.cri_socket);
  const static_pods::RestartContext restart = RestartBy(context, *runtime, before);
  context.RestorePods(restart);
  static_pods::Restart(others, restart);
}

void Change::ChangeKubelet(StepContext& context) const {
  context.Say("Replacing the kubelet's configuration");
  const host::fs::path file(kubelet::kConfigFile);
  context.BackupFile(file);
  kubelet::WriteNodeConfig(context.host().files, NodeKubeletConfig(deps_.sources, plan_.to));
  context.RecordWritten(file);
  context.RestartKubelet();
}

void Change::StoreNew(StepContext& context) {
  HoldLease();
  if (must_check_stored_) {
    // From here on, a rollback restores the stored configuration only if it still has this hash.
    context.SetFact(kStoredAs, HashOf(before_.stored));
    RequireStored(before_.stored, deps_.sources.client);
    context.SetFact(kStoredAs, "");
  }
  Store(plan_.to, context);
  WaitForAddons(plan_.to, context);
  context.SetFact(kStoredAs, HashOf(Stored()));
}

void Change::StoreOld(StepContext& context) {
  // Throws before the wait for the Lease if the cluster does not answer; a later call retries.
  Stored();
  HoldLease();
  if (!IsStoredAsLeft(context.Facts(), Stored())) {
    context.Say(
        "The stored configuration has changed since, and stays; 'kubeadm config apply node' "
        "applies it to this node");
    return;
  }
  context.SetFact(kStoredAs, "");  // from now on, the stored configuration may be partly written
  const config::Init before = ConfigBefore();
  Store(before, context);
  try {
    WaitForAddons(before, context);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kTimeout) {
      throw;
    }
    context.Say("It continues by itself: " + error.message());
  }
}

void Change::Store(const config::Init& config, StepContext& context) const {
  const Sources& sources = deps_.sources;
  context.Say("Storing the configuration in the cluster");
  stored_config::UploadKubeadmConfig(sources.client, config.cluster);
  stored_config::UploadKubeletConfig(sources.client, config.cluster.kubelet);
  if (plan_.kube_proxy && !config.cluster.proxy.disabled) {
    addons::ApplyKubeProxy(
        sources.client, config,
        {.proxies = static_pods::ProxyEnvironment(sources.host.environment.All()),
         .patches = sources.patches});
    // kube-proxy's Pods read their settings only at their start, and their template may be
    // unchanged.
    addons::RestartKubeProxy(sources.client, sources.host.clock.NowSeconds());
  }
  if (plan_.core_dns && !config.cluster.dns.disabled) {
    addons::ApplyCoreDns(sources.client, config.cluster, {.patches = sources.patches});
  }
}

void Change::WaitForAddons(const config::Init& config, StepContext& context) const {
  if (plan_.kube_proxy && !config.cluster.proxy.disabled) {
    context.Say("Waiting for kube-proxy's Pods, which are replaced one after the other");
    addons::WaitForKubeProxy(
        deps_.sources.client,
        {.clock = context.host().clock, .patience = deps_.limit, .stop = context.Stop()});
  }
}

bool Change::Touches(components::Component component) const {
  return std::ranges::any_of(plan_.pods, [&](const PodChange& change) {
    return change.component == component && change.what != PodChange::What::kNothing;
  });
}

// Returns whether the change takes the ClusterLease. A worker takes it only to store a
// configuration, because kubelets may not write the Lease.
bool Change::TakesTurn() const {
  return plan_.stores ||
         stored_config::RoleOf(deps_.sources.host.files) == stored_config::Role::kControlPlane;
}

void Change::HoldLease() {
  if (!lease_) {
    lease_.emplace(deps_.sources.client, deps_.sources.host, before_.node.node_registration.name,
                   deps_.say);
  }
}

std::optional<config::StoredConfig> Change::TakeLeaseIfServed(std::string_view otherwise) {
  if (!TakesTurn()) {
    return std::nullopt;
  }
  try {
    // Queries the server before and after it takes the Lease. An API server that an interrupted run
    // was replacing may answer once more before it stops.
    Stored();
    HoldLease();
    return Stored();
  } catch (const Error& error) {
    deps_.say(fmt::format("The cluster does not answer; {}: {}", otherwise, error.message()));
    lease_.reset();
    return std::nullopt;
  }
}

config::StoredConfig Change::Stored() const {
  return stored_config::FetchStoredConfig(deps_.sources.client);
}

// Returns the configuration in the journal, which is available without the cluster.
config::Init Change::ConfigBefore() const {
  return config::LoadStored(before_.stored, before_.node, deps_.sources.facts,
                            {.cri_socket = config::CriSocketChoice::kAssume,
                             .advertise_address = config::AdvertiseAddress::kKeep});
}

void Change::RequireMajority(const config::Init& config, std::string_view consequence) const {
  if (const auto problem =
          etcd_membership::RestartProblem({deps_.sources.host, config, deps_.stop, deps_.say})) {
    throw Error(Error::Kind::kUnavailable, fmt::format("{}: {}", consequence, *problem));
  }
}

}  // namespace config_change
