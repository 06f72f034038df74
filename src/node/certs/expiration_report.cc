// SPDX-License-Identifier: Apache-2.0
#include "certs/expiration_report.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/duration.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "print/text_table.h"

namespace certs {
namespace {

using TimePoint = std::chrono::system_clock::time_point;
using Row = std::vector<std::string>;

std::string_view MarkOf(Absence absence) {
  switch (absence) {
    case Absence::kMissing:
      return "!MISSING!";
    case Absence::kNoCertificate:
      return "!NO-CERTIFICATE!";
    case Absence::kUnreadable:
      break;
  }
  return "!UNREADABLE!";
}

std::string YesOrNo(const std::optional<bool>& answer) {
  return fmt::format("{:<8}", !answer ? "unknown" : *answer ? "yes" : "no");
}

Row RowOf(const Expiration& expiration, TimePoint now) {
  if (!expiration.expires) {
    return {fmt::format("{} {}", MarkOf(expiration.absence), expiration.name)};
  }
  Row row = {expiration.name,
             fmt::format("{:%b %d, %Y %H:%M} UTC",
                         fmt::gmtime(expiration.expires->time_since_epoch().count())),
             base::HumanDuration(*expiration.expires - now)};
  if (!expiration.ca.empty()) {
    row.push_back(expiration.ca);
  }
  row.push_back(YesOrNo(expiration.externally_managed));
  return row;
}

// Formats a header and a row for each certificate. The row of a missing file has empty cells.
std::string Table(const Row& header, const std::vector<Expiration>& expirations, TimePoint now) {
  std::vector<Row> rows = {header};
  for (const Expiration& expiration : expirations) {
    rows.push_back(RowOf(expiration, now));
    rows.back().resize(header.size());
  }
  return print::TextTable(rows);
}

json::Ordered ObjectOf(const Expiration& expiration, TimePoint now) {
  json::Ordered object = {{"name", expiration.name}};
  if (expiration.expires) {
    object["expirationDate"] = json::FormatRfc3339(*expiration.expires);
    object["residualTime"] =
        std::chrono::duration_cast<std::chrono::seconds>(*expiration.expires - now).count();
  } else {
    object["expirationDate"] = nullptr;
    object["residualTime"] = 0;
  }
  object["externallyManaged"] = expiration.externally_managed.value_or(false);
  if (!expiration.ca.empty()) {
    object["caName"] = expiration.ca;
  }
  object["missing"] = !expiration.expires && expiration.absence == Absence::kMissing;
  if (!expiration.problem.empty()) {
    object["problem"] = expiration.problem;
  }
  return object;
}

json::Ordered ListOf(const std::vector<Expiration>& expirations, TimePoint now) {
  json::Ordered list = json::Ordered::array();
  for (const Expiration& expiration : expirations) {
    list.push_back(ObjectOf(expiration, now));
  }
  return list;
}

}  // namespace

std::string TextOf(const ExpirationReport& report) {
  const Row certificates = {"CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY",
                            "EXTERNALLY MANAGED"};
  const Row authorities = {"CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME",
                           "EXTERNALLY MANAGED"};
  return Table(certificates, report.all.certificates, report.now) + "\n" +
         Table(authorities, report.all.authorities, report.now);
}

json::Ordered ObjectOf(const ExpirationReport& report) {
  return {{"kind", "CertificateExpirationInfo"},
          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
          {"certificates", ListOf(report.all.certificates, report.now)},
          {"certificateAuthorities", ListOf(report.all.authorities, report.now)}};
}

}  // namespace certs
