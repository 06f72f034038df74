#include "kubeadm/certs/renewal_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "static_pods/restart.h"
#include "config/paths.h"
#include "cri/runtime.h"
#include "json/rfc3339.h"
#include "kubeadm/local_runtime.h"
#include "kubeadm/terminal.h"
#include "pki/key_pool.h"

namespace kubeadm {
namespace {

using certs::Renewable;
using certs::RenewalOutcome;

constexpr std::chrono::seconds kRuntimePatience{10};

std::string Capitalized(std::string_view text) {
  std::string capitalized(text);
  capitalized.front() = static_cast<char>(std::toupper(capitalized.front()));
  return capitalized;
}

bool IsDue(const Renewable& row, const certs::RenewalContext& context,
           const RenewalOptions& options) {
  if (!options.within) {
    return true;
  }
  const auto expires = certs::ExpiryOf(row, context);
  return !expires || *expires - context.start <= *options.within;
}

std::string LineOf(const RenewedRow& done, bool dry_run) {
  const std::string_view name = done.row->long_name;
  if (!done.outcome) {
    return fmt::format("{} is valid until {}, not renewed", Capitalized(name),
                       json::FormatRfc3339(done.expires.value()));
  }
  switch (*done.outcome) {
    case RenewalOutcome::kMissing:
      return fmt::format("MISSING! {}", name);
    case RenewalOutcome::kExternalCa:
      return fmt::format("Detected external {} CA, {} cannot be renewed", done.row->ca, name);
    case RenewalOutcome::kRenewed:
      break;
  }
  return fmt::format("{} {}", Capitalized(name), dry_run ? "would be renewed" : "renewed");
}

std::string_view WordFor(const RenewedRow& done) {
  if (!done.outcome) {
    return "notDue";
  }
  switch (*done.outcome) {
    case RenewalOutcome::kMissing:
      return "missing";
    case RenewalOutcome::kExternalCa:
      return "external";
    case RenewalOutcome::kRenewed:
      break;
  }
  return "renewed";
}

static_pods::Snapshot SnapshotOf(const RenewableRows& rows, const certs::RenewalContext& context) {
  std::vector<host::fs::path> paths;
  for (const Renewable* row : rows) {
    std::ranges::move(certs::FilesOf(*row, context), std::back_inserter(paths));
  }
  return {context.files, paths};
}

std::vector<static_pods::Component> UsersOf(const RenewalResult& result, const host::Files& files) {
  std::vector<static_pods::Component> components =
      static_pods::ComponentsUsing(result.RenewedNames());
  std::erase_if(components, [&](static_pods::Component component) {
    return !files.Exists(static_pods::ManifestPath(component));
  });
  return components;
}

void RestartUsers(const std::vector<static_pods::Component>& components,
                  const static_pods::Snapshot& before, const config::Init& config, host::Host& host,
                  const Say& say) {
  const auto runtime = cri::Connect(LocalCriSocket(host), kRuntimePatience);
  static_pods::RestartOrRestore(
      components, before,
      {.host = host,
       .runtime = *runtime,
       .probe_of = static_pods::ServingProbes(host, config.cluster, config.init.local_api_endpoint),
       .stop = InterruptToken(),
       .say = [&](const std::string& line) { say("[renew] " + line); }});
}

// RenewRows fills in result.rows.
void RenewRows(const RenewableRows& rows, const RenewalOptions& options,
               certs::RenewalContext& context, const Say& say, RenewalResult& result) {
  const auto due = std::ranges::count_if(
      rows, [&](const Renewable* row) { return IsDue(*row, context, options); });
  pki::KeyPool keys({.algorithm = certs::AlgorithmFor(context.cluster),
                     .count = options.dry_run ? 0 : static_cast<std::size_t>(due)});
  context.new_key = [&keys] { return keys.Take(); };
  for (const Renewable* row : rows) {
    RenewedRow done{.row = row};
    if (IsDue(*row, context, options)) {
      done.outcome = base::WithContext(fmt::format("cannot renew {}", row->name), [&] {
        return options.dry_run ? certs::JudgeRenewal(*row, context) : certs::Renew(*row, context);
      });
    }
    done.expires = certs::ExpiryOf(*row, context);
    say(LineOf(done, options.dry_run));
    result.rows.push_back(done);
  }
}

}  // namespace

RenewableRows ManagedRows(const config::ClusterConfiguration& cluster) {
  RenewableRows rows;
  for (const Renewable& row : certs::Renewables()) {
    if (certs::IsManaged(row, cluster)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

std::vector<std::string_view> RenewalResult::RenewedNames() const {
  std::vector<std::string_view> names;
  for (const RenewedRow& done : rows) {
    if (done.outcome == RenewalOutcome::kRenewed) {
      names.push_back(done.row->name);
    }
  }
  return names;
}

RenewalResult RunRenewal(const RenewableRows& rows, const config::Init& config,
                         const RenewalOptions& options, host::Host& host, const Say& say) {
  certs::RenewalContext context{
      .files = host.files,
      .cluster = config.cluster,
      .kubeconfig_dir = config::kKubernetesDir,
      .start = std::chrono::floor<std::chrono::seconds>(host.clock.Now())};
  const static_pods::Snapshot before = SnapshotOf(rows, context);
  RenewalResult result{.dry_run = options.dry_run};
  RenewRows(rows, options, context, say, result);
  if (!options.restart) {
    return result;
  }
  const std::vector<static_pods::Component> users = UsersOf(result, host.files);
  for (const static_pods::Component component : users) {
    result.restarted.emplace_back(static_pods::Name(component));
    if (options.dry_run) {
      say(fmt::format("{} would be restarted", result.restarted.back()));
    }
  }
  if (!users.empty() && !options.dry_run) {
    RestartUsers(users, before, config, host, say);
  }
  return result;
}

json::Ordered ResultObject(const RenewalResult& result) {
  json::Ordered list = json::Ordered::array();
  for (const RenewedRow& done : result.rows) {
    json::Ordered entry = {{"name", done.row->name}, {"outcome", WordFor(done)}};
    if (done.expires) {
      entry["expirationDate"] = json::FormatRfc3339(*done.expires);
    }
    list.push_back(std::move(entry));
  }
  return {{"kind", "CertificateRenewal"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", result.dry_run},
          {"certificates", std::move(list)},
          {"restarted", result.restarted}};
}

}  // namespace kubeadm
