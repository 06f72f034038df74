// SPDX-License-Identifier: Apache-2.0
// The API: each of its addresses, and its information about the cluster.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/threads.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "doctor/parts.h"
#include "http/date.h"
#include "kube/connection.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"
#include "pki/certificate.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

using base::Error;

constexpr const char* kReady = "/readyz?verbose";
constexpr int kUnauthorizedStatus = 401;

// Selects whether a target receives credentials. Credentials are sent only to addresses from the
// user or from this node's own files. An address in an object of the cluster may belong to an
// attacker.
enum class Credentials { kShown, kWithheld };

// One address of the API: the server of `kubeconfig`, which may be a copy with another server.
struct Target {
  std::string used_by;
  kube::Kubeconfig kubeconfig;
  Credentials credentials = Credentials::kShown;
  bool local = false;
  bool of_other_node = false;
  std::optional<std::string> login_problem = {};  // why the user's exec plugin has failed
};

struct Probed {
  Target target;
  EndpointFact fact;
};

// The clock and the stop token of a query.
struct Asking {
  const host::Clock& clock;
  const std::stop_token& stop;
};

std::vector<std::string> FailingChecks(const std::string& body) {
  std::vector<std::string> failing;
  for (const std::string& line : base::Lines(body)) {
    if (line.starts_with("[-]")) {
      failing.push_back(line);
    }
  }
  return failing;
}

void NoteCertificate(const std::string& pem, EndpointFact& fact) {
  try {
    const pki::Certificate shown = pki::Certificate::FromPem(pem);
    fact.shown_until = shown.not_after();
    fact.shown_serial = shown.SerialHex();
    fact.shown_issuer = shown.IssuerText();
  } catch (const Error&) {
    fact.shown_serial = "";  // the server's certificate is unknown
  }
}

void Ask(const kube::Connection& connection, const Asking& asking, EndpointFact& fact) {
  http::Request request = kube::NewRequest(connection, kReady);
  request.timeout = kShort;
  request.connect_timeout = kShort;
  request.stop = asking.stop;
  request.peer_certificate = http::PeerCertificate::kReported;
  const auto before = asking.clock.Now();
  const http::Response response = http::Client(connection.tls).Do(request);
  const auto middle = before + (asking.clock.Now() - before) / 2;
  if (const auto date = response.headers.find("date"); date != response.headers.end()) {
    if (const auto time = http::ParseDate(date->second)) {
      fact.ahead = *time - Seconds(middle);
    }
  }
  fact.status = response.status;
  fact.failing_checks = FailingChecks(response.body);
  NoteCertificate(response.peer_certificate_pem, fact);
}

// Queries an untrusted server without credentials. Its time and its certificate explain the
// failure.
void AskStranger(kube::Connection connection, const Asking& asking, EndpointFact& fact) {
  connection.authorization = "";
  connection.impersonation.clear();
  connection.tls.certificate_pem = "";
  connection.tls.key_pem = "";
  connection.tls.skip_verify = true;
  try {
    Ask(connection, asking, fact);
  } catch (const Error&) {
    // Keeps the problem of the first attempt, which explains why the server is not trusted.
    fact.status = 0;
  }
}

void Probe(const Asking& asking, Probed& probed) {
  EndpointFact& fact = probed.fact;
  fact.used_by = {probed.target.used_by};
  fact.local = probed.target.local;
  fact.of_other_node = probed.target.of_other_node;
  const kube::KubeconfigCluster* cluster = probed.target.kubeconfig.CurrentCluster();
  const kube::KubeconfigUser* user = probed.target.kubeconfig.CurrentUser();
  fact.url = cluster->server;
  try {
    if (probed.target.login_problem) {
      throw Error(Error::Kind::kInvalid, *probed.target.login_problem);
    }
    const bool shown = probed.target.credentials == Credentials::kShown;
    const kube::Connection connection =
        kube::ConnectionOf(*cluster, shown ? *user : kube::KubeconfigUser{}, {});
    try {
      Ask(connection, asking, fact);
      fact.logged_in = !shown || fact.status != kUnauthorizedStatus;
    } catch (const Error& error) {
      fact.problem = error.message();
      fact.kind = error.kind();
      if (error.kind() == Error::Kind::kUnauthorized) {
        AskStranger(connection, asking, fact);
      }
    }
  } catch (const Error& error) {
    fact.problem = error.message();
    fact.kind = error.kind();
  }
}

std::vector<Probed> ProbeAll(std::vector<Target> targets, const Asking& asking) {
  std::vector<Probed> probed;
  for (Target& target : targets) {
    probed.push_back({.target = std::move(target), .fact = {}});
  }
  base::Threads threads;
  for (Probed& one : probed) {
    threads.Add([&one, &asking] { Probe(asking, one); });
  }
  threads.Join();
  return probed;
}

bool SameAnswer(const EndpointFact& left, const EndpointFact& right) {
  return left.url == right.url && left.problem.has_value() == right.problem.has_value() &&
         left.kind == right.kind && left.logged_in == right.logged_in &&
         (left.status >= 500) == (right.status >= 500);
}

// Combines the facts of one address to a single row, unless its users get different results.
std::vector<EndpointFact> Merged(const std::vector<Probed>& probed) {
  std::vector<EndpointFact> facts;
  for (const Probed& one : probed) {
    const auto same = std::ranges::find_if(
        facts, [&](const EndpointFact& fact) { return SameAnswer(fact, one.fact); });
    if (same == facts.end()) {
      facts.push_back(one.fact);
    } else {
      same->used_by.push_back(one.fact.used_by.front());
      same->local = same->local || one.fact.local;
    }
  }
  return facts;
}

constexpr std::array<std::string_view, 5> kFiles{config::kAdminConf, config::kSuperAdminConf,
                                                 config::kControllerManagerConf,
                                                 config::kSchedulerConf, config::kKubeletConf};

bool CanBeUsed(const kube::Kubeconfig& kubeconfig) {
  const kube::KubeconfigCluster* cluster = kubeconfig.CurrentCluster();
  return cluster != nullptr && !cluster->server.empty() && kubeconfig.CurrentUser() != nullptr;
}

// Runs the kubeconfig user's exec plugin once, for all queries. The plugin must not be interactive,
// because the time for the queries is short.
void LogIn(const host::Host& host, Target& target) {
  kube::PluginHost plugins = kubeconfigs::PluginsOn(host);
  plugins.has_terminal = [] { return false; };
  try {
    target.kubeconfig = kube::LoggedIn(target.kubeconfig, plugins);
  } catch (const Error& error) {
    target.login_problem = error.message();
  }
}

std::vector<Target> TargetsOf(const host::Host& host, const CollectOptions& options) {
  const host::Files& files = host.files;
  std::vector<Target> targets;
  const auto add = [&](const fs::path& path) {
    try {
      if (files.Exists(path)) {
        kube::Kubeconfig kubeconfig = kubeconfigs::LoadKubeconfig(files, path);
        if (CanBeUsed(kubeconfig)) {
          targets.push_back({path.filename().string(), std::move(kubeconfig)});
          LogIn(host, targets.back());
        }
      }
    } catch (const Error&) {
      return;  // invalid files are reported elsewhere
    }
  };
  if (!options.kubeconfig.empty()) {
    add(options.kubeconfig);
  }
  for (const std::string_view name : kFiles) {
    add(fs::path(config::kKubernetesDir) / name);
  }
  if (!files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf)) {
    add(fs::path(config::kKubernetesDir) / config::kBootstrapKubeletConf);
  }
  if (const auto local = LocalEndpoint(files); local && !targets.empty()) {
    targets.push_back(
        {"this node's API server",
         kubeconfigs::WithServer(targets.front().kubeconfig, config::LocalEndpointUrl(*local)),
         Credentials::kShown, true});
    targets.back().login_problem = targets.front().login_problem;
  }
  return targets;
}

// Returns the best connection. Prefers the first accepted one without a server error, and then this
// node's own API server. Returns null without an accepted connection.
const Probed* BestOf(const std::vector<Probed>& probed) {
  const auto good = std::ranges::find_if(probed, [](const Probed& one) {
    return !one.fact.problem && one.fact.logged_in && one.fact.status < 500;
  });
  const auto local = std::ranges::find_if(probed, [](const Probed& one) {
    return one.target.local && !one.fact.problem && one.fact.logged_in;
  });
  return good != probed.end() ? &*good : local != probed.end() ? &*local : nullptr;
}

// Returns the API servers' addresses that the cluster reports and that were not queried yet: the
// configuration's controlPlaneEndpoint and the API servers of other nodes.
std::vector<Target> MoreTargets(const ClusterAnswer& told, const Probed& best,
                                const std::vector<Probed>& known) {
  std::vector<Target> targets;
  for (const std::string& url : told.api_servers) {
    const bool is_known =
        std::ranges::any_of(known, [&](const Probed& one) { return one.fact.url == url; });
    if (!is_known) {
      const bool shared = url == told.control_plane_endpoint;
      targets.push_back({shared ? "controlPlaneEndpoint" : "another node's API server",
                         kubeconfigs::WithServer(best.target.kubeconfig, url),
                         Credentials::kWithheld, false, !shared});
    }
  }
  return targets;
}

std::string WhyNotAsked(const std::vector<Probed>& probed) {
  if (probed.empty()) {
    return "there is no kubeconfig file that this user may read";
  }
  const EndpointFact& first = probed.front().fact;
  return first.problem.value_or(fmt::format("it answers with status {}", first.status));
}

void NoteBootstrap(const std::vector<Probed>& probed, Facts& facts) {
  for (const Probed& one : probed) {
    if (one.target.used_by == config::kBootstrapKubeletConf && !one.fact.problem) {
      facts.bootstrap.refused = !one.fact.logged_in;
    }
  }
}

}  // namespace

std::optional<config::ApiEndpoint> LocalEndpoint(const host::Files& files) {
  try {
    const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
    if (!pod) {
      return std::nullopt;
    }
    const std::string address = static_pods::CommandArg(*pod, "advertise-address").value_or("");
    const std::string port = static_pods::CommandArg(*pod, "secure-port").value_or("6443");
    return config::ApiEndpoint{.advertise_address = address,
                               .bind_port = base::ParsePort(port).value_or(0)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

Answer CollectApi(const DoctorSources& sources, const CollectOptions& options,
                  const std::stop_token& stop) {
  host::Host& host = sources.host;
  const Asking asking{.clock = host.clock, .stop = stop};
  std::vector<Probed> probed = ProbeAll(TargetsOf(host, options), asking);
  ClusterAnswer told;
  if (const Probed* best = BestOf(probed)) {
    told = CollectCluster(sources, best->target.kubeconfig, stop);
    told.facts.server_time = best->fact.ahead
                                 ? std::optional(Seconds(host.clock.Now()) + *best->fact.ahead)
                                 : std::nullopt;
    const Probed known_best = *best;
    std::ranges::move(ProbeAll(MoreTargets(told, known_best, probed), asking),
                      std::back_inserter(probed));
  } else {
    told.facts.problem = WhyNotAsked(probed);
  }
  return [told, probed, &files = host.files](Facts& facts) {
    facts.endpoints = Merged(probed);
    facts.cluster = told.facts;
    NoteBootstrap(probed, facts);
    AddRendered(told.rendered, files, facts);
    facts.looked_at.push_back(fmt::format("{} addresses of the API", facts.endpoints.size()));
    if (told.facts.asked) {
      facts.looked_at.emplace_back(
          "the cluster: configuration, nodes, tokens, Pods of "
          "kube-system");
    } else {
      facts.unseen.push_back("the cluster: " + told.facts.problem.value_or(""));
    }
    std::ranges::copy(told.unseen, std::back_inserter(facts.unseen));
  };
}

}  // namespace doctor
