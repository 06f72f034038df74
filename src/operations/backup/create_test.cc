// SPDX-License-Identifier: Apache-2.0
#include "backup/create.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backup/fake_node.h"
#include "backup/reader.h"
#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "pki/crypto.h"
#include "workflow/reporter.h"

namespace backup {
namespace {

using base::Error;
using testing::Contains;
using testing::HasSubstr;

class CreateTest : public NodeTest {
 protected:
  Created Make(const char* target = "/backups") {
    return Create({.target = target, .locks = {}}, Input(), access_);
  }
};

TEST_F(CreateTest, ABackupHasTheFilesOfTheNodeAndTheSnapshot) {
  const Created created = Make();
  EXPECT_EQ(created.manifest.node.address, "10.0.0.1");
  EXPECT_EQ(created.manifest.kubernetes_version, "v1.37.2");
  EXPECT_EQ(created.manifest.etcd.image, "registry.k8s.io/etcd:3.7.0-0");
  EXPECT_EQ(created.manifest.etcd.endpoint, "https://cp:2379");
  std::map<std::string, std::string> contents;
  std::string name;
  ReadBackup({.files = fake_.files, .path = created.path},
             {.on_file = [&](const std::string& file) { name = file; },
              .on_bytes = [&](std::string_view bytes) { contents[name] += bytes; }});
  EXPECT_EQ(contents.at("files/srv/enc/enc.yaml").substr(0, 10), "resources:");
  EXPECT_TRUE(contents.contains("files/etc/kubernetes/pki/ca.key"));
  EXPECT_TRUE(contents.contains("files/etc/kubernetes/manifests/etcd.yaml"));
  EXPECT_FALSE(contents.contains("files/etc/kubernetes/tmp/old/file"));
  EXPECT_EQ(contents.at("etcd/snapshot.db"), "database" + pki::Sha256("database"));
}

TEST_F(CreateTest, APlanHasThePathAndWritesNothing) {
  const PlannedBackup planned({.target = "/backups", .locks = {}}, Input(), access_);
  EXPECT_TRUE(planned.path().string().starts_with("/backups/"));
  EXPECT_THAT(TextOf(planned), HasSubstr("is written to " + planned.path().string()));
  EXPECT_EQ(ObjectOf(planned)["dryRun"], true);
  EXPECT_TRUE(fake_.files.List("/backups").empty());
  const std::string existing = Make().path;
  EXPECT_EQ(base::Thrown([&] {
              PlannedBackup({.target = existing, .locks = {}}, Input(), access_);
            }).kind(),
            Error::Kind::kAlreadyExists);
}

TEST_F(CreateTest, AnOperationWritesThePlannedBackupWithoutAJournal) {
  const CollectionInput input = Input();
  PlannedBackup planned({.target = "/backups", .locks = {}}, input, access_);
  std::optional<Created> created;
  workflow::Reporter reporter(fake_.clock, {});
  engine::Run(CreateOperation(planned, input, access_, created), {},
              {.host = fake_.host, .reporter = reporter});
  EXPECT_EQ(created.value().path, planned.path());
  EXPECT_TRUE(fake_.files.Exists(planned.path()));
  EXPECT_FALSE(fake_.files.Exists("/var/lib/slipway/operation-backup-create.json"));
}

TEST_F(CreateTest, KeepsTheLinkOfTheKubeletsCertificate) {
  const Manifest manifest = Make().manifest;
  const auto found = std::ranges::find(
      manifest.files, "/var/lib/kubelet/pki/kubelet-client-current.pem", &FileRecord::path);
  ASSERT_NE(found, manifest.files.end());
  EXPECT_EQ(found->link, "kubelet-client-1.pem");
}

TEST_F(CreateTest, NotesMissingPartsOfTheBackup) {
  const std::string text = TextOf(Make());
  EXPECT_THAT(text, HasSubstr("KMS plugin vault at unix:///v.sock"));
  EXPECT_THAT(text, HasSubstr("kubeadm's ConfigMaps are only in etcd's data"));
  EXPECT_THAT(text, HasSubstr("NOT encrypted"));
}

TEST_F(CreateTest, NotesWhatABackupBesideAnExternalEtcdLacks) {
  fake_.files.Remove("/etc/kubernetes/manifests/etcd.yaml");
  const Created created = Make();
  EXPECT_TRUE(created.manifest.etcd.external);
  EXPECT_THAT(TextOf(created),
              HasSubstr("Note: kubeadm does not run this etcd: its data are in etcd/snapshot.db"));
}

TEST_F(CreateTest, FailsForAFileThatAnArgumentNames) {
  fake_.files.Remove("/srv/enc/enc.yaml");
  try {
    Make();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("/etc/kubernetes/enc/enc.yaml, which "
                                           "--encryption-provider-config names"));
  }
  EXPECT_TRUE(fake_.files.List("/backups").empty());
}

TEST_F(CreateTest, LeavesNoFileAfterAFailedSnapshot) {
  etcd_->on_call = [](const std::string& call) -> etcd::Refusal {
    if (call.starts_with("Snapshot")) {
      throw Error("etcd ended");
    }
    return etcd::Refusal::kNone;
  };
  EXPECT_THROW(Make(), Error);
  EXPECT_TRUE(fake_.files.List("/backups").empty());
}

TEST_F(CreateTest, FailsWithoutAMemberThatAnswers) {
  etcd_->statuses.clear();
  EXPECT_THROW(Make(), Error);
}

TEST_F(CreateTest, FailsOnANodeWithoutAControlPlane) {
  fake_.files.Remove("/etc/kubernetes/manifests/kube-apiserver.yaml");
  try {
    Make();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  }
}

TEST(SizeText, RoundsToOneDecimal) {
  EXPECT_EQ(SizeText(2), "2 bytes");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(std::uint64_t{8} << 30U), "8.0 GiB");
}

}  // namespace
}  // namespace backup
