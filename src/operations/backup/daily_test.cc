// SPDX-License-Identifier: Apache-2.0
#include "backup/daily.h"

#include <gmock/gmock.h>

#include "backup/fake_node.h"
#include "backup/last_backup.h"
#include "base/error.h"
#include "base/fake_error.h"
#include "pki/x25519.h"

namespace backup {
namespace {

using base::Error;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kOld = "kubeadm-node-a-20200101T000000Z.tar.zst.age";

class DailyTest : public NodeTest {
 protected:
  // Makes the backup valid: adds the key of ServiceAccounts, and uses the self-signed certificate
  // of the API server as the CA.
  void Repair() {
    const std::string directory = "/etc/kubernetes/pki/";
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    fake_.files.Write(directory + "sa.key", key.Pem(), {});
    fake_.files.Write(directory + "sa.pub", key.Public().Pem(), {});
    for (const char* ending : {".crt", ".key"}) {
      fake_.files.Write(directory + "ca" + ending,
                        fake_.files.Read(directory + "apiserver" + ending), {});
    }
  }

  Error Failure(const DailyRequest& request) {
    return base::Thrown([&] { MakeDaily(request, Input(), access_, Deps()); });
  }

  VerifyDeps Deps() {
    return {.host = fake_.host, .find_tools = [](const std::string&, const host::fs::path&) {
              return FoundTools{.reason = "no runtime"};
            }};
  }
};

TEST(BackupDailyCommand, NamesTheDirectoryAndTheFlags) {
  EXPECT_THAT(DailyCommand({.program = "/usr/bin/kubeadm",
                            .directory = "/var/backups",
                            .flags = {"--plaintext", "--keep=3"}}),
              ElementsAre("/usr/bin/kubeadm", "backup", "schedule", "run", "/var/backups",
                          "--plaintext", "--keep=3"));
}

TEST_F(DailyTest, NeedsTheDirectory) {
  const Error error = Failure({.directory = "/mnt/nas", .locks = {}});
  EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("/mnt/nas"));
  EXPECT_FALSE(fake_.files.Exists("/mnt/nas"));
}

TEST_F(DailyTest, RemovesABackupWithProblemsAndKeepsOldOnes) {
  fake_.files.Write(std::string("/backups/") + kOld, "", {});
  const Error error =
      Failure({.directory = "/backups", .locks = {}, .retention = {.count = 1, .within = {}}});
  EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("was removed, since it cannot be restored"));
  EXPECT_THAT(fake_.files.List("/backups"), ElementsAre(kOld));
  EXPECT_EQ(FindLastBackup(fake_.files), std::nullopt);
}

TEST_F(DailyTest, OpensItsFileWithoutTheKeysOfTheRecipients) {
  Repair();
  age::Locks locks;
  locks.recipients.push_back(pki::X25519PublicKey(pki::NewX25519Key()));
  const Error error = Failure({.directory = "/backups", .locks = locks});
  EXPECT_THAT(error.message(), HasSubstr("its checksums match, but no etcd served its snapshot: no "
                                         "runtime"));
  EXPECT_THAT(fake_.files.List("/backups"), ElementsAre(HasSubstr(".tar.zst.age")));
  EXPECT_EQ(FindLastBackup(fake_.files), std::nullopt);
}

TEST_F(DailyTest, CallsBackOnceWhenTheBackupHasBeenCreated) {
  Repair();
  int created = 0;
  Failure({.directory = "/backups", .locks = {}, .on_created = [&] {
             ++created;
             EXPECT_THAT(fake_.files.List("/backups"), SizeIs(1));
           }});
  EXPECT_EQ(created, 1);
}

TEST_F(DailyTest, KeepsTheLastVerifiedBackupBeyondTheLimits) {
  Repair();
  const std::string verified = std::string("/backups/") + kOld;
  fake_.files.Write(verified, "", {});
  fake_.files.Write("/backups/kubeadm-node-a-20200102T000000Z.tar.zst", "", {});
  fake_.files.Write("/backups/notes.txt", "", {});
  SaveLastBackup(fake_.files, {.path = verified, .created = {}, .size = 1, .revision = 1});
  Failure({.directory = "/backups", .locks = {}, .retention = {.count = 1, .within = {}}});
  EXPECT_THAT(fake_.files.List("/backups"),
              AllOf(SizeIs(3), Contains(kOld), Contains("notes.txt"),
                    Not(Contains("kubeadm-node-a-20200102T000000Z.tar.zst"))));
}

TEST_F(DailyTest, RecordsAFailureUntilARunSucceeds) {
  const DailyRequest request{.directory = "/mnt/nas", .locks = {}};
  const Error error = base::Thrown([&] { RunDaily(request, Input(), Deps()); });
  const auto failure = FindFailure(fake_.files);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->time, fake_.clock.NowSeconds());
  EXPECT_EQ(failure->error, error.message());
  SaveFailure(fake_.files, std::nullopt);
  EXPECT_EQ(FindFailure(fake_.files), std::nullopt);
  fake_.files.Write(std::string(kFailureFile), R"({"version": 2})", {});
  EXPECT_EQ(base::Thrown([&] { FindFailure(fake_.files); }).kind(), Error::Kind::kInvalid);
}

TEST_F(DailyTest, DescribesTheScheduleAndTheResultsOfItsRuns) {
  EXPECT_THAT(TextOf(CollectSchedule(fake_.host)),
              AllOf(HasSubstr("No timer backs this control plane up"), Not(HasSubstr("Last"))));
  const std::chrono::sys_seconds time{std::chrono::seconds(90)};
  SaveLastBackup(fake_.files, {.path = "/b", .created = time, .size = 5, .revision = 7});
  SaveFailure(fake_.files, backup::Failure{.time = time, .error = "no space left"});
  const ScheduleStatus schedule = CollectSchedule(fake_.host);
  EXPECT_THAT(TextOf(schedule),
              AllOf(HasSubstr("Last verified: /b, made at 1970-01-01T00:01:30Z\n"),
                    HasSubstr("The last run failed at 1970-01-01T00:01:30Z: no space left\n")));
  EXPECT_EQ(ObjectOf(schedule)["lastVerified"]["revision"], 7);
  EXPECT_EQ(ObjectOf(schedule)["lastFailure"]["error"], "no space left");
  EXPECT_EQ(ObjectOf(ScheduleStatus{})["lastFailure"], nullptr);
}

TEST_F(DailyTest, MetricsTellTheLastRunAndTheLastVerifiedBackup) {
  const std::chrono::sys_seconds now{std::chrono::seconds(100)};
  EXPECT_THAT(
      MetricsText(fake_.files, now, false),
      AllOf(HasSubstr("kubeadm_backup_last_run_timestamp_seconds 100\n"),
            HasSubstr("kubeadm_backup_last_run_success 0\n"), Not(HasSubstr("last_verified"))));
  SaveLastBackup(fake_.files, {.path = "/b",
                               .created = std::chrono::sys_seconds(std::chrono::seconds(90)),
                               .size = 5,
                               .revision = 7});
  EXPECT_THAT(MetricsText(fake_.files, now, true),
              AllOf(HasSubstr("kubeadm_backup_last_verified_timestamp_seconds 90\n"),
                    HasSubstr("kubeadm_backup_last_verified_size_bytes 5\n"),
                    HasSubstr("kubeadm_backup_last_verified_revision 7\n")));
}

}  // namespace
}  // namespace backup
