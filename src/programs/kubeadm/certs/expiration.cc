#include "kubeadm/certs/expiration.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ostream>

#include "base/duration.h"
#include "config/paths.h"
#include "json/rfc3339.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "print/text_table.h"

namespace kubeadm {
namespace {

using certs::Expiration;
using TimePoint = std::chrono::system_clock::time_point;
using Row = std::vector<std::string>;

std::string YesOrNo(bool yes) { return yes ? "yes     " : "no      "; }

Row RowOf(const Expiration& expiration, TimePoint now) {
  if (!expiration.expires) {
    return {"!MISSING! " + expiration.name};
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
  object["externallyManaged"] = expiration.externally_managed;
  if (!expiration.ca.empty()) {
    object["caName"] = expiration.ca;
  }
  object["missing"] = !expiration.expires.has_value();
  return object;
}

json::Ordered ListOf(const std::vector<Expiration>& expirations, TimePoint now) {
  json::Ordered list = json::Ordered::array();
  for (const Expiration& expiration : expirations) {
    list.push_back(ObjectOf(expiration, now));
  }
  return list;
}

void CheckExpiration(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const config::Init config =
      LoadCertsConfig(invocation.flags, host, "[check-expiration]", [&](const std::string& line) {
        if (printer.IsText()) {
          invocation.streams.out << line << "\n";
        }
      });
  const TimePoint now = host.clock.Now();
  const certs::Expirations all =
      certs::ListExpirations({.files = host.files,
                              .cluster = config.cluster,
                              .kubeconfig_dir = config::kKubernetesDir,
                              .start = std::chrono::floor<std::chrono::seconds>(now)});
  invocation.streams.out << (printer.IsText() ? ExpirationTables(all, now)
                                              : printer.Print(ExpirationObject(all, now)));
}

}  // namespace

std::string ExpirationTables(const certs::Expirations& all, TimePoint now) {
  std::vector<Row> certificates = {
      {"CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "EXTERNALLY MANAGED"}};
  for (const Expiration& expiration : all.certificates) {
    certificates.push_back(RowOf(expiration, now));
  }
  std::vector<Row> authorities = {
      {"CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME", "EXTERNALLY MANAGED"}};
  for (const Expiration& expiration : all.authorities) {
    authorities.push_back(RowOf(expiration, now));
  }
  return print::TextTable(certificates) + "\n" + print::TextTable(authorities);
}

json::Ordered ExpirationObject(const certs::Expirations& all, TimePoint now) {
  return {{"kind", "CertificateExpirationInfo"},
          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
          {"certificates", ListOf(all.certificates, now)},
          {"certificateAuthorities", ListOf(all.authorities, now)}};
}

cli::Command CheckExpirationCommand(host::Host& host) {
  cli::Command command =
      Documented("check-expiration", "Show when the certificates expire", "certs-check-expiration");
  command.flags = CertsSourceFlags();
  for (cli::Flag& flag : PrinterFlags()) {
    command.flags.push_back(std::move(flag));
  }
  command.run = [&host](cli::Invocation& invocation) { CheckExpiration(invocation, host); };
  return command;
}

}  // namespace kubeadm
