// SPDX-License-Identifier: Apache-2.0
#include "endpoint/apply.h"

#include <fmt/core.h>

#include <algorithm>

#include "addons/kube_proxy.h"
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
#include "kubelet_recovery/recover.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "stored_config/upload.h"
#include "upgrade/backup.h"

namespace endpoint {
namespace {

namespace fs = host::fs;
namespace resources = kube::resources;
using base::Error;

using Names = std::function<pki::SubjectAltNames(const pki::SubjectAltNames&)>;

const certs::Renewable& ApiServerRow() {
  return *std::ranges::find(certs::Renewables(), "apiserver", &certs::Renewable::name);
}

certs::RenewalContext RenewalBy(const Seen& seen, const Engine& engine, Names names) {
  return {
      .files = engine.host.files,
      .cluster = seen.config.cluster,
      .kubeconfig_dir = fs::path(config::kKubernetesDir),
      .start = engine.start,
      .new_key =
          [&seen] { return pki::PrivateKey::Generate(certs::AlgorithmFor(seen.config.cluster)); },
      .names = std::move(names)};
}

// Copies of replaced files, in a directory that is created on first use.
class Backup {
 public:
  explicit Backup(host::Host& host) : host_(host) {}

  void Keep(const fs::path& file) {
    if (directory_.empty()) {
      directory_ = upgrade::MakeBackupDirectory(host_, "kubeadm-endpoint");
    }
    upgrade::KeepFile(host_.files, file, directory_);
  }

 private:
  host::Host& host_;
  fs::path directory_;
};

void Reissue(const pki::SubjectAltNames& wanted, const Seen& seen, const Engine& engine,
             Backup& backup) {
  const certs::RenewalContext renewal =
      RenewalBy(seen, engine, [&wanted](const pki::SubjectAltNames&) { return wanted; });
  for (const fs::path& file : certs::FilesOf(ApiServerRow(), renewal)) {
    backup.Keep(file);
  }
  certs::Renew(ApiServerRow(), renewal);
  engine.say("The API server's certificate is issued again");
}

static_pods::ProbeOf Probes(const Seen& seen, const Engine& engine) {
  return static_pods::ServingProbes(engine.host, seen.config.cluster,
                                    seen.config.init.local_api_endpoint);
}

// The API server reloads its certificate when the files change.
void WaitForCertificate(const Seen& seen, const Engine& engine) {
  base::WithContext("the API server does not serve its new certificate", [&] {
    kube::WaitUntil(
        static_pods::UntilAnswered(Probes(seen, engine)(components::Component::kApiServer)),
        {.clock = engine.host.clock,
         .most = std::chrono::milliseconds(500),
         .limit = engine.limit,
         .stop = engine.stop,
         .culprit = {}});
  });
}

// Sets the server in a ConfigMap's kubeconfig. The signatures of cluster-info are removed, as they
// sign the old text: the controller manager creates new ones.
void Lead(kube::Client& client, const kube::ObjectName& name, const std::string& key,
          const std::string& url) {
  client.Retry(fmt::format("could not write ConfigMap \"{}\"", name.name), [&] {
    json::Value object =
        client.Get(resources::kConfigMap, std::string(name.name_space), std::string(name.name));
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

void ChangeObjects(const Plan& plan, const Seen& seen, const Engine& engine) {
  const std::string url = UrlOf(plan.endpoint);
  if (plan.cluster) {
    stored_config::UploadKubeadmConfig(engine.client, *plan.cluster);
    engine.say(fmt::format("ConfigMap kubeadm-config names {}", plan.endpoint));
  }
  if (plan.cluster_info) {
    Lead(engine.client, {kube::kPublicNamespace, "cluster-info"}, "kubeconfig", url);
    engine.say(fmt::format("ConfigMap cluster-info names {}", plan.endpoint));
  }
  if (plan.kube_proxy) {
    Lead(engine.client, {kube::kSystemNamespace, "kube-proxy"}, "kubeconfig.conf", url);
    const std::optional<Record>& record = plan.record ? plan.record : seen.record;
    addons::RestartKubeProxy(engine.client,
                             record && record->switched ? *record->switched : seen.now);
    engine.say(fmt::format("ConfigMap kube-proxy names {}; its Pods are replaced", plan.endpoint));
  }
}

void ChangeFiles(const Plan& plan, const Engine& engine, Backup& backup) {
  host::Files& files = engine.host.files;
  for (const FileChange& change : plan.files) {
    kube::Kubeconfig conf = kube::Kubeconfig::Parse(files.Read(change.path));
    conf.clusters.at(conf.CurrentContext()->cluster).server = UrlOf(plan.endpoint);
    backup.Keep(change.path);
    files.Write(change.path, base::SecretText(conf.Text()), {.mode = 0600});
    engine.say(fmt::format("{} names {}", change.path.string(), plan.endpoint));
  }
}

void RestartReaders(const Plan& plan, const Seen& seen, const Engine& engine) {
  std::vector<components::Component> readers;
  for (const FileChange& change : plan.files) {
    if (change.reader) {
      readers.push_back(*change.reader);
    }
  }
  if (readers.empty()) {
    return;
  }
  std::ranges::sort(readers);
  const std::unique_ptr<cri::Runtime> runtime = engine.connect_runtime();
  static_pods::Restart(readers, {.host = engine.host,
                                 .runtime = *runtime,
                                 .probe_of = Probes(seen, engine),
                                 .limit = engine.limit,
                                 .stop = engine.stop,
                                 .restart_kubelet = [&] { kubelet::RestartKubelet(engine.host); },
                                 .say = engine.say});
}

void RestartKubelet(const Seen& seen, const Engine& engine) {
  if (engine.wait_for_endpoint) {
    kubelet_recovery::Restart(
        kubelet_recovery::Look(engine.host, seen.config.init.node_registration.name),
        {.host = engine.host, .stop = engine.stop, .say = engine.say});
    return;
  }
  engine.say("Restarting the kubelet; its Pods go on");
  kubelet::RequireRestart(engine.host);
}

}  // namespace

void CheckKeys(const Seen& seen, const Engine& engine) {
  if (certs::JudgeRenewal(ApiServerRow(), RenewalBy(seen, engine, {})) ==
      certs::RenewalOutcome::kExternalCa) {
    throw Error(Error::Kind::kInvalid,
                "the API server's certificate has to be issued again, and the key of its CA is not "
                "here: have one issued with the names that the endpoint needs, by 'kubeadm certs "
                "generate-csr --config FILE --cert-dir DIR --kubeconfig-dir DIR'; nothing was "
                "changed");
  }
}

void Apply(const Plan& plan, const Seen& seen, const Engine& engine) {
  if (std::ranges::any_of(plan.files,
                          [](const FileChange& file) { return file.reader.has_value(); })) {
    base::WithContext("nothing was changed",
                      [&] { kubelet::RequireRunning(engine.host, engine.stop); });
  }
  Backup backup(engine.host);
  if (plan.names) {
    Reissue(*plan.names, seen, engine, backup);
  }
  if (seen.control_plane) {
    WaitForCertificate(seen, engine);
  }
  if (plan.record) {
    PutRecord(engine.client, *plan.record);
  }
  ChangeObjects(plan, seen, engine);
  ChangeFiles(plan, engine, backup);
  RestartReaders(plan, seen, engine);
  if (plan.kubelet) {
    RestartKubelet(seen, engine);
  }
  if (plan.mark) {
    SetMark(engine.client, seen.config.init.node_registration.name, plan.endpoint);
  }
}

void Finish(const FinishPlan& plan, const Seen& seen, const Engine& engine) {
  if (plan.cluster) {
    stored_config::UploadKubeadmConfig(engine.client, *plan.cluster);
    engine.say("ConfigMap kubeadm-config does not ask for the old names any more");
  }
  Backup backup(engine.host);
  if (plan.names) {
    Reissue(*plan.names, seen, engine, backup);
  }
  WaitForCertificate(seen, engine);
}

}  // namespace endpoint
