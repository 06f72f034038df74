// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/ca_files.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/fake_error.h"
#include "base/strings.h"
#include "ca_rotation/fake_authority.h"
#include "ca_rotation/holders.h"
#include "certs/disk.h"
#include "certs/fake_context.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/create.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using components::Component;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kManager = R"(apiVersion: v1
kind: Pod
spec:
  containers:
  - command:
    - kube-controller-manager
    - --cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt
    - --root-ca-file=/etc/kubernetes/pki/ca.crt
)";

// A control-plane node with all certificates and kubeconfig files.
class CaFilesTest : public testing::Test {
 protected:
  CaFilesTest() {
    made_.MakeAll();
    for (const kubeconfigs::KubeconfigSpec& spec : kubeconfigs::InitSpecs()) {
      kubeconfigs::EnsureKubeconfig(spec, {.files = files(),
                                           .config = made_.config,
                                           .dir = "/etc/kubernetes",
                                           .ca_dir = certs::FakeContext::kDir,
                                           .start = certs::FakeContext::kStart,
                                           .new_key = made_.Get().new_key,
                                           .periods = made_.periods});
    }
    files().Write(components::ManifestPath(Component::kControllerManager), kManager, {});
  }

  host::Files& files() { return made_.fake.files; }
  AuthorityFiles At(std::string_view authority) {
    return {.files = files(), .authority = Named(authority), .certs_dir = certs::FakeContext::kDir};
  }
  Anchor Begin(std::string_view authority) {
    return NewPair(At(authority), made_.config.cluster, certs::FakeContext::kStart);
  }
  // Each function applies a step, and returns whether the controller manager gets a new Pod.
  bool Trust(std::string_view authority) { return Replaced(WriteTrust(At(authority))); }
  bool Drop(std::string_view authority) { return Replaced(WriteDrop(At(authority))); }
  bool Reissue(std::string_view authority) {
    return Replaced(WriteReissue(At(authority), {.files = files(),
                                                 .cluster = made_.config.cluster,
                                                 .kubeconfig_dir = "/etc/kubernetes",
                                                 .start = certs::FakeContext::kStart,
                                                 .new_key = made_.Get().new_key}));
  }
  bool Replaced(const std::optional<static_pods::Replacement>& replacement) {
    if (replacement) {
      static_pods::WriteManifest(files(), replacement->component, replacement->pod);
    }
    return replacement.has_value();
  }
  // Returns the completed step according to the files. Ignores the kubelet's own certificate,
  // because another function renews it.
  std::optional<Step> Done(std::string_view authority, const Anchor& fresh) {
    std::vector<Holder> holders = ReadHolders(At(authority), {});
    for (Holder& holder : holders) {
      if (holder.name.ends_with("kubelet.conf")) {
        holder.signer.reset();
      }
    }
    return StepDoneBy(holders, fresh.pin);
  }
  std::string Manifest() {
    return files().Read(components::ManifestPath(Component::kControllerManager));
  }
  std::vector<std::string> Pins(const fs::path& path) {
    std::vector<std::string> pins;
    for (const Anchor& anchor : ParseAnchors(files().Read(path))) {
      pins.push_back(anchor.pin);
    }
    return pins;
  }

  certs::FakeContext made_;
};

TEST_F(CaFilesTest, EachStepAdvancesAllFilesOfEachAuthority) {
  for (const Authority& authority : Authorities()) {
    const std::string old = LiveAnchors(At(authority.name)).front().pin;
    const Anchor fresh = Begin(authority.name);
    EXPECT_NE(fresh.pin, old) << authority.name;
    EXPECT_EQ(Done(authority.name, fresh), std::nullopt) << authority.name;
    Trust(authority.name);
    EXPECT_EQ(Done(authority.name, fresh), Step::kTrust) << authority.name;
    EXPECT_THAT(Pins(At(authority.name).AnchorsPath()), ElementsAre(old, fresh.pin));
    Reissue(authority.name);
    EXPECT_EQ(Done(authority.name, fresh), Step::kReissue) << authority.name;
    EXPECT_THAT(Pins(At(authority.name).AnchorsPath()), ElementsAre(fresh.pin, old));
    Drop(authority.name);
    EXPECT_EQ(Done(authority.name, fresh), Step::kDrop) << authority.name;
    EXPECT_THAT(Pins(At(authority.name).AnchorsPath()), ElementsAre(fresh.pin));
  }
}

TEST_F(CaFilesTest, IsIdempotent) {
  Begin("kubernetes");
  const std::vector<std::function<void()>> steps = {
      [&] { Trust("kubernetes"); }, [&] { Reissue("kubernetes"); }, [&] { Drop("kubernetes"); }};
  for (const auto& step : steps) {
    step();
    // The kubelet's certificate is renewed elsewhere; without its file the step counts as complete.
    files().Remove("/etc/kubernetes/kubelet.conf");
    const std::size_t written = made_.fake.files.written().size();
    step();
    EXPECT_EQ(made_.fake.files.written().size(), written);
  }
}

TEST_F(CaFilesTest, AnEarlierStepDoesNotUndoALaterOne) {
  const Anchor fresh = Begin("etcd");
  Trust("etcd");
  Reissue("etcd");
  Trust("etcd");
  EXPECT_EQ(Done("etcd", fresh), Step::kReissue);
}

TEST_F(CaFilesTest, ResumesAnInterruptedReissue) {
  const Anchor fresh = Begin("kubernetes");
  Trust("kubernetes");
  made_.fake.files.FailWritesTo("/etc/kubernetes/pki/apiserver-kubelet-client.crt");
  EXPECT_NE(base::MessageOf([&] { Reissue("kubernetes"); }), "");
  EXPECT_EQ(Done("kubernetes", fresh), Step::kTrust);
  const pki::Certificate apiserver = made_.Certificate("apiserver.crt");
  host::RealFiles same(made_.fake.directory.path(), host::Durability::kUnsynced);
  const AuthorityFiles place{
      .files = same, .authority = Named("kubernetes"), .certs_dir = certs::FakeContext::kDir};
  WriteReissue(place, {.files = same,
                       .cluster = made_.config.cluster,
                       .kubeconfig_dir = "/etc/kubernetes",
                       .start = certs::FakeContext::kStart,
                       .new_key = made_.Get().new_key});
  EXPECT_EQ(Done("kubernetes", fresh), Step::kReissue);
  EXPECT_TRUE(made_.Certificate("apiserver.crt") == apiserver);
}

TEST_F(CaFilesTest, TheControllerManagerSignsWithOneCertificate) {
  Begin("kubernetes");
  const fs::path signing = "/etc/kubernetes/pki/rotate-ca/kubernetes/signing.crt";
  EXPECT_TRUE(Trust("kubernetes"));
  EXPECT_THAT(Manifest(), HasSubstr("--cluster-signing-cert-file=" + signing.string()));
  EXPECT_THAT(Manifest(), HasSubstr("--root-ca-file=/etc/kubernetes/pki/ca.crt"));
  EXPECT_FALSE(Trust("kubernetes"));
  Reissue("kubernetes");
  const auto key = certs::LoadKey(files(), "/etc/kubernetes/pki/ca.key");
  EXPECT_EQ(certs::LoadChain(files(), signing).front().public_key(), key.Public());
  EXPECT_TRUE(Drop("kubernetes"));
  EXPECT_THAT(Manifest(), HasSubstr("--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt"));
}

TEST_F(CaFilesTest, RepeatsAnInterruptedReplacement) {
  Begin("kubernetes");
  const auto cut_off = [&] {
    auto pod = *static_pods::ReadManifest(files(), Component::kControllerManager);
    pod["metadata"]["annotations"][std::string(static_pods::kReplacingAnnotation)] = "0";
    static_pods::WriteManifest(files(), Component::kControllerManager, pod);
  };
  const std::vector<std::function<bool()>> steps = {[&] { return Trust("kubernetes"); },
                                                    [&] { return Reissue("kubernetes"); },
                                                    [&] { return Drop("kubernetes"); }};
  for (const auto& step : steps) {
    step();
    cut_off();
    EXPECT_TRUE(step());
    EXPECT_THAT(Manifest(), Not(HasSubstr(std::string(static_pods::kReplacingAnnotation))));
    EXPECT_FALSE(step());
  }
}

TEST_F(CaFilesTest, ClientsOfTheOldAuthorityTrustTheServerUntilTheDrop) {
  const auto chain = [&] {
    return certs::LoadChain(files(), certs::FakeContext::Path("apiserver.crt"));
  };
  const pki::Certificate old = made_.Certificate("ca.crt");
  Begin("kubernetes");
  Trust("kubernetes");
  Reissue("kubernetes");
  ASSERT_EQ(chain().size(), 2U);
  EXPECT_EQ(pki::ChainProblem(chain()[0], {old}, {.intermediates = {chain()[1]}}), std::nullopt);
  Reissue("kubernetes");
  EXPECT_EQ(chain().size(), 2U);
  const pki::Certificate leaf = chain()[0];
  Drop("kubernetes");
  ASSERT_EQ(chain().size(), 1U);
  EXPECT_TRUE(chain()[0] == leaf);
}

TEST_F(CaFilesTest, ASigningCertificateOfTheUsersOwnStays) {
  files().Write(components::ManifestPath(Component::kControllerManager),
                base::ReplaceAll(kManager, "cert-file=/etc/kubernetes/pki/ca", "cert-file=/own"),
                {});
  const std::string before = Manifest();
  Begin("kubernetes");
  EXPECT_FALSE(Trust("kubernetes"));
  EXPECT_EQ(Manifest(), before);
}

TEST_F(CaFilesTest, ForeignAuthoritiesInAKubeconfigStay) {
  const Anchor foreign = ParseAnchors(made_.Text("front-proxy-ca.crt")).front();
  kube::Kubeconfig admin = kube::Kubeconfig::Parse(files().Read("/etc/kubernetes/admin.conf"));
  admin.clusters.begin()->second.certificate_authority_data += foreign.pem;
  files().Write("/etc/kubernetes/admin.conf", admin.Text(), {});
  const Anchor fresh = Begin("kubernetes");
  Trust("kubernetes");
  admin = kube::Kubeconfig::Parse(files().Read("/etc/kubernetes/admin.conf"));
  const auto anchors = ParseAnchors(admin.CurrentCluster()->certificate_authority_data);
  EXPECT_EQ(anchors.size(), 3U);
  EXPECT_EQ(anchors.back(), foreign);
  EXPECT_EQ(Done("kubernetes", fresh), Step::kTrust);
}

TEST_F(CaFilesTest, AWorkerGetsTheNewAuthorityFromTheCluster) {
  const Anchor old = LiveAnchors(At("kubernetes")).front();
  certs::FakeContext other;
  other.MakeCas();
  const Anchor fresh = ParseAnchors(other.Text("ca.crt")).front();
  AuthorityFiles place = At("kubernetes");
  place.control_plane = false;
  EXPECT_EQ(StepDoneBy(ReadHolders(place, fresh), fresh.pin), std::nullopt);
  SetAnchors(place, {old, fresh});
  EXPECT_EQ(StepDoneBy(ReadHolders(place, fresh), fresh.pin), Step::kTrust);
  SetAnchors(place, {fresh});
  const auto holders = ReadHolders(place, fresh);
  EXPECT_THAT(holders.size(), 2);
  for (const Holder& holder : holders) {
    EXPECT_THAT(holder.trusts, testing::Optional(ElementsAre(fresh.pin))) << holder.name;
  }
}

TEST_F(CaFilesTest, StoresPairsForRootAlone) {
  const Anchor fresh = Begin("kubernetes");
  EXPECT_EQ(FindSaved(At("kubernetes"), Generation::kNew), fresh);
  EXPECT_EQ(made_.Mode("rotate-ca/kubernetes/new.key"), 0600U);
  EXPECT_EQ(made_.Mode("rotate-ca/kubernetes"), 0700U);
  EXPECT_EQ(FindSaved(At("kubernetes"), Generation::kOld), std::nullopt);
  EXPECT_THAT(base::MessageOf([&] {
                SavePair(At("kubernetes"), Generation::kNew, fresh.pem, made_.Text("ca.key"));
              }),
              HasSubstr("do not belong together"));
}

TEST_F(CaFilesTest, AFileWithoutAnAuthorityIsNamed) {
  made_.Write("sa.pub", "nothing\n");
  EXPECT_THAT(base::MessageOf([&] { LiveAnchors(At("sa")); }),
              HasSubstr("/etc/kubernetes/pki/sa.pub holds no public key"));
}

}  // namespace
}  // namespace ca_rotation
