// SPDX-License-Identifier: Apache-2.0
#include "certs/expirations.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/external.h"
#include "kube/kubeconfig.h"

namespace certs {
namespace {

using base::Error;
using Date = std::chrono::sys_seconds;

// One certificate with its own chain, or the reason for its absence.
struct Reading {
  std::vector<pki::Certificate> chain;
  Absence absence = Absence::kMissing;
  std::string problem;

  std::optional<Date> Expires() const {
    return chain.empty() ? std::nullopt : std::optional(chain.front().not_after());
  }
};

// Names the login method of a user without a client certificate.
std::string Login(const kube::KubeconfigUser& user) {
  if (user.rest.contains("exec") || user.rest.contains("auth-provider")) {
    return "a plug-in";
  }
  if (!user.token.empty() || !user.token_file.empty()) {
    return "a token";
  }
  return user.username.empty() ? "" : "a password";
}

Reading NoCertificate(const host::fs::path& path, const kube::KubeconfigUser& user) {
  const std::string login = Login(user);
  return {.absence = Absence::kNoCertificate,
          .problem = login.empty()
                         ? fmt::format("{}: its user has no client certificate", path.string())
                         : fmt::format("{}: its user logs in by {}, not by a client certificate",
                                       path.string(), login)};
}

Reading ReadNamedFile(const host::Files& files, const host::fs::path& kubeconfig,
                      const host::fs::path& named) {
  if (!IsThere(files, named)) {
    return {.problem = fmt::format("{}: the client certificate that it names is missing: {}",
                                   kubeconfig.string(), named.string())};
  }
  return {.chain = LoadChain(files, named)};
}

Reading ReadKubeconfig(const host::Files& files, const host::fs::path& path) {
  kube::Kubeconfig config = base::WithContext(
      path.string(), [&] { return kube::Kubeconfig::Parse(base::SecretText(files.Read(path))); });
  kube::LocateFiles(config, path.parent_path());
  const kube::KubeconfigUser* user = config.CurrentUser();
  if (user == nullptr) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: {}", path.string(), config.NoUserReason()));
  }
  if (!user->client_certificate_data.empty()) {
    return base::WithContext(path.string(), [&]() -> Reading {
      return {.chain = pki::Certificate::ChainFromPem(user->client_certificate_data)};
    });
  }
  return user->client_certificate.empty() ? NoCertificate(path, *user)
                                          : ReadNamedFile(files, path, user->client_certificate);
}

Reading ReadRow(const Renewable& row, const RenewalContext& context) {
  const host::fs::path path = FilesOf(row, context).back();
  if (!IsThere(context.files, path)) {
    return {};
  }
  return row.spec == nullptr ? ReadKubeconfig(context.files, path)
                             : Reading{.chain = LoadChain(context.files, path)};
}

Reading ReadAuthority(const CertSpec& spec, const RenewalContext& context) {
  const host::fs::path path = CertPath(context.cluster.certificates_dir, spec.base_name);
  return IsThere(context.files, path) ? Reading{.chain = LoadChain(context.files, path)}
                                      : Reading();
}

// Fills in the manager of a CA's certificates.
void JudgeManagement(std::string_view ca_name, const RenewalContext& context, Expiration& row) {
  const ExternalCa verdict =
      DetectExternalCa(context.files, context.cluster.certificates_dir, ca_name, context.start);
  switch (verdict.state) {
    case ExternalCa::State::kNoCertificate:
      row.externally_managed.reset();
      row.problem = fmt::format("cannot tell whether certificate authority \"{}\" is external: {}",
                                ca_name, verdict.reason);
      break;
    case ExternalCa::State::kIncomplete:
      row.externally_managed = true;
      row.problem = fmt::format("certificate authority \"{}\" is external, but incomplete: {}",
                                ca_name, verdict.reason);
      break;
    default:
      row.externally_managed = verdict.external();
  }
}

// Sets the issuer of a certificate that the CA of its row did not sign. `chain` is the certificate
// with its intermediates.
void JudgeSigner(std::vector<pki::Certificate> chain, std::string_view ca_name,
                 const RenewalContext& context, Expiration& row) {
  const host::fs::path ca = CertPath(context.cluster.certificates_dir, FindSpec(ca_name).base_name);
  if (row.name == ca_name || !row.externally_managed || !IsThere(context.files, ca)) {
    return;
  }
  const pki::Certificate leaf = chain.front();
  chain.erase(chain.begin());
  if (!pki::ChainProblem(leaf, LoadChain(context.files, ca), {.intermediates = std::move(chain)})) {
    return;
  }
  row.problem += fmt::format(
      "{}certificate \"{}\" was signed by another certificate authority, {}, and not by \"{}\" of "
      "{}",
      row.problem.empty() ? "" : "; ", row.name, base::Quoted(leaf.IssuerText()), ca_name,
      ca.string());
  if (row.externally_managed == false) {
    row.problem +=
        fmt::format(": 'kubeadm certs renew {}' has it signed by \"{}\"", row.name, ca_name);
  }
}

// Reads a row with `read`. The CA named `ca_name` decides who manages the row's certificate.
template <typename Read>
Expiration Collect(std::string_view name, std::string_view ca_name, const RenewalContext& context,
                   const Read& read) {
  Expiration row{.name = std::string(name)};
  try {
    Reading reading = read();
    row.expires = reading.Expires();
    row.absence = reading.absence;
    row.problem = std::move(reading.problem);
    if (row.expires) {
      JudgeManagement(ca_name, context, row);
      JudgeSigner(reading.chain, ca_name, context, row);
    }
  } catch (const Error& error) {
    row.expires.reset();
    row.absence = Absence::kUnreadable;
    row.problem = error.message();
  }
  return row;
}

}  // namespace

bool Expiration::IsError() const {
  return !externally_managed || (!expires && absence == Absence::kUnreadable);
}

Expirations CollectExpirations(const RenewalContext& context) {
  Expirations all;
  for (const Renewable& row : Renewables()) {
    if (IsManaged(row, context.cluster)) {
      Expiration expiration =
          Collect(row.name, row.ca, context, [&] { return ReadRow(row, context); });
      expiration.ca = expiration.expires ? row.ca : "";
      all.certificates.push_back(std::move(expiration));
    }
  }
  for (const CertSpec& spec : Tree()) {
    if (spec.is_ca() && !IsSkipped(spec, context.cluster)) {
      all.authorities.push_back(
          Collect(spec.name, spec.name, context, [&] { return ReadAuthority(spec, context); }));
    }
  }
  std::ranges::sort(all.authorities, {}, &Expiration::name);
  return all;
}

std::optional<std::chrono::sys_seconds> ExpiryOf(const Renewable& row,
                                                 const RenewalContext& context) {
  return ReadRow(row, context).Expires();
}

std::vector<std::string> ProblemsOf(const Expirations& all, ProblemKind kind) {
  std::vector<std::string> problems;
  for (const auto* list : {&all.certificates, &all.authorities}) {
    for (const Expiration& row : *list) {
      if (!row.problem.empty() && row.IsError() == (kind == ProblemKind::kErrors) &&
          !std::ranges::contains(problems, row.problem)) {
        problems.push_back(row.problem);
      }
    }
  }
  return problems;
}

}  // namespace certs
