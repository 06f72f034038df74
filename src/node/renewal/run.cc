// SPDX-License-Identifier: Apache-2.0
#include "renewal/run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/show_line.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/expirations.h"
#include "config/addresses.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "json/value.h"
#include "pki/key_pool.h"
#include "renewal/kubelet_certificate.h"
#include "renewal/pending_restart.h"
#include "renewal/report.h"
#include "static_pods/restart.h"
#include "static_pods/snapshot.h"
#include "static_pods/static_pod.h"
#include "workflow/plan.h"
#include "workflow/run.h"

namespace renewal {
namespace {

using certs::Renewable;
using certs::RenewalContext;
using components::Component;

// The function that processes one due row.
struct Step {
  certs::RenewalOutcome (*take)(const Renewable& row, const RenewalContext& context);
  bool renews = false;
};
constexpr Step kRenew{.take = certs::Renew, .renews = true};
constexpr Step kJudge{.take = certs::JudgeRenewal};

// Calls `part` as a phase of the run, with the receiver of its lines.
void RunPhase(const char* name, const RunContext& context,
              const std::function<void(const base::ShowLine& say)>& part) {
  const workflow::Plan plan{
      .steps = {{.path = name,
                 .name = {},
                 .waits_for = {},
                 .when = {},
                 .run =
                     [&part](workflow::AnyData&, workflow::Context& phase) {
                       part([&phase](const std::string& line) { phase.Print(line); });
                     }}},
      .skipped = {}};
  workflow::RunPhases(plan, workflow::AnyData{},
                      {.reporter = context.reporter,
                       .clock = context.host.clock,
                       .threads = 1,
                       .stop = context.stop});
}

// Returns the configuration with the node's name and address from the node's own files. Returns
// std::nullopt if these files lack the name or the address, or if the configuration is only the
// default.
std::optional<config::Init> FindNodeConfig(const RunContext& context) {
  if (context.config_is_default) {
    return std::nullopt;
  }
  try {
    config::Init node = context.config;
    node.init.node_registration.name = FindKubeletClient(context.host.files).Node();
    const std::optional<json::Value> pod =
        static_pods::ReadManifest(context.host.files, Component::kApiServer);
    node.init.local_api_endpoint.advertise_address =
        static_pods::AdvertisedEndpointOf(pod.value_or(json::Value::object())).Parts().host;
    return node.init.local_api_endpoint.advertise_address.empty() ? std::nullopt
                                                                  : std::optional(std::move(node));
  } catch (const base::Error& error) {
    base::LogInfo(1, "names of certificates are not compared with the configuration: {}",
                  error.message());
    return std::nullopt;
  }
}

RenewalContext CertificatesOf(const RunContext& context, const std::optional<config::Init>& node) {
  return {.files = context.host.files,
          .cluster = context.config.cluster,
          .kubeconfig_dir = config::kKubernetesDir,
          .start = context.host.clock.NowSeconds(),
          .node = node ? &*node : nullptr,
          .given_node = context.config_is_given ? &context.config : nullptr};
}

// Returns when the row's certificate expires; std::nullopt for an unreadable file. The renewal step
// reports an unreadable file if it matters, since it skips the files of an external CA.
std::optional<std::chrono::sys_seconds> ExpiryIfReadable(const Renewable& row,
                                                         const RenewalContext& certificates) {
  try {
    return certs::ExpiryOf(row, certificates);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

Rows DueRows(const Rows& rows, const RenewalContext& certificates, const RunOptions& options) {
  Rows due;
  std::ranges::copy_if(rows, std::back_inserter(due), [&](const Renewable* row) {
    const auto expires = options.within ? ExpiryIfReadable(*row, certificates)
                                        : std::optional<std::chrono::sys_seconds>();
    return !expires || *expires - certificates.start <= *options.within;
  });
  return due;
}

// Returns " (renewed: …; not renewed: …)". The rows of `due` from `failed` on are not renewed.
std::string ProgressText(const Rows& due, const Renewable& failed, const RunResult& result) {
  const std::vector<std::string_view> renewed = result.RenewedNames();
  std::vector<std::string_view> left;
  std::ranges::transform(std::ranges::find(due, &failed), due.end(), std::back_inserter(left),
                         &Renewable::name);
  return fmt::format(" (renewed: {}; not renewed: {})",
                     renewed.empty() ? "nothing" : fmt::format("{}", fmt::join(renewed, ", ")),
                     fmt::join(left, ", "));
}

// Reports each row after its step.
void TakeSteps(const Step& step, const Rows& rows, const Rows& due,
               const RenewalContext& certificates,
               const std::function<void(RenewedRow done)>& on_row) {
  RunResult result;
  for (const Renewable* row : rows) {
    RenewedRow done{.row = row};
    if (std::ranges::contains(due, row)) {
      const std::string progress =
          step.renews && due.size() > 1 ? ProgressText(due, *row, result) : "";
      done.outcome = base::WithContext(fmt::format("cannot renew {}{}", row->name, progress),
                                       [&] { return step.take(*row, certificates); });
    }
    done.expires = ExpiryIfReadable(*row, certificates);
    result.rows.push_back(done);
    on_row(done);
  }
}

// Returns a snapshot of the rows' files for a rollback. It contains private keys.
static_pods::Snapshot SnapshotOf(const Rows& rows, const RenewalContext& certificates) {
  std::vector<host::fs::path> paths;
  for (const Renewable* row : rows) {
    std::ranges::move(certs::FilesOf(*row, certificates), std::back_inserter(paths));
  }
  return {certificates.files, paths};
}

// Returns the components of this node that serve with these certificates.
std::vector<Component> UsersOf(const std::vector<std::string>& names, const host::Files& files) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<Component> components = components::ComponentsUsing(views);
  std::erase_if(components, [&](Component component) {
    return !files.Exists(components::ManifestPath(component));
  });
  return components;
}

// Appends the names that the list lacks.
std::vector<std::string> Joined(std::vector<std::string> names,
                                const std::vector<std::string_view>& others) {
  for (const std::string_view other : others) {
    if (!std::ranges::contains(names, other)) {
      names.emplace_back(other);
    }
  }
  return names;
}

// Reports the certificates that an interrupted run renewed without a restart of their users.
std::vector<std::string> LoadInterruptedRestart(const RunContext& context) {
  std::vector<std::string> names = LoadPendingRestart(context.host.files);
  if (!names.empty()) {
    context.reporter.Message(
        fmt::format("[renew] An interrupted run renewed certificates and did not restart the "
                    "static Pods that use them: {}",
                    base::Join(names, ", ")));
  }
  return names;
}

// Throws if the kubelet does not run, because a stopped kubelet does not restart Pods. The error
// also covers a control plane whose certificates have all expired: there the kubelet cannot start
// after a reboot.
void RequireKubelet(const RunContext& context) {
  if (!context.require_kubelet) {
    return;
  }
  try {
    context.require_kubelet();
  } catch (const base::Error& error) {
    throw base::Error(
        error.kind(),
        fmt::format("nothing has been renewed: {}. If the kubelet's own certificate has also "
                    "expired, run 'kubeadm certs renew all' and then 'kubeadm node recover', which "
                    "starts the kubelet. Otherwise start the kubelet, and run this command again",
                    error.message()));
  }
}

// Throws base::Error, before any renewal, if the components cannot be restarted. An etcd member
// cannot be restarted while the other members need it for the quorum.
void RequireRestart(const std::vector<Component>& users, const RunContext& context) {
  if (!users.empty()) {
    RequireKubelet(context);
  }
  if (std::ranges::contains(users, Component::kEtcd) && context.etcd_restart_problem) {
    if (const auto problem = context.etcd_restart_problem()) {
      throw base::Error(base::Error::Kind::kUnavailable, "nothing has been renewed: " + *problem);
    }
  }
}

// Returns whether kubelets verify the certificate. They verify the API server's serving certificate
// and the certificate with which it connects to kubelets.
bool IsForKubelets(const Renewable& row) {
  return row.name == "apiserver" || row.name == "apiserver-kubelet-client";
}

// Returns std::nullopt for a missing or unreadable certificate.
std::optional<std::string> FindKeyAlgorithm(const Renewable& row,
                                            const RenewalContext& certificates) {
  try {
    const host::fs::path file = certs::FilesOf(row, certificates).back();
    return certs::LoadChain(certificates.files, file).front().public_key().AlgorithmText();
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

// Throws base::Error(kInvalid), before any renewal, if a kubelet could not use keys of the new
// algorithm. Does not throw if the present keys already have this algorithm.
void RequireKeysForKubelets(const Rows& due, const RenewalContext& certificates,
                            const RunContext& context) {
  const std::string algorithm = config::EncryptionAlgorithm(certificates.cluster);
  const bool changes = std::ranges::any_of(due, [&](const Renewable* row) {
    return IsForKubelets(*row) &&
           FindKeyAlgorithm(*row, certificates).value_or(algorithm) != algorithm;
  });
  const auto problem = changes && context.kubelet_key_problem ? context.kubelet_key_problem()
                                                              : std::optional<std::string>();
  if (problem) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("nothing has been renewed, since the new keys would be of "
                                  "encryptionAlgorithm {}: {}. Upgrade that kubelet first, or set "
                                  "the field back in ConfigMap \"kubeadm-config\"",
                                  algorithm, *problem));
  }
}

std::vector<std::string_view> NamesOf(const Rows& rows) {
  std::vector<std::string_view> names;
  std::ranges::transform(rows, std::back_inserter(names), &Renewable::name);
  return names;
}

std::vector<std::string> NamesOf(const std::vector<Component>& components) {
  std::vector<std::string> names;
  for (const Component component : components) {
    names.emplace_back(components::Name(component));
  }
  return names;
}

// Restarts without a rollback, because the old certificates have expired.
void RestartForGood(const std::vector<Component>& components,
                    const static_pods::RestartContext& restart) {
  try {
    static_pods::Restart(components, restart);
  } catch (const base::Error& error) {
    throw base::Error(
        error.kind(),
        fmt::format("{}\nThe new certificates stay, since the old ones had expired. With several "
                    "control planes run 'kubeadm certs renew all' on the others first: etcd takes "
                    "new files up by itself, and serves only with a majority",
                    error.message()));
  }
}

enum class Before { kGood, kEnded };

// The certificates before the renewal.
struct OldCertificates {
  static_pods::Snapshot files;
  Before state;
};

void RestartUsers(const std::vector<Component>& components, const OldCertificates& old,
                  const RunContext& context, const base::ShowLine& say) {
  const config::Init& config = context.config;
  const std::unique_ptr<cri::Runtime> runtime = context.connect_runtime();
  const static_pods::RestartContext restart{
      .host = context.host,
      .runtime = *runtime,
      .probe_of =
          static_pods::ServingProbes(context.host, config.cluster, config.init.local_api_endpoint),
      .stop = context.stop,
      .say = [&](const std::string& line) { say("[renew] " + line); }};
  if (old.state == Before::kEnded) {
    RestartForGood(components, restart);
  } else {
    static_pods::RestartOrRestore(components, [&] { old.files.Restore(); }, restart);
  }
}

Before StateOf(const Rows& due, const RenewalContext& certificates) {
  const bool ended = std::ranges::any_of(due, [&](const Renewable* row) {
    const auto expires = ExpiryIfReadable(*row, certificates);
    return expires && *expires <= certificates.start;
  });
  return ended ? Before::kEnded : Before::kGood;
}

// `result` and `say` must outlive the returned function.
std::function<void(RenewedRow done)> Telling(RunResult& result, const base::ShowLine& say) {
  return [&](RenewedRow done) {
    say(LineOf(done, result.planned));
    result.rows.push_back(done);
  };
}

}  // namespace

Rows ManagedRows(const config::ClusterConfiguration& cluster) {
  Rows rows;
  for (const Renewable& row : certs::Renewables()) {
    if (certs::IsManaged(row, cluster)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

std::vector<std::string_view> RunResult::RenewedNames() const {
  std::vector<std::string_view> names;
  for (const RenewedRow& done : rows) {
    if (done.outcome == certs::RenewalOutcome::kRenewed) {
      names.push_back(done.row->name);
    }
  }
  return names;
}

const RenewedRow* RunResult::FirstToExpire() const {
  const RenewedRow* first = nullptr;
  for (const RenewedRow& row : rows) {
    if (row.expires && (first == nullptr || *row.expires < *first->expires)) {
      first = &row;
    }
  }
  return first;
}

RunResult Run(const Rows& rows, const RunOptions& options, const RunContext& context) {
  const std::optional<config::Init> node = FindNodeConfig(context);
  RenewalContext certificates = CertificatesOf(context, node);
  certs::FinishPairs(context.host.files, context.config.cluster.certificates_dir);
  const Rows due = DueRows(rows, certificates, options);
  RequireKeysForKubelets(due, certificates, context);
  std::vector<std::string> pending;
  if (options.restart) {
    pending = LoadInterruptedRestart(context);
    const std::vector<std::string> all = Joined(pending, NamesOf(due));
    RequireRestart(UsersOf(all, context.host.files), context);
    SavePendingRestart(context.host.files, all);
  }
  const OldCertificates old{.files = SnapshotOf(options.restart ? rows : Rows{}, certificates),
                            .state = StateOf(due, certificates)};
  pki::KeyPool keys({.algorithm = certs::AlgorithmFor(certificates.cluster), .count = due.size()});
  certificates.new_key = [&keys] { return keys.Take(); };
  RunResult result;
  RunPhase("renew", context, [&](const base::ShowLine& say) {
    TakeSteps(kRenew, rows, due, certificates, Telling(result, say));
  });
  if (!options.restart) {
    result.restart_is_left = !result.RenewedNames().empty();
    return result;
  }
  const std::vector<Component> users =
      UsersOf(Joined(std::move(pending), result.RenewedNames()), context.host.files);
  result.restarted = NamesOf(users);
  if (!users.empty()) {
    RunPhase("restart", context,
             [&](const base::ShowLine& say) { RestartUsers(users, old, context, say); });
  }
  SavePendingRestart(context.host.files, {});
  return result;
}

RunResult Plan(const Rows& rows, const RunOptions& options, const RunContext& context) {
  const std::optional<config::Init> node = FindNodeConfig(context);
  const RenewalContext certificates = CertificatesOf(context, node);
  RunResult result{.rows = {}, .restarted = {}, .planned = true};
  const Rows due = DueRows(rows, certificates, options);
  RequireKeysForKubelets(due, certificates, context);
  const base::ShowLine say = [&](const std::string& line) { context.reporter.Message(line); };
  TakeSteps(kJudge, rows, due, certificates, Telling(result, say));
  if (options.restart) {
    result.restarted = NamesOf(UsersOf(
        Joined(LoadInterruptedRestart(context), result.RenewedNames()), context.host.files));
  }
  std::ranges::for_each(RestartLines(result), say);
  return result;
}

}  // namespace renewal
