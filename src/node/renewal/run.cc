#include "renewal/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "certs/disk.h"
#include "config/paths.h"
#include "pki/key_pool.h"
#include "static_pods/restart.h"

namespace renewal {
namespace {

using certs::Renewable;
using static_pods::Component;

bool IsDue(const Renewable& row, const certs::RenewalContext& context, const RunOptions& options) {
  if (!options.within) {
    return true;
  }
  const auto expires = certs::ExpiryOf(row, context);
  return !expires || *expires - context.start <= *options.within;
}

static_pods::Snapshot SnapshotOf(const Rows& rows, const certs::RenewalContext& context) {
  std::vector<host::fs::path> paths;
  for (const Renewable* row : rows) {
    std::ranges::move(certs::FilesOf(*row, context), std::back_inserter(paths));
  }
  return {context.files, paths};
}

std::vector<Component> UsersOf(const RunResult& result, const host::Files& files) {
  std::vector<Component> components = static_pods::ComponentsUsing(result.RenewedNames());
  std::erase_if(components, [&](Component component) {
    return !files.Exists(static_pods::ManifestPath(component));
  });
  return components;
}

void RefuseToRestartEtcd(const Rows& rows, const RunOptions& options,
                         const certs::RenewalContext& renewal, const RunContext& context) {
  std::vector<std::string_view> due;
  for (const Renewable* row : rows) {
    if (IsDue(*row, renewal, options)) {
      due.push_back(row->name);
    }
  }
  if (!context.etcd_restart_problem ||
      !std::ranges::contains(static_pods::ComponentsUsing(due), Component::kEtcd) ||
      !context.host.files.Exists(static_pods::ManifestPath(Component::kEtcd))) {
    return;
  }
  if (const auto problem = context.etcd_restart_problem()) {
    throw base::Error(base::Error::Kind::kUnavailable, "nothing has been renewed: " + *problem);
  }
}

void RestartUsers(const std::vector<Component>& components, const static_pods::Snapshot& before,
                  const RunContext& context) {
  const config::Init& config = context.config;
  const std::unique_ptr<cri::Runtime> runtime = context.connect_runtime();
  static_pods::RestartOrRestore(components, before,
                                {.host = context.host,
                                 .runtime = *runtime,
                                 .probe_of = static_pods::ServingProbes(
                                     context.host, config.cluster, config.init.local_api_endpoint),
                                 .stop = context.stop,
                                 .say = context.say});
}

std::vector<RenewedRow> RenewRows(const Rows& rows, const RunOptions& options,
                                  certs::RenewalContext& renewal, const RunContext& context) {
  Rows due;
  std::ranges::copy_if(rows, std::back_inserter(due),
                       [&](const Renewable* row) { return IsDue(*row, renewal, options); });
  pki::KeyPool keys({.algorithm = certs::AlgorithmFor(renewal.cluster),
                     .count = options.dry_run ? 0 : due.size()});
  renewal.new_key = [&keys] { return keys.Take(); };
  std::vector<RenewedRow> all;
  for (const Renewable* row : rows) {
    RenewedRow done{.row = row};
    if (std::ranges::contains(due, row)) {
      done.outcome = base::WithContext(fmt::format("cannot renew {}", row->name), [&] {
        return options.dry_run ? certs::JudgeRenewal(*row, renewal) : certs::Renew(*row, renewal);
      });
    }
    done.expires = certs::ExpiryOf(*row, renewal);
    if (context.on_row) {
      context.on_row(done);
    }
    all.push_back(done);
  }
  return all;
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
  certs::RenewalContext renewal{
      .files = context.host.files,
      .cluster = context.config.cluster,
      .kubeconfig_dir = config::kKubernetesDir,
      .start = std::chrono::floor<std::chrono::seconds>(context.host.clock.Now())};
  const bool writes = !options.dry_run;
  const bool restarts = options.restart && writes;
  if (writes) {
    certs::FinishPairs(context.host.files, context.config.cluster.certificates_dir);
  }
  if (restarts) {
    RefuseToRestartEtcd(rows, options, renewal, context);
  }
  // Keys are read only to be put back.
  const static_pods::Snapshot before = SnapshotOf(restarts ? rows : Rows{}, renewal);
  RunResult result{.rows = RenewRows(rows, options, renewal, context), .dry_run = options.dry_run};
  if (!options.restart) {
    return result;
  }
  const std::vector<Component> users = UsersOf(result, context.host.files);
  for (const Component component : users) {
    result.restarted.emplace_back(static_pods::Name(component));
  }
  if (restarts && !users.empty()) {
    RestartUsers(users, before, context);
  }
  return result;
}

}  // namespace renewal
