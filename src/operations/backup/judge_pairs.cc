// SPDX-License-Identifier: Apache-2.0
// Checks the certificates and keys of a backup.
#include <fmt/core.h>

#include <filesystem>

#include "backup/verify.h"
#include "base/error.h"
#include "certs/tree.h"
#include "json/rfc3339.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace backup {
namespace {

using base::Error;

// Collects findings. An unreadable certificate or key is a finding, too.
class PairJudge {
 public:
  PairJudge(const std::map<std::string, std::string>& files, std::chrono::sys_seconds now)
      : files_(files), now_(now) {}

  const std::string* Find(const std::string& path) const {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : &found->second;
  }

  void Pair(const std::string& name, std::string_view certificate_pem, std::string_view key_pem) {
    Try(name, [&] {
      const pki::Certificate certificate = pki::Certificate::FromPem(certificate_pem);
      if (!(certificate.public_key() == pki::PrivateKey::FromPem(key_pem).Public())) {
        findings_.problems.push_back(name + ": the key does not belong to the certificate");
      }
      if (certificate.not_after() < now_) {
        findings_.warnings.push_back(fmt::format("{}: the certificate expired at {}", name,
                                                 json::FormatRfc3339(certificate.not_after())));
      }
      ++findings_.pairs;
    });
  }

  void Chain(const std::string& path, const std::string& ca_path) {
    const std::string* leaf = Find(path);
    const std::string* ca = Find(ca_path);
    if (leaf == nullptr || ca == nullptr) {
      return;
    }
    Try(path, [&] {
      const auto problem = pki::ChainProblem(pki::Certificate::FromPem(*leaf),
                                             pki::Certificate::ChainFromPem(*ca), {});
      if (problem) {
        findings_.problems.push_back(
            fmt::format("{}: {} did not sign it: {}", path, ca_path, *problem));
      }
    });
  }

  void ServiceAccountKey(const std::string& key_path, const std::string& public_path) {
    const std::string* key = Find(key_path);
    const std::string* shown = Find(public_path);
    if (key == nullptr || shown == nullptr) {
      findings_.problems.push_back(key_path + " or its public key is not in the backup");
      return;
    }
    Try(key_path, [&] {
      if (!(pki::PrivateKey::FromPem(*key).Public() == pki::PublicKey::FromPem(*shown))) {
        findings_.problems.push_back(key_path + ": the key does not belong to " + public_path);
      }
      ++findings_.pairs;
    });
  }

  void Kubeconfig(const std::string& path, const std::string& text) {
    Try(path, [&] {
      const kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
      const kube::KubeconfigUser* user = config.CurrentUser();
      if (user != nullptr && !user->client_certificate_data.empty()) {
        Pair(path, user->client_certificate_data, user->client_key_data);
      }
    });
  }

  PairFindings findings() const { return findings_; }

 private:
  template <typename Body>
  void Try(const std::string& name, Body body) {
    try {
      body();
    } catch (const Error& error) {
      findings_.problems.push_back(fmt::format("{}: {}", name, error.message()));
    }
  }

  const std::map<std::string, std::string>& files_;
  std::chrono::sys_seconds now_;
  PairFindings findings_;
};

}  // namespace

PairFindings JudgePairs(const Manifest& manifest, const std::map<std::string, std::string>& files,
                        std::chrono::sys_seconds now) {
  PairJudge judge(files, now);
  for (const auto& [path, content] : files) {
    const std::filesystem::path file(path);
    if (file.extension() == ".crt") {
      if (const auto* key = judge.Find(std::filesystem::path(file).replace_extension(".key"))) {
        judge.Pair(path, content, *key);
      }
    } else if (file.extension() == ".conf" && content.contains("kind: Config")) {
      judge.Kubeconfig(path, content);
    }
  }
  const std::string directory = manifest.certificates_directory + "/";
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (!spec.is_ca()) {
      judge.Chain(fmt::format("{}{}.crt", directory, spec.base_name),
                  fmt::format("{}{}.crt", directory, certs::FindSpec(spec.ca).base_name));
    }
  }
  judge.ServiceAccountKey(directory + "sa.key", directory + "sa.pub");
  return judge.findings();
}

}  // namespace backup
