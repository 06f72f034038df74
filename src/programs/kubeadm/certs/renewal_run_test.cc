#include "kubeadm/certs/renewal_run.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "certs/fake_context.h"

namespace kubeadm {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RenewalRunTest : public testing::Test {
 protected:
  RenewalRunTest() {
    context_.MakeAll();
    // A moment at which the certificates, which last a year, have a month left.
    context_.fake.clock.Set(certs::FakeContext::kStart + hours(24 * 335));
  }

  RenewalResult Run(const RenewalOptions& options) {
    return RunRenewal(ManagedRows(context_.config.cluster), context_.config, options,
                      context_.fake.host,
                      [this](const std::string& line) { lines_.push_back(line); });
  }

  certs::FakeContext context_;
  std::vector<std::string> lines_;
};

TEST_F(RenewalRunTest, ADryRunSaysWhatItWouldDoAndChangesNothing) {
  const std::size_t writes = context_.fake.files.written().size();
  const std::string manifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";
  context_.fake.files.Write(manifest, "kind: Pod\n", {});
  const RenewalResult result = Run({.dry_run = true, .restart = true});
  EXPECT_EQ(context_.fake.files.written().size(), writes + 1);
  EXPECT_THAT(result.restarted, ElementsAre("kube-apiserver"));
  EXPECT_EQ(lines_.back(), "kube-apiserver would be restarted");
  EXPECT_THAT(lines_, testing::Contains(HasSubstr(" would be renewed")));
  EXPECT_EQ(json::Compact(ResultObject(result)).find(R"("dryRun":false)"), std::string::npos);
}

TEST_F(RenewalRunTest, WhatLastsLongEnoughIsLeftAlone) {
  const RenewalResult none = Run({.within = hours(24 * 29)});
  EXPECT_THAT(none.RenewedNames(), IsEmpty());
  EXPECT_THAT(lines_, testing::Contains(HasSubstr("is valid until")));
  const RenewalResult all = Run({.within = hours(24 * 31)});
  EXPECT_THAT(all.RenewedNames(), ElementsAre("apiserver", "apiserver-etcd-client",
                                              "apiserver-kubelet-client", "etcd-healthcheck-client",
                                              "etcd-peer", "etcd-server", "front-proxy-client"));
}

TEST_F(RenewalRunTest, TheResultHasARowForEachCertificate) {
  const RenewalResult result = Run({});
  const json::Ordered object = ResultObject(result);
  EXPECT_EQ(object["kind"], "CertificateRenewal");
  EXPECT_EQ(object["certificates"].size(), 11U);
  EXPECT_EQ(json::Compact(object["certificates"][0]),
            R"({"name":"admin.conf","outcome":"missing"})");
  EXPECT_EQ(object["certificates"][1]["name"], "apiserver");
  EXPECT_EQ(object["certificates"][1]["outcome"], "renewed");
  EXPECT_THAT(object["restarted"], IsEmpty());
}

TEST_F(RenewalRunTest, WithAnExternalEtcdItsCertificatesAreNobodysBusinessHere) {
  context_.config.cluster.etcd.local.reset();
  context_.config.cluster.etcd.external.emplace();
  for (const certs::Renewable* row : ManagedRows(context_.config.cluster)) {
    EXPECT_EQ(row->name.find("etcd"), std::string_view::npos) << row->name;
  }
}

}  // namespace
}  // namespace kubeadm
