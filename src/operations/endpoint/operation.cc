// SPDX-License-Identifier: Apache-2.0
#include "endpoint/operation.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/secret_text.h"
#include "certs/renewal.h"
#include "config/paths.h"
#include "json/value.h"
#include "kube/kubeconfig.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "node_identity/recovery/recover.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "stored_config/upload.h"

namespace endpoint {
namespace {

namespace fs = host::fs;
namespace resources = kube::resources;
using base::Error;
using engine::StepContext;
using engine::Where;

constexpr const char* kEndpoint = "endpoint";       // a field of the intent
constexpr const char* kFinish = "endpoint-finish";  // engine::Operation::name
constexpr const char* kFiles = "files";             // a step
// Steps whose completion no fact shows.
constexpr const char* kComponents = "components";
constexpr const char* kKubelet = "kubelet";

using Names = std::function<pki::SubjectAltNames(const pki::SubjectAltNames&)>;

const certs::Renewable& ApiServerRow() { return certs::FindRenewable("apiserver"); }

certs::RenewalContext RenewalBy(const EndpointFacts& seen, const EndpointDeps& deps, Names names) {
  return {
      .files = deps.host.files,
      .cluster = seen.config.cluster,
      .kubeconfig_dir = fs::path(config::kKubernetesDir),
      .start = deps.start,
      .new_key =
          [&seen] { return pki::PrivateKey::Generate(certs::AlgorithmFor(seen.config.cluster)); },
      .names = std::move(names)};
}

// Sets the server in the kubeconfig of a ConfigMap. Removes the signatures of ConfigMap
// cluster-info, because they are for the old text. The controller manager creates new signatures.
void Lead(kube::Client& client, const kube::ObjectName& name, const std::string& key,
          const std::string& url) {
  client.Retry(fmt::format("could not write ConfigMap \"{}\"", name.name), [&] {
    json::Value object = client.Get({resources::kConfigMap, name.name_space, name.name});
    kube::Kubeconfig conf = kube::Kubeconfig::Parse(json::TextAt(object, {"data", key}));
    for (auto& [cluster_name, cluster] : conf.clusters) {
      cluster.server = url;
    }
    json::Value& data = object["data"];
    data[key] = conf.Text();
    std::erase_if(data.get_ref<json::Value::object_t&>(),
                  [](const auto& each) { return each.first.starts_with("jws-kubeconfig-"); });
    client.Update(resources::kConfigMap, object);
  });
}

// The steps of one change. Functions of the engine hold a pointer to this object.
class Steps {
 public:
  Steps(SetPlan plan, EndpointFacts seen, EndpointDeps deps)
      : plan_(std::move(plan)), seen_(std::move(seen)), deps_(std::move(deps)) {}

  void Reissue(StepContext& context, const pki::SubjectAltNames& wanted) const {
    context.ReissueCertificate(
        ApiServerRow(),
        RenewalBy(seen_, deps_, [&wanted](const pki::SubjectAltNames&) { return wanted; }));
  }

  // Waits until the API server has reloaded its certificate. It does so when the files change.
  void WaitForCertificate(StepContext& context) const;

  void UploadCluster(StepContext& context, const config::ClusterConfiguration& cluster) const {
    stored_config::UploadKubeadmConfig(*deps_.client, cluster);
    context.Say(fmt::format("ConfigMap kubeadm-config names {}", cluster.control_plane_endpoint));
  }

  void LeadClusterInfo(StepContext& context) const {
    Lead(*deps_.client, {kube::kPublicNamespace, "cluster-info"}, "kubeconfig", Url());
    context.Say(fmt::format("ConfigMap cluster-info names {}", plan_.endpoint));
  }

  void LeadKubeProxy(StepContext& context) const {
    Lead(*deps_.client, {kube::kSystemNamespace, "kube-proxy"}, "kubeconfig.conf", Url());
    const std::optional<ChangeRecord>& record = plan_.record ? plan_.record : seen_.record;
    context.Say(fmt::format("ConfigMap kube-proxy names {}", plan_.endpoint));
    context.RollKubeProxy(*deps_.client,
                          record && record->switched ? *record->switched : seen_.now);
  }

  void RewriteFiles(StepContext& context) const;
  void RestartReaders(StepContext& context) const;
  void RestartKubelet(StepContext& context) const;

  void MarkNode() const {
    SetMark(*deps_.client, seen_.config.init.node_registration.name, plan_.endpoint);
  }

  const SetPlan& plan() const { return plan_; }
  const EndpointFacts& seen() const { return seen_; }
  const EndpointDeps& deps() const { return deps_; }

 private:
  std::string Url() const { return UrlOf(plan_.endpoint); }
  static_pods::ProbeOf Probes() const {
    return static_pods::ServingProbes(deps_.host, seen_.config.cluster,
                                      seen_.config.init.local_api_endpoint);
  }

  const SetPlan plan_;
  const EndpointFacts seen_;
  const EndpointDeps deps_;
};

void Steps::WaitForCertificate(StepContext& context) const {
  base::WithContext("the API server does not serve its new certificate", [&] {
    kube::WaitUntil(static_pods::UntilAnswered(Probes()(components::Component::kApiServer)),
                    {.clock = deps_.host.clock,
                     .most = std::chrono::milliseconds(500),
                     .limit = deps_.limit,
                     .stop = context.Stop(),
                     .culprit = {}});
  });
}

void Steps::RewriteFiles(StepContext& context) const {
  for (const KubeconfigChange& change : plan_.files) {
    kube::Kubeconfig conf = kube::Kubeconfig::Parse(deps_.host.files.Read(change.path));
    conf.clusters.at(conf.CurrentContext()->cluster).server = Url();
    context.WriteFile(change.path, base::SecretText(conf.Text()), 0600);
    context.Say(fmt::format("{} names {}", change.path.string(), plan_.endpoint));
  }
}

std::vector<components::Component> ReadersOf(const SetPlan& plan) {
  std::vector<components::Component> readers;
  for (const KubeconfigChange& change : plan.files) {
    if (change.reader) {
      readers.push_back(*change.reader);
    }
  }
  std::ranges::sort(readers);
  return readers;
}

void Steps::RestartReaders(StepContext& context) const {
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  static_pods::RestartContext restart = context.RestartBy(*runtime, Probes());
  restart.limit = deps_.limit;
  restart.restart_kubelet = context.RestartForLostPods();
  static_pods::Restart(ReadersOf(plan_), restart);
}

void Steps::RestartKubelet(StepContext& context) const {
  if (deps_.wait_for_endpoint) {
    kubelet_recovery::Restart(seen_.config.init.node_registration.name, context);
    return;
  }
  context.Say("Restarting the kubelet; its Pods continue to run");
  kubelet::RequireRestart(deps_.host);
}

using Shared = std::shared_ptr<const Steps>;

void AddCertificate(const Shared& steps, const std::optional<pki::SubjectAltNames>& names,
                    std::vector<engine::Step>& list) {
  if (names) {
    list.push_back({.id = "certificate",
                    .line = "reissue the API server's certificate",
                    .apply = [steps, names = *names](StepContext& context) {
                      steps->Reissue(context, names);
                    }});
  }
  if (steps->seen().control_plane) {
    list.push_back(
        {.id = "serving",
         .line = "wait until the API server serves its certificate",
         .apply = [steps](StepContext& context) { steps->WaitForCertificate(context); }});
  }
}

void AddObjects(const Shared& steps, std::vector<engine::Step>& list) {
  const SetPlan& plan = steps->plan();
  if (plan.record) {
    list.push_back({.id = "record",
                    .line = "record the change in the cluster",
                    .where = Where::kCluster,
                    .apply = [steps](StepContext&) {
                      PutRecord(*steps->deps().client, *steps->plan().record);
                    }});
  }
  if (plan.cluster) {
    list.push_back({.id = "kubeadm-config",
                    .line = "write the endpoint to ConfigMap kubeadm-config",
                    .where = Where::kCluster,
                    .apply = [steps](StepContext& context) {
                      steps->UploadCluster(context, *steps->plan().cluster);
                    }});
  }
  if (plan.cluster_info) {
    list.push_back({.id = "cluster-info",
                    .line = "write the endpoint to ConfigMap cluster-info",
                    .where = Where::kCluster,
                    .apply = [steps](StepContext& context) { steps->LeadClusterInfo(context); }});
  }
  if (plan.kube_proxy) {
    list.push_back({.id = "kube-proxy",
                    .line = "write the endpoint to ConfigMap kube-proxy, and replace its Pods",
                    .where = Where::kCluster,
                    .apply = [steps](StepContext& context) { steps->LeadKubeProxy(context); }});
  }
}

void AddNode(const Shared& steps, std::vector<engine::Step>& list) {
  const SetPlan& plan = steps->plan();
  if (plan.rewrites) {
    list.push_back({.id = kFiles,
                    .line = plan.files.size() == 1
                                ? "write the endpoint to 1 file"
                                : fmt::format("write the endpoint to {} files", plan.files.size()),
                    .apply = [steps](StepContext& context) { steps->RewriteFiles(context); }});
  }
  if (!ReadersOf(plan).empty()) {
    list.push_back({.id = kComponents,
                    .line = "restart the components that read these files",
                    .apply = [steps](StepContext& context) { steps->RestartReaders(context); }});
  }
  if (plan.kubelet) {
    list.push_back({.id = kKubelet,
                    .line = "restart the kubelet",
                    .apply = [steps](StepContext& context) { steps->RestartKubelet(context); }});
  }
  if (plan.mark) {
    list.push_back({.id = "mark",
                    .line = "annotate the Node with the endpoint",
                    .where = Where::kCluster,
                    .apply = [steps](StepContext&) { steps->MarkNode(); }});
  }
}

engine::Operation NewOperation(const char* name, const std::string& endpoint) {
  return {.name = name,
          .tag = "endpoint",
          .intent = {{kEndpoint, endpoint}},
          .facts = json::Value::object(),
          .steps = {},
          .can_roll_back = false};
}

}  // namespace

void RequireKeys(const EndpointFacts& seen, const EndpointDeps& deps) {
  if (certs::JudgeRenewal(ApiServerRow(), RenewalBy(seen, deps, {})) ==
      certs::RenewalOutcome::kExternalCa) {
    throw Error(Error::Kind::kInvalid,
                "the API server's certificate has to be issued again, and the key of its CA is not "
                "here: have one issued with the names that the endpoint needs, by 'kubeadm certs "
                "generate-csr --config FILE --cert-dir DIR --kubeconfig-dir DIR'; nothing was "
                "changed");
  }
}

void RequireKubelet(const SetPlan& plan, const EndpointDeps& deps, const std::stop_token& stop) {
  if (!ReadersOf(plan).empty()) {
    base::WithContext("nothing was changed", [&] { kubelet::RequireRunning(deps.host, stop); });
  }
}

engine::Operation PlanSet(const SetPlan& plan, const EndpointFacts& seen,
                          const EndpointDeps& deps) {
  engine::Operation operation = NewOperation("endpoint-set", plan.endpoint);
  if (IsEmpty(plan)) {
    return operation;
  }
  const auto steps = std::make_shared<const Steps>(plan, seen, deps);
  AddCertificate(steps, plan.names, operation.steps);
  AddObjects(steps, operation.steps);
  AddNode(steps, operation.steps);
  return operation;
}

engine::Operation PlanFinish(const FinishPlan& plan, const EndpointFacts& seen,
                             const ChangeRecord& record, const Ending& ending,
                             const EndpointDeps& deps) {
  engine::Operation operation = NewOperation(kFinish, record.endpoint);
  const auto steps =
      std::make_shared<const Steps>(SetPlan{.endpoint = record.endpoint}, seen, deps);
  if (plan.cluster) {
    operation.steps.push_back(
        {.id = "kubeadm-config",
         .line = "remove the old names from ConfigMap kubeadm-config",
         .where = Where::kCluster,
         .apply = [steps, cluster = *plan.cluster](StepContext& context) {
           stored_config::UploadKubeadmConfig(*steps->deps().client, cluster);
           context.Say("ConfigMap kubeadm-config does not ask for the old names any more");
         }});
  }
  AddCertificate(steps, plan.names, operation.steps);
  operation.steps.push_back(
      {.id = "close",
       .line = "remove the record of the change once no API server serves an old name",
       .where = Where::kCluster,
       .apply = [steps, record, ending](StepContext& context) {
         const EndpointDeps& with = steps->deps();
         context.Say(Close({.host = with.host, .client = *with.client, .stop = context.Stop()},
                           steps->seen(), record, ending));
       }});
  return operation;
}

engine::Operation NothingToFinish() { return NewOperation(kFinish, ""); }

std::optional<engine::Journal> FindInterrupted(const engine::Operation& operation,
                                               const host::Files& files) {
  std::optional<engine::Journal> journal = engine::LoadJournal(files, operation.name);
  if (!journal || operation.steps.empty()) {
    return journal;
  }
  if (journal->intent != operation.intent) {
    return std::nullopt;
  }
  const bool rewrites = std::ranges::contains(operation.steps, kFiles, &engine::Step::id);
  std::erase_if(journal->steps, [&](const engine::StepRecord& step) {
    return rewrites || (step.id != kComponents && step.id != kKubelet);
  });
  return journal;
}

}  // namespace endpoint
