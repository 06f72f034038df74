// SPDX-License-Identifier: Apache-2.0
#include "static_pods/serving.h"

#include <fmt/core.h>

#include "base/error.h"
#include "certs/disk.h"
#include "config/paths.h"
#include "http/client.h"
#include "kubeconfigs/load.h"
#include "pki/certificate.h"
#include "static_pods/endpoints.h"
#include "static_pods/static_pod.h"

namespace static_pods {

namespace fs = std::filesystem;
namespace {

using components::Component;

using base::Error;
using kube::NotYet;

constexpr std::chrono::milliseconds kProbeTimeout{5'000};

// Returns the first TLS address that etcd listens on for clients.
std::string EtcdUrl(const host::Files& files) {
  const auto pod = ReadManifest(files, Component::kEtcd);
  const std::string urls = pod ? CommandArg(*pod, "listen-client-urls").value_or("") : "";
  const std::string first = urls.substr(0, urls.find(','));
  return (first.empty() ? "https://127.0.0.1:2379" : first) + "/health";
}

// Returns a probe that succeeds if the server answers and presents the certificate `wanted`. Only a
// bytewise comparison with `wanted` verifies the server.
kube::Probe ServedProbe(const std::string& url, http::Tls tls, const pki::Certificate& wanted) {
  tls.skip_verify = true;
  return [=](const std::stop_token& stop) -> std::optional<NotYet> {
    // Connects afresh each time: a kept-alive connection keeps showing the certificate of its
    // handshake.
    const http::Response response =
        http::Client(tls).Do({.url = url,
                              .timeout = kProbeTimeout,
                              .connect_timeout = kProbeTimeout,
                              .stop = stop,
                              .proxy = "",
                              .peer_certificate = http::PeerCertificate::kReported});
    if (response.status != 200) {
      return NotYet{fmt::format("{} answers with status {}", url, response.status)};
    }
    const auto shown = pki::Certificate::FromPem(response.peer_certificate_pem);
    if (shown == wanted) {
      return std::nullopt;
    }
    return NotYet{fmt::format("{} still shows the certificate with serial number {}, not {}", url,
                              shown.SerialHex(), wanted.SerialHex())};
  };
}

http::Tls ClientOf(const host::Files& files, const fs::path& dir, std::string_view base) {
  return {.certificate_pem = files.Read(certs::CertPath(dir, base)),
          .key_pem = files.Read(certs::KeyPath(dir, base))};
}

// Throws unless the API server authenticates the user of a kubeconfig file. The user's rights do
// not matter.
void RequireLogin(const host::Files& files, const fs::path& path, const std::stop_token& stop) {
  try {
    const kube::Kubeconfig kubeconfig = kubeconfigs::LoadKubeconfig(files, path);
    kube::MakeHttpTransport(kubeconfig, {.request_timeout = kProbeTimeout})->GetPath("/api", stop);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.message()));
    }
  }
}

// Returns a probe that succeeds if the component is healthy and the API server accepts the
// component's kubeconfig. Health alone is not enough: a component is healthy even before it has
// used its kubeconfig.
kube::Probe ClientProbe(const std::string& url, const host::Files& files,
                        const fs::path& kubeconfig) {
  return [healthy = kube::UrlProbe(url, kProbeTimeout), &files,
          kubeconfig](const std::stop_token& stop) {
    std::optional<NotYet> not_yet = healthy(stop);
    if (!not_yet) {
      RequireLogin(files, kubeconfig, stop);
    }
    return not_yet;
  };
}

}  // namespace

ProbeOf ServingProbes(const host::Host& host, const config::ClusterConfiguration& cluster,
                      const config::ApiEndpoint& local) {
  return [&host, dir = fs::path(cluster.certificates_dir),
          local](Component component) -> kube::Probe {
    if (component == Component::kEtcd) {
      return ServedProbe(EtcdUrl(host.files), ClientOf(host.files, dir, "etcd/healthcheck-client"),
                         certs::LoadChain(host.files, certs::CertPath(dir, "etcd/server")).front());
    }
    const auto pod = ReadManifest(host.files, component);
    const std::string url = EndpointOf(component, pod.value_or(json::Value::object()), local).Url();
    if (component != Component::kApiServer) {
      return ClientProbe(url, host.files,
                         fs::path(config::kKubernetesDir) / RowOf(component).kubeconfig.value());
    }
    return ServedProbe(url, ClientOf(host.files, dir, "apiserver-kubelet-client"),
                       certs::LoadChain(host.files, certs::CertPath(dir, "apiserver")).front());
  };
}

kube::Probe UntilAnswered(kube::Probe probe) {
  return [probe = std::move(probe)](const std::stop_token& stop) -> std::optional<kube::NotYet> {
    try {
      return probe(stop);
    } catch (const Error& error) {
      // An untrusted certificate will not be trusted later.
      if (error.kind() == Error::Kind::kUnauthorized) {
        throw;
      }
      return kube::NotYet{error.message()};
    }
  };
}

}  // namespace static_pods
