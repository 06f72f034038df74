// SPDX-License-Identifier: Apache-2.0
#include "config_change/apply.h"

#include <fmt/core.h>

#include <algorithm>

#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "backups/directory.h"
#include "base/error.h"
#include "base/strings.h"
#include "certs/alt_names.h"
#include "certs/create.h"
#include "components/strays.h"
#include "config/paths.h"
#include "config_change/encryption.h"
#include "config_change/parts.h"
#include "config_change/traces.h"
#include "config_change/trial.h"
#include "etcd_membership/own_member.h"
#include "kube/lease.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "stored_config/fetch.h"
#include "stored_config/upload.h"
#include "upgrade/apply.h"
#include "upgrade/leader.h"
#include "upgrade/prerequisites.h"

namespace config_change {
namespace {

using base::Error;
using host::fs::path;
using upgrade::PodChange;

constexpr std::size_t kIdBytes = 8;

// A file of the journal's directory; etcd's and the API server's files are distinguished by their
// CA's directory.
path Kept(const path& file, const Change& change) {
  return path(change.directory) /
         (file.parent_path().filename().string() + "-" + file.filename().string());
}

void Keep(const path& file, const Change& change, host::Files& files) {
  files.Write(Kept(file, change), files.Read(file), {.mode = 0600});
}

void PutBackFile(const path& file, const Change& change, host::Files& files, unsigned mode) {
  files.Write(file, files.Read(Kept(file, change)), {.mode = mode});
}

void Reissue(std::string_view name, const Plan& plan, const Engine& engine) {
  host::Files& files = engine.sources.host.files;
  for (const path& file : PairOf(name, plan.to.cluster.certificates_dir)) {
    files.Remove(file);
  }
  certs::PeriodLog periods(engine.start);
  certs::SigningCas cas;
  certs::Ensure(
      certs::FindSpec(name),
      {.files = files,
       .config = plan.to,
       .start = engine.start,
       .new_key = [&] { return pki::PrivateKey::Generate(certs::AlgorithmFor(plan.to.cluster)); },
       .periods = periods,
       .cas = cas});
  engine.say(fmt::format("The certificate {} is issued again", name));
}

// The inputs of ApplyChanges and PutBack of the library upgrade.
struct Pods {
  Pods(const config::Init& config, upgrade::Record& record, const Change& change,
       const Engine& engine)
      : restart{.host = engine.sources.host,
                .runtime = engine.runtime,
                .probe_of = static_pods::ServingProbes(engine.sources.host, config.cluster,
                                                       config.init.local_api_endpoint),
                .limit = engine.limit,
                .stop = engine.stop,
                .restart_kubelet =
                    [&engine] {
                      engine.say("Restarting the kubelet, which does not start the Pods");
                      kubelet::RestartKubelet(engine.sources.host);
                    },
                .say = engine.say},
        upgrade{.host = engine.sources.host,
                .restart = restart,
                .record = record,
                .backup_directory = [directory = path(change.directory)] { return directory; },
                .say = engine.say,
                .verb = "change"} {}
  Pods(const Pods&) = delete;  // `upgrade` refers to `restart`
  Pods& operator=(const Pods&) = delete;

  static_pods::RestartContext restart;
  upgrade::PodUpgrade upgrade;
};

bool Touches(const std::vector<PodChange>& changes, components::Component component) {
  return std::ranges::any_of(changes, [&](const PodChange& change) {
    return change.component == component && change.what != PodChange::What::kNothing;
  });
}

// A component that elects a leader serves before it works. `since` is a kube::MicroTime.
void WaitForLeaders(const std::vector<PodChange>& changes, const std::string& since,
                    const static_pods::RestartContext& restart, const Engine& engine) {
  const Sources& sources = engine.sources;
  std::vector<static_pods::ComponentProbe> probes;
  for (const components::Component component : upgrade::kElecting) {
    if (Touches(changes, component) && upgrade::Elects(sources.host.files, component)) {
      probes.push_back({.name = std::string(components::Name(component)),
                        .url = {},
                        .probe = static_pods::UntilAnswered(
                            upgrade::LeadProbe(sources.client, sources.host, component, since))});
    }
  }
  if (probes.empty()) {
    return;
  }
  engine.say("Waiting until what was restarted leads, and works");
  upgrade::ReleaseLeases({.client = sources.client, .host = sources.host, .stop = engine.stop});
  static_pods::WaitForProbes(probes, sources.host.clock.Now(), restart);
}

void RequireMajority(const config::Init& config, std::string_view so_far, const Engine& engine) {
  if (const auto problem =
          etcd_membership::RestartProblem({engine.sources.host, config, engine.stop, engine.say})) {
    throw Error(Error::Kind::kUnavailable, fmt::format("{}: {}", so_far, *problem));
  }
}

void RestartKubelet(const Engine& engine) {
  kubelet::RestartIfService(engine.sources.host);
  kubelet::RequireRunning(engine.sources.host, engine.stop);
}

void ChangeKubelet(const Plan& plan, const Engine& engine) {
  engine.say("Replacing the kubelet's configuration and restarting it");
  kubelet::WriteNodeConfig(engine.sources.host.files, NodeKubeletConfig(engine.sources, plan.to));
  RestartKubelet(engine);
}

void ChangeAddons(const config::Init& config, const Change& change, const Engine& engine) {
  const Sources& sources = engine.sources;
  if (change.kube_proxy && !config.cluster.proxy.disabled) {
    addons::ApplyKubeProxy(
        sources.client, config,
        {.proxies = static_pods::ProxyEnvironment(sources.host.environment.All()),
         .patches = sources.patches});
    // Its Pods read their settings at their start; the template may be unchanged.
    addons::RestartKubeProxy(sources.client, sources.host.clock.NowSeconds());
  }
  if (change.core_dns && !config.cluster.dns.disabled) {
    addons::ApplyCoreDns(sources.client, config.cluster, {.patches = sources.patches});
  }
}

void Store(const config::Init& config, const Change& change, const Engine& engine) {
  engine.say("Storing the configuration in the cluster");
  stored_config::UploadKubeadmConfig(engine.sources.client, config.cluster);
  stored_config::UploadKubeletConfig(engine.sources.client, config.cluster.kubelet);
  ChangeAddons(config, change, engine);
}

void WaitForAddons(const config::Init& config, const Change& change, const Engine& engine) {
  if (change.kube_proxy && !config.cluster.proxy.disabled) {
    engine.say("Waiting for kube-proxy's Pods, which are replaced one after the other");
    addons::WaitForKubeProxy(
        engine.sources.client,
        {.clock = engine.sources.host.clock, .patience = engine.limit, .stop = engine.stop});
  }
}

// Copies of all replaced files, except manifests, which ApplyChanges keeps.
void KeepFiles(const Plan& plan, Change& change, const Engine& engine) {
  host::Files& files = engine.sources.host.files;
  change.directory = backups::MakeDirectory(engine.sources.host, "kubeadm-config-change").string();
  for (const std::string_view name : plan.certificates) {
    for (const path& file : PairOf(name, plan.to.cluster.certificates_dir)) {
      Keep(file, change, files);
    }
    change.certificates.emplace_back(name);
  }
  change.kubelet = plan.kubelet && files.Exists(kubelet::kConfigFile);
  if (change.kubelet) {
    Keep(path(kubelet::kConfigFile), change, files);
  }
  change.core_dns = plan.core_dns;
  change.kube_proxy = plan.kube_proxy;
  // The records of the previous change's static Pods must neither be rolled back in place of this
  // one's, nor stay alone.
  files.Remove(path(kChangeFile));
  files.Remove(path(kTakenBackFile));
  upgrade::SaveRecord(files, NewRecord(plan.to));
  SaveChange(files, change);
}

void Begin(const Change& change, const Engine& engine) {
  try {
    if (engine.begun) {
      engine.begun(change);
    }
  } catch (...) {
    ForgetTrial(engine.sources.host);
    throw;
  }
}

void CarryOut(const Plan& plan, Change& change, const Engine& engine) {
  for (const std::string_view name : plan.certificates) {
    Reissue(name, plan, engine);
  }
  upgrade::Record record = NewRecord(plan.to);
  const Pods pods(plan.to, record, change, engine);
  const std::string since = kube::MicroTime(engine.sources.host.clock);
  upgrade::ApplyChanges(plan.pods, pods.upgrade);
  WaitForLeaders(plan.pods, since, pods.restart, engine);
  if (plan.kubelet) {
    ChangeKubelet(plan, engine);
  }
  if (!plan.fields.empty()) {
    change.stored = true;
    SaveChange(engine.sources.host.files, change);
    Store(plan.to, change, engine);
    WaitForAddons(plan.to, change, engine);
    change.stored_as = HashOf(stored_config::FetchStoredConfig(engine.sources.client));
  }
}

// The configuration in the journal: it is available without the cluster.
config::Init Before(const Change& change, const Sources& sources) {
  return config::LoadStored(change.before, change.node, sources.facts,
                            {.cri_socket = config::CriSocketChoice::kAssume,
                             .advertise_address = config::AdvertiseAddress::kKeep});
}

void PutBackPods(const config::Init& before, const Change& change, const Engine& engine) {
  std::optional<upgrade::Record> record = upgrade::LoadRecord(engine.sources.host.files, kPodsFile);
  if (!record) {
    return;
  }
  const auto is_replaced = [replaced = record->manifests](components::Component component) {
    return replaced.contains(std::string(components::Name(component)));
  };
  // Pods that were restarted only for their certificate are restarted with the old one.
  const std::vector<std::string_view> names(change.certificates.begin(), change.certificates.end());
  std::vector<components::Component> others = components::ComponentsUsing(names);
  std::erase_if(others, is_replaced);
  constexpr auto kEtcd = components::Component::kEtcd;
  if (is_replaced(kEtcd) || std::ranges::contains(others, kEtcd)) {
    RequireMajority(before, "the static Pods are not taken back now", engine);
  }
  const Pods pods(before, *record, change, engine);
  upgrade::PutBack(upgrade::Etcd::kPutBack, pods.upgrade);
  static_pods::Restart(others, pods.restart);
}

void PutBackNode(const config::Init& before, const Change& change, const Engine& engine) {
  host::Files& files = engine.sources.host.files;
  for (const std::string& name : change.certificates) {
    for (const path& file : PairOf(name, before.cluster.certificates_dir)) {
      PutBackFile(file, change, files, file.extension() == ".key" ? 0600 : 0644);
    }
  }
  // The kubelet first: one that does not start with its new configuration would not start the old
  // static Pods.
  if (change.kubelet) {
    engine.say("Putting back the kubelet's configuration");
    PutBackFile(path(kubelet::kConfigFile), change, files, 0644);
    RestartKubelet(engine);
  }
  PutBackPods(before, change, engine);
}

}  // namespace

std::vector<path> PairOf(std::string_view name, const path& directory) {
  const certs::CertSpec& spec = certs::FindSpec(name);
  return {certs::CertPath(directory, spec.base_name), certs::KeyPath(directory, spec.base_name)};
}

std::string CertificatesDirectory(const config::StoredConfig& stored) {
  return config::DecodeCluster(stored.cluster).certificates_dir;
}

std::vector<std::string_view> MissingNames(const host::Host& host, const config::Init& config) {
  std::vector<std::string_view> missing;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (spec.names == certs::NameRule::kNone || certs::IsSkipped(spec, config.cluster)) {
      continue;
    }
    const pki::SubjectAltNames wanted = certs::AltNamesOf(spec, config);
    const pki::SubjectAltNames here =
        certs::LoadChain(host.files,
                         certs::CertPath(config.cluster.certificates_dir, spec.base_name))
            .front()
            .alt_names();
    const auto has = [](const auto& all, const auto& one) {
      return std::ranges::find(all, one) != all.end();
    };
    const bool complete =
        std::ranges::all_of(wanted.dns_names,
                            [&](const auto& name) { return has(here.dns_names, name); }) &&
        std::ranges::all_of(wanted.ip_addresses,
                            [&](const auto& ip) { return has(here.ip_addresses, ip); });
    if (!complete) {
      missing.push_back(spec.name);
    }
  }
  return missing;
}

void Apply(const Plan& plan, Change change, const Engine& engine) {
  if (Touches(plan.pods, components::Component::kEtcd)) {
    RequireMajority(plan.to, "nothing was changed", engine);
  }
  if (change.state == Change::State::kTrying) {
    RequireSameKeysToTry(plan, engine.sources.host.files);
  }
  if (upgrade::Changes(plan.pods)) {
    base::WithContext("nothing was changed", [&] {
      components::RequireNoStrays(engine.sources.host.files);
      kubelet::RequireRunning(engine.sources.host, engine.stop);
    });
    upgrade::RequireImages(plan.pods, {.clock = engine.sources.host.clock,
                                       .runtime = engine.runtime,
                                       .policy = "",
                                       .stop = engine.stop});
  }
  const Change::State end = change.state;
  change.state = Change::State::kApplying;
  change.id = base::HexEncode(engine.sources.host.random.Bytes(kIdBytes));
  change.node = plan.to.init;
  KeepFiles(plan, change, engine);
  Begin(change, engine);
  try {
    CarryOut(plan, change, engine);
  } catch (const Error& error) {
    engine.say("The change failed: taking it back");
    base::WithContext(error.message() + "\nThe change could not be taken back either", [&] {
      TakeBackNode(change, engine);
      if (change.stored) {
        StoreBefore(change, engine);
      }
    });
    ForgetTrial(engine.sources.host);
    throw Error(error.kind(), "the change was taken back: " + error.message());
  }
  change.state = end;
  NoteWritten(change, engine.sources.host.files);
  if (end == Change::State::kTrying) {
    change.until =
        std::chrono::ceil<std::chrono::seconds>(engine.sources.host.clock.Now()) + engine.trial;
  }
  SaveChange(engine.sources.host.files, change);
}

void TakeBackNode(Change& change, const Engine& engine) {
  if (change.put_back) {
    return;
  }
  PutBackNode(Before(change, engine.sources), change, engine);
  change.put_back = true;
  SaveChange(engine.sources.host.files, change);
}

void StoreBefore(const Change& change, const Engine& engine) {
  const config::Init before = Before(change, engine.sources);
  Store(before, change, engine);
  try {
    WaitForAddons(before, change, engine);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kTimeout) {
      throw;
    }
    engine.say("It goes on by itself: " + error.message());
  }
}

}  // namespace config_change
