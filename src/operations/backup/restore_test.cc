// SPDX-License-Identifier: Apache-2.0
#include "backup/restore.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "backup/writer.h"
#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "engine/operation.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "static_pods/static_pod.h"
#include "workflow/reporter.h"
#include "yaml/yaml.h"

namespace backup {
namespace {

using base::Error;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPath = "/backups/b.tar.zst";
constexpr const char* kEtcdManifest = "/etc/kubernetes/manifests/etcd.yaml";
constexpr const char* kEtcd = R"(apiVersion: v1
kind: Pod
metadata: {name: etcd}
spec:
  containers:
  - name: etcd
    command:
    - etcd
    - --name=cp
    - --initial-advertise-peer-urls=https://10.0.0.1:2380
    - --initial-cluster=other=https://10.0.0.2:2380,cp=https://10.0.0.1:2380
    - --initial-cluster-state=existing
    - --data-dir=/var/lib/etcd
)";

class RestoreTest : public testing::Test {
 protected:
  RestoreTest() {
    fake_.files.MakeDirectories("/backups", 0755);
    fake_.machine.hostname = "cp";
    fake_.processes.AddExecutable("sync");
    fake_.network.interfaces = {{.name = "eth0", .up = true, .addresses = {"10.0.0.1"}}};
    fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.37.2\n"});
    fake_.processes.AddExecutable("kubelet");
    manifest_.id = "0123";
    manifest_.kubernetes_version = "v1.37.2";
    manifest_.certificates_directory = "/etc/kubernetes/pki";
    manifest_.node = {.name = "cp", .address = "10.0.0.1", .port = 6443};
    manifest_.etcd.image = "registry.k8s.io/etcd:3.7.0-0";
    manifest_.etcd.data_directory = "/var/lib/etcd";
    manifest_.etcd.revision = 7;
    manifest_.etcd.snapshot = 8;
    Add("/etc/kubernetes/pki/ca.crt", "ca\n", Part::kPki, 0644);
    Add("/etc/kubernetes/admin.conf", "conf\n", Part::kConfig, 0600);
    Add("/var/lib/kubelet/pki/kubelet-client-1.pem", "pem\n", Part::kConfig, 0600);
    Add(kEtcdManifest, kEtcd, Part::kConfig, 0600);
    manifest_.files.push_back({.path = "/var/lib/kubelet/pki/kubelet-client-current.pem",
                               .link = "kubelet-client-1.pem"});
    WriteBackup();
  }

  void Add(const std::string& path, const std::string& content, Part part, std::int32_t mode) {
    manifest_.files.push_back({.path = path,
                               .part = part,
                               .size = static_cast<std::int64_t>(content.size()),
                               .mode = mode,
                               .link = {}});
    contents_[path] = content;
  }

  void WriteBackup() {
    fake_.files.Remove(kPath);
    Writer writer(NewOutput(fake_.files, kPath, {}), std::nullopt, 0);
    writer.AddFile(std::string(kManifestName), ManifestText(manifest_));
    for (const FileRecord& file : manifest_.files) {
      if (file.link.empty()) {
        writer.AddFile(file.Name(), contents_.at(file.path));
      }
    }
    writer.AddFile(std::string(kSnapshotName), "snapshot");
    writer.Finish();
  }

  RestoreRequest Request(std::optional<Part> only = {}) const {
    return {.file = kPath, .keys = {}, .only = only};
  }

  RestoreDeps Deps() {
    return {.host = fake_.host,
            .connect_runtime =
                [this] {
                  auto runtime = std::make_unique<cri::FakeRuntime>();
                  runtime->containers = containers_;
                  runtime->on_start = [this](const cri::OneOff& container) {
                    return Etcdutl(container);
                  };
                  return runtime;
                },
            .connect_etcd =
                [this](const etcd::Connection& connection) {
                  endpoints_ = connection.endpoints;
                  client_pem_ = connection.certificate_pem;
                  if (refusal_) {
                    throw *refusal_;
                  }
                  return Others();
                }};
  }

  // Returns the etcd of the backup's cluster, in which the members in `running_` answer.
  std::unique_ptr<etcd::Client> Others() const {
    auto client = std::make_unique<etcd::FakeClient>();
    for (const auto& [id, name] : {std::pair(2, "other"), {3, "third"}, {1, "cp"}}) {
      const std::string url = client->Start(id, name).client_urls.front();
      if (!running_.contains(name)) {
        client->statuses.erase(url);
      }
    }
    return client;
  }

  void AddMembers() {
    for (const auto& [name, address] :
         {std::pair("cp", "10.0.0.1"), {"other", "10.0.0.2"}, {"third", "10.0.0.3"}}) {
      manifest_.etcd.members.push_back({.name = name,
                                        .peer_urls = {fmt::format("https://{}:2380", address)},
                                        .client_urls = {fmt::format("https://{}:2379", address)}});
    }
    WriteBackup();
  }

  // Simulates etcdutl, which creates the data in --data-dir.
  int Etcdutl(const cri::OneOff& container) {
    command_ = container.command;
    EXPECT_EQ(fake_.files.Read("/var/lib/slipway/restore/snapshot.db"), "snapshot");
    fake_.files.Write("/var/lib/slipway/restore/" + container.name + ".log",
                      "2026-01-01T00:00:00Z stderr F no space left\n", {});
    if (status_ == 0) {
      fake_.files.Write("/var/lib/etcd/restoring/member/snap/db", "restored", {});
    }
    return status_;
  }

  // Runs all steps except those that need a real kubelet.
  void Apply(const RestoreRequest& request) {
    engine::Operation operation = PlanRestore(manifest_, request, Deps());
    std::erase_if(operation.steps, [](const engine::Step& step) {
      return step.id == "kubelet-stop" || step.id == "control-plane";
    });
    workflow::Reporter reporter(fake_.clock, {});
    engine::Run(operation, LoadInterruptedRestore(fake_.files, operation),
                {.host = fake_.host, .reporter = reporter});
  }

  std::string Refusal(const RestoreRequest& request, bool interrupted = false) {
    try {
      RequireRestorable(ReadNodeFiles(request, Deps()), request, Deps(), interrupted);
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("nothing was changed"));
      return error.message();
    }
    return "";
  }

  host::FakeHost fake_;
  Manifest manifest_;
  std::map<std::string, std::string> contents_;
  std::vector<std::string> command_;
  std::vector<cri::Container> containers_;
  int status_ = 0;
  std::set<std::string> running_;       // etcd members
  std::vector<std::string> endpoints_;  // of the last connection to etcd
  std::string client_pem_;              // of that connection
  std::optional<Error> refusal_;        // by the other members
};

TEST_F(RestoreTest, WritesTheFilesAndTheDataOfEtcd) {
  EXPECT_EQ(Refusal(Request()), "");
  Apply(Request());
  EXPECT_EQ(fake_.files.Read("/etc/kubernetes/pki/ca.crt"), "ca\n");
  EXPECT_EQ(fake_.files.Stat("/etc/kubernetes/pki/ca.crt")->mode, 0644U);
  EXPECT_EQ(fake_.files.Stat("/etc/kubernetes/admin.conf")->mode, 0600U);
  EXPECT_EQ(fake_.files.Stat("/var/lib/kubelet/pki/kubelet-client-current.pem")->kind,
            host::FileInfo::Kind::kLink);
  EXPECT_EQ(fake_.files.Read("/var/lib/kubelet/pki/kubelet-client-current.pem"), "pem\n");
  EXPECT_FALSE(fake_.files.Exists(kEtcdManifest)) << "written with the kubelet stopped, at the end";
  EXPECT_EQ(fake_.files.Read("/var/lib/etcd/member/snap/db"), "restored");
  EXPECT_FALSE(fake_.files.Exists("/var/lib/slipway/restore")) << "it has every Secret";
  EXPECT_THAT(command_,
              testing::IsSupersetOf({"/usr/local/bin/etcdutl", "--bump-revision", "17672256000000",
                                     "--mark-compacted", "cp=https://10.0.0.1:2380"}));
  EXPECT_FALSE(engine::LoadJournal(fake_.files, kRestoreOperation));
}

TEST_F(RestoreTest, IsResumedAfterAFailure) {
  status_ = 1;
  try {
    Apply(Request());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("no space left"));
  }
  EXPECT_TRUE(engine::LoadJournal(fake_.files, kRestoreOperation));
  EXPECT_THAT(Refusal(Request()), HasSubstr("has a cluster already"));
  EXPECT_EQ(Refusal(Request(), true), "");
  manifest_.id = "another";
  EXPECT_THROW(LoadInterruptedRestore(fake_.files, PlanRestore(manifest_, Request(), Deps())),
               Error);
  manifest_.id = "0123";
  status_ = 0;
  Apply(Request());
  EXPECT_EQ(fake_.files.Read("/var/lib/etcd/member/snap/db"), "restored");
}

TEST_F(RestoreTest, RestoresOnePart) {
  Apply(Request(Part::kPki));
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/pki/ca.crt"));
  EXPECT_FALSE(fake_.files.Exists("/etc/kubernetes/admin.conf"));
  EXPECT_FALSE(fake_.files.Exists("/var/lib/etcd/member"));
  Apply(Request(Part::kConfig));
  EXPECT_EQ(fake_.files.Read(kEtcdManifest), kEtcd);
  EXPECT_EQ(Refusal(Request(Part::kConfig)), "");
  fake_.files.Write("/etc/kubernetes/admin.conf", "another", {});
  EXPECT_THAT(Refusal(Request(Part::kConfig)), HasSubstr("/etc/kubernetes/admin.conf exists"));
  Apply(Request(Part::kEtcd));
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member"));
}

TEST_F(RestoreTest, RefusesANodeThatHasACluster) {
  fake_.files.Write("/etc/kubernetes/kubelet.conf", "conf", {});
  EXPECT_THAT(Refusal(Request()), HasSubstr("/etc/kubernetes/kubelet.conf exists"));
  fake_.files.Write("/var/lib/etcd/member/snap/db", "data", {});
  EXPECT_THAT(Refusal(Request()), HasSubstr("has data of etcd already"));
}

TEST_F(RestoreTest, RefusesAMachineOfAnotherAddressOrName) {
  fake_.network.interfaces.front().addresses = {"10.0.0.9"};
  EXPECT_THAT(Refusal(Request()), HasSubstr("kubeadm node readdress"));
  fake_.network.interfaces.front().addresses = {"10.0.0.1"};
  fake_.machine.hostname = "other";
  EXPECT_THAT(Refusal(Request()), HasSubstr("hostnamectl set-hostname cp"));
}

TEST_F(RestoreTest, RefusesAnExternalEtcdAndStrangeDataDirectories) {
  for (const char* directory : {"", "/", "var/lib/etcd", "/var/lib/../../etc"}) {
    manifest_.etcd.data_directory = directory;
    WriteBackup();
    EXPECT_THAT(Refusal(Request()), HasSubstr("data directory")) << directory;
  }
  manifest_.etcd.external = true;
  WriteBackup();
  EXPECT_THAT(Refusal(Request()),
              AllOf(HasSubstr("does not run the etcd"),
                    HasSubstr("--bump-revision 17672256000000 --mark-compacted")));
}

TEST_F(RestoreTest, RefusesAKubeletThatTheControlPlaneDoesNotSupport) {
  for (const auto& [version, why] : {std::pair("v1.38.0", "is higher than the control plane's"),
                                     {"v1.33.9", "is lower than"},
                                     {"v1.36.3", ""}}) {
    fake_.processes.On("kubelet --version", {.out = std::string("Kubernetes ") + version + "\n"});
    EXPECT_THAT(Refusal(Request()), HasSubstr(why)) << version;
    EXPECT_EQ(Refusal(Request(Part::kConfig)), "");
  }
  host::FakeProcesses none;
  host::Host without = fake_.With(none);
  const RestoreDeps deps{.host = without, .connect_runtime = Deps().connect_runtime};
  EXPECT_THAT(base::MessageOf([&] {
                RequireRestorable(ReadNodeFiles(Request(), Deps()), Request(), deps, false);
              }),
              HasSubstr("has no kubelet: install one of v1.37.2"));
}

TEST_F(RestoreTest, RefusesWhileEtcdServesTheOldFiles) {
  containers_ = {{.id = "c1", .name = "etcd", .state = cri::Container::State::kRunning}};
  for (const auto only : {std::optional<Part>(), std::optional(Part::kEtcd)}) {
    EXPECT_THAT(Refusal(Request(only)), HasSubstr("etcd still runs on this node, in container c1"));
    EXPECT_EQ(Refusal(Request(only), true), "") << "an interrupted run has started it";
  }
  EXPECT_EQ(Refusal(Request(Part::kPki)), "");
  containers_.front().state = cri::Container::State::kExited;
  EXPECT_EQ(Refusal(Request()), "");
}

TEST_F(RestoreTest, RefusesToMakeASecondClusterBesideARunningOne) {
  running_ = {"other", "third"};
  EXPECT_EQ(Refusal(Request()), "") << "the backup's cluster had no other member";
  AddMembers();
  EXPECT_THAT(Refusal(Request()), AllOf(HasSubstr("its etcd members other, third have a majority"),
                                        HasSubstr("kubeadm join --control-plane")));
  EXPECT_THAT(endpoints_, ElementsAre("https://10.0.0.2:2379", "https://10.0.0.3:2379"));
  EXPECT_THAT(Refusal(Request(Part::kEtcd)), HasSubstr("have a majority"));
  EXPECT_EQ(Refusal(Request(Part::kPki)), "");
  running_ = {"other"};
  EXPECT_EQ(Refusal(Request()), "") << "one of three is no majority";
}

TEST_F(RestoreTest, AsksTheOtherMembersWithANewCertificate) {
  constexpr const char* kDirectory = "/etc/kubernetes/pki/etcd/";
  const auto now = fake_.clock.NowSeconds();
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const pki::Certificate ca =
      pki::NewSelfSignedCa({.subject = {.common_name = "etcd-ca", .organizations = {}},
                            .not_before = now - std::chrono::years(2),
                            .not_after = now + std::chrono::years(8)},
                           key);
  Add(std::string(kDirectory) + "ca.crt", ca.Pem(), Part::kPki, 0644);
  Add(std::string(kDirectory) + "healthcheck-client.crt", "expired", Part::kPki, 0644);
  AddMembers();
  Refusal(Request());
  EXPECT_EQ(client_pem_, "expired") << "without the key of etcd's CA";
  Add(std::string(kDirectory) + "ca.key", key.Pem(), Part::kPki, 0600);
  WriteBackup();
  Refusal(Request());
  EXPECT_EQ(pki::ChainProblem(pki::Certificate::FromPem(client_pem_), {ca}, {.now = now}),
            std::nullopt);
}

TEST_F(RestoreTest, WarnsOfAnEtcdThatDoesNotAcceptTheBackupsCertificates) {
  AddMembers();
  refusal_ = Error(Error::Kind::kUnauthorized, "the certificate of other is not trusted");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Refusal(Request()), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("of other is not trusted"));
  refusal_ = Error(Error::Kind::kUnavailable, "connection refused");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Refusal(Request()), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(RestoreTest, PlansForAnyRevisionInABackup) {
  manifest_.etcd.revision = 7;
  EXPECT_THAT(PlanRestore(manifest_, Request(), Deps()).steps[2].line,
              HasSubstr("revisions above 17672256000007"));
  manifest_.etcd.revision = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(PlanRestore(manifest_, Request(), Deps()).steps[2].line,
              HasSubstr("revisions above 9223389709110775807"));
}

TEST(RevisionBump, GrowsFasterThanClustersWrite) {
  using std::chrono::seconds;
  using std::chrono::sys_seconds;
  const sys_seconds now(seconds(1767225600));
  EXPECT_EQ(RevisionBump(now), 17'672'256'000'000);
  EXPECT_EQ(RevisionBump(now + seconds(1)) - RevisionBump(now), 10'000);
  EXPECT_EQ(RevisionBump(sys_seconds()), 1'000'000'000) << "the clock was not set";
}

TEST_F(RestoreTest, RefusesAnEtcdThatCannotRaiseTheRevision) {
  for (const char* version : {"3.5.10", "3.5.21", "3.6.5", "3.7.0"}) {
    manifest_.etcd.version = version;
    WriteBackup();
    EXPECT_EQ(Refusal(Request()), "") << version;
  }
  for (const char* version : {"3.5.9", "3.4.30"}) {
    manifest_.etcd.version = version;
    WriteBackup();
    EXPECT_THAT(Refusal(Request(Part::kEtcd)), HasSubstr("cannot raise the revision")) << version;
    EXPECT_THAT(Refusal(Request()), HasSubstr("of etcd 3.5.10 or later")) << version;
    EXPECT_EQ(Refusal(Request(Part::kPki)), "") << version;
  }
}

TEST(AsOnlyMember, NamesNoOtherMember) {
  const json::Value pod =
      AsOnlyMember(yaml::Parse(kEtcd).value, {.name = "cp", .peer_url = "https://10.0.0.1:2380"});
  EXPECT_EQ(static_pods::CommandArg(pod, "initial-cluster"), "cp=https://10.0.0.1:2380");
  EXPECT_FALSE(static_pods::CommandArg(pod, "initial-cluster-state"));
  EXPECT_EQ(static_pods::CommandArg(pod, "data-dir"), "/var/lib/etcd");
}

}  // namespace
}  // namespace backup
