// SPDX-License-Identifier: Apache-2.0
#include "certs/expiration_report.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace certs {
namespace {

using std::chrono::hours;
using std::chrono::sys_seconds;

constexpr sys_seconds kNow{std::chrono::seconds(1767225600)};  // 2026-01-01T00:00:00Z

Expirations Sample() {
  return {.certificates = {{.name = "admin.conf"},
                           {.name = "apiserver", .ca = "ca", .expires = kNow + hours(49)},
                           {.name = "front-proxy-client",
                            .ca = "front-proxy-ca",
                            .expires = kNow - hours(1),
                            .externally_managed = true}},
          .authorities = {{.name = "ca", .expires = kNow + hours(24 * 3650)}, {.name = "etcd-ca"}}};
}

TEST(ExpirationText, ShowsDatesResidualTimesAndMissingFiles) {
  EXPECT_EQ(TextOf({Sample(), kNow}),
            "CERTIFICATE            EXPIRES                  RESIDUAL TIME   CERTIFICATE AUTHORIT"
            "Y   EXTERNALLY MANAGED\n"
            "!MISSING! admin.conf                                                                "
            "    \n"
            "apiserver              Jan 03, 2026 01:00 UTC   2d1h            ca                  "
            "    no      \n"
            "front-proxy-client     Dec 31, 2025 23:00 UTC   <invalid>       front-proxy-ca      "
            "    yes     \n"
            "\n"
            "CERTIFICATE AUTHORITY   EXPIRES                  RESIDUAL TIME   EXTERNALLY MANAGED"
            "\n"
            "ca                      Dec 30, 2035 00:00 UTC   10y             no      \n"
            "!MISSING! etcd-ca                                                \n");
}

Expirations Unreadable() {
  return {
      .certificates = {{.name = "admin.conf",
                        .absence = Absence::kNoCertificate,
                        .problem = "it logs in by a token"},
                       {.name = "apiserver", .absence = Absence::kUnreadable, .problem = "garbage"},
                       {.name = "etcd-peer",
                        .ca = "etcd-ca",
                        .expires = kNow + hours(49),
                        .externally_managed = std::nullopt,
                        .problem = "no CA"}},
      .authorities = {}};
}

TEST(ExpirationText, MarksUnreadableRows) {
  EXPECT_EQ(TextOf({Unreadable(), kNow}),
            "CERTIFICATE                   EXPIRES                  RESIDUAL TIME   CERTIFICATE A"
            "UTHORITY   EXTERNALLY MANAGED\n"
            "!NO-CERTIFICATE! admin.conf                                                          "
            "          \n"
            "!UNREADABLE! apiserver                                                               "
            "          \n"
            "etcd-peer                     Jan 03, 2026 01:00 UTC   2d1h            etcd-ca       "
            "          unknown \n"
            "\n"
            "CERTIFICATE AUTHORITY   EXPIRES   RESIDUAL TIME   EXTERNALLY MANAGED\n");
}

TEST(ExpirationObject, IncludesTheProblemOfUnreadableRows) {
  EXPECT_EQ(json::Compact(ObjectOf({Unreadable(), kNow})["certificates"]),
            R"([{"name":"admin.conf","expirationDate":null,"residualTime":0,)"
            R"("externallyManaged":false,"missing":false,"problem":"it logs in by a token"},)"
            R"({"name":"apiserver","expirationDate":null,"residualTime":0,)"
            R"("externallyManaged":false,"missing":false,"problem":"garbage"},)"
            R"({"name":"etcd-peer","expirationDate":"2026-01-03T01:00:00Z","residualTime":176400,)"
            R"("externallyManaged":false,"caName":"etcd-ca","missing":false,)"
            R"("problem":"no CA"}])");
}

TEST(ExpirationObject, HasTheKindAndResidualSecondsEvenIfNegative) {
  const json::Ordered object = ObjectOf({Sample(), kNow});
  EXPECT_EQ(json::Compact(object),
            R"({"kind":"CertificateExpirationInfo",)"
            R"("apiVersion":"output.kubeadm.k8s.io/v1alpha3","certificates":[)"
            R"({"name":"admin.conf","expirationDate":null,"residualTime":0,)"
            R"("externallyManaged":false,"missing":true},)"
            R"({"name":"apiserver","expirationDate":"2026-01-03T01:00:00Z","residualTime":176400,)"
            R"("externallyManaged":false,"caName":"ca","missing":false},)"
            R"({"name":"front-proxy-client","expirationDate":"2025-12-31T23:00:00Z",)"
            R"("residualTime":-3600,"externallyManaged":true,"caName":"front-proxy-ca",)"
            R"("missing":false}],"certificateAuthorities":[)"
            R"({"name":"ca","expirationDate":"2035-12-30T00:00:00Z","residualTime":315360000,)"
            R"("externallyManaged":false,"missing":false},)"
            R"({"name":"etcd-ca","expirationDate":null,"residualTime":0,)"
            R"("externallyManaged":false,"missing":true}]})");
}

}  // namespace
}  // namespace certs
