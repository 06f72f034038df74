// SPDX-License-Identifier: Apache-2.0
// Local and external etcd.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/validation.h"
#include "net/url.h"

namespace config {
namespace {

enum class Scheme { kAny, kHttps };

void ValidateUrl(const std::string& url, Scheme wanted, const std::string& path,
                 base::Problems& problems) {
  const auto read = net::Url::Parse(url);
  if (!read) {
    problems.Add(path, base::InvalidValue(base::Quoted(url), read.error()));
    return;
  }
  if (wanted == Scheme::kHttps && read->scheme != "https") {
    problems.Add(path, base::InvalidValue(base::Quoted(url),
                                          "with certificates the URL must have the HTTPS scheme"));
  }
  if (read->scheme.empty()) {
    problems.Add(path, base::InvalidValue(base::Quoted(url), "a URL needs a scheme"));
  }
}

void ValidateLocal(const LocalEtcd& etcd, base::Problems& problems) {
  ValidateAbsolutePath(etcd.data_dir, "etcd.local.dataDir", problems);
  ValidateSans(etcd.server_cert_sans, "etcd.local.serverCertSANs", problems);
  ValidateSans(etcd.peer_cert_sans, "etcd.local.peerCertSANs", problems);
  ValidateImageRepository(etcd.image_repository, "etcd.local.imageRepository", problems);
  ValidateArgs(etcd.extra_args, "etcd.local.extraArgs", problems);
}

void ValidateExternal(const ExternalEtcd& etcd, base::Problems& problems) {
  const bool ca = !etcd.ca_file.empty();
  const bool cert = !etcd.cert_file.empty();
  const bool key = !etcd.key_file.empty();
  if (cert != key) {
    problems.Add("etcd.external",
                 base::InvalidValue("\"\"", "certFile and keyFile are needed both or neither"));
  }
  if (!ca && cert && key) {
    problems.Add("etcd.external", base::InvalidValue("\"\"", "certFile and keyFile need caFile"));
  }
  if (etcd.endpoints.empty()) {
    problems.Add("etcd.external.endpoints",
                 base::InvalidValue("\"\"", "at least one endpoint must be specified"));
  }
  const Scheme wanted = ca || cert || key ? Scheme::kHttps : Scheme::kAny;
  for (const std::string& url : etcd.endpoints) {
    ValidateUrl(url, wanted, "etcd.external.endpoints", problems);
  }
  for (const std::string& url : etcd.http_endpoints) {
    ValidateUrl(url, Scheme::kAny, "etcd.external.httpEndpoints", problems);
  }
  struct File {
    const std::string& value;
    std::string_view name;
  };
  for (const File& file : {File{etcd.ca_file, "caFile"}, File{etcd.cert_file, "certFile"},
                           File{etcd.key_file, "keyFile"}}) {
    if (!file.value.empty()) {
      ValidateAbsolutePath(file.value, fmt::format("etcd.external.{}", file.name), problems);
    }
  }
}

}  // namespace

void ValidateEtcd(const Etcd& etcd, base::Problems& problems) {
  if (etcd.local && etcd.external) {
    problems.Add("etcd", base::InvalidValue("\"\"", "local and external are mutually exclusive"));
    return;
  }
  if (etcd.local) {
    ValidateLocal(*etcd.local, problems);
  } else if (etcd.external) {
    ValidateExternal(*etcd.external, problems);
  } else {
    problems.Add("etcd", base::InvalidValue("\"\"", "one of local and external is needed"));
  }
}

}  // namespace config
