// SPDX-License-Identifier: Apache-2.0
// Tests that write, read and damage backups as files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "age/keys.h"
#include "backup/inspect.h"
#include "backup/reader.h"
#include "backup/writer.h"
#include "base/error.h"
#include "base/strings.h"
#include "host/fake_host.h"
#include "pki/x25519.h"

namespace backup {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr const char* kPath = "/backups/b.tar.zst.age";

Manifest SmallManifest() {
  Manifest manifest{.id = "0123", .kubernetes_version = "v1.37.2"};
  manifest.node = {.name = "cp", .address = "10.0.0.1", .port = 6443};
  manifest.certificates_directory = "/etc/kubernetes/pki";
  manifest.files = {
      {.path = "/etc/kubernetes/pki/ca.crt", .part = Part::kPki, .size = 3, .link = {}},
      {.path = "/etc/kubernetes/admin.conf", .size = 4, .link = {}},
      {.path = "/var/lib/kubelet/pki/kubelet-client-current.pem", .link = "kubelet-client-1.pem"}};
  manifest.objects = {"objects/kube-system/kubeadm-config.yaml"};
  manifest.etcd.revision = 7;
  manifest.etcd.snapshot = 100'000;
  return manifest;
}

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest() { fake_.files.MakeDirectories("/backups", 0755); }

  std::optional<age::Locks> Locks() const {
    return age::Locks{.recipients = {pki::X25519PublicKey(identity_)}, .passphrase = {}};
  }

  // Writes a backup with the files of SmallManifest, except the file `without`, and with the
  // additional file `added`.
  void Write(const Manifest& manifest, const std::optional<age::Locks>& locks,
             const std::string& without = "", const std::string& added = "") {
    fake_.files.Remove(kPath);
    Writer writer(NewOutput(fake_.files, kPath, {}), locks, 1'700'000'000);
    writer.AddFile(std::string(kManifestName), ManifestText(manifest));
    const auto add = [&](const std::string& name, const std::string& content) {
      if (name != without) {
        writer.AddFile(name, content);
      }
    };
    add("files/etc/kubernetes/pki/ca.crt", "ca\n");
    add("files/etc/kubernetes/admin.conf", "conf");
    add("objects/kube-system/kubeadm-config.yaml", "a: b\n");
    if (!added.empty()) {
      add(added, "added");
    }
    writer.Begin(std::string(kSnapshotName), 100'000);
    writer.Add(std::string(60'000, 'x'));
    writer.Add(std::string(40'000, 'y'));
    writer.End();
    writer.Finish();
  }

  Reading Read(age::Keys keys) const {
    return {.files = fake_.files, .path = kPath, .keys = std::move(keys)};
  }
  age::Keys Keys() const { return {.identities = {identity_}, .passphrase = {}}; }

  Error Failure(const age::Keys& keys) const {
    try {
      ReadBackup(Read(keys), {});
    } catch (const Error& error) {
      return error;
    }
    return Error("read");
  }

  // Writes the file again with one byte changed.
  void Flip(std::size_t at) {
    std::string text = fake_.files.Read(kPath);
    text[at] = static_cast<char>(text[at] ^ 1);
    fake_.files.Write(kPath, text, {});
  }

  host::FakeHost fake_;
  std::string identity_ = pki::NewX25519Key();
};

TEST_F(ArchiveTest, ReadsWhatItWrote) {
  for (const bool encrypted : {true, false}) {
    Write(SmallManifest(), encrypted ? Locks() : std::nullopt);
    std::map<std::string, std::size_t> sizes;
    std::string name;
    std::vector<std::string> ended;
    std::string id;
    ReadBackup(Read(Keys()),
               {.on_manifest =
                    [&](const Manifest& manifest) {
                      id = manifest.id;
                      return true;
                    },
                .on_file = [&](const std::string& file) { name = file; },
                .on_bytes = [&](std::string_view bytes) { sizes[name] += bytes.size(); },
                .on_end = [&] { ended.push_back(name); }});
    EXPECT_EQ(id, "0123");
    EXPECT_EQ(sizes.at("etcd/snapshot.db"), 100'000U);
    EXPECT_EQ(sizes.at("files/etc/kubernetes/pki/ca.crt"), 3U);
    EXPECT_EQ(ended.size(), 4U);
  }
}

TEST_F(ArchiveTest, IsPrivateAndReplacesNoFile) {
  Write(SmallManifest(), Locks());
  EXPECT_EQ(fake_.files.Stat(kPath)->mode, 0600U);
  EXPECT_THROW(NewOutput(fake_.files, kPath, {}), Error);
  EXPECT_THAT(fake_.files.List("/backups"), ElementsAre("b.tar.zst.age"));
}

TEST_F(ArchiveTest, LeavesNoFileIfItIsNotFinished) {
  {
    Writer writer(NewOutput(fake_.files, kPath, {}), Locks(), 0);
    writer.AddFile("a", "content");
  }
  EXPECT_TRUE(fake_.files.List("/backups").empty());
}

TEST_F(ArchiveTest, RefusesEveryFlippedBit) {
  for (const bool encrypted : {true, false}) {
    Write(SmallManifest(), encrypted ? Locks() : std::nullopt);
    const std::string whole = fake_.files.Read(kPath);
    for (std::size_t at = 0; at < whole.size(); at += 7) {
      fake_.files.Write(kPath, whole, {});
      Flip(at);
      EXPECT_NE(Failure(Keys()).message(), "read") << encrypted << " " << at;
    }
  }
}

TEST_F(ArchiveTest, RefusesATruncatedFile) {
  for (const bool encrypted : {true, false}) {
    Write(SmallManifest(), encrypted ? Locks() : std::nullopt);
    const std::string whole = fake_.files.Read(kPath);
    for (std::size_t size = 0; size < whole.size(); size += 11) {
      fake_.files.Write(kPath, whole.substr(0, size), {});
      EXPECT_EQ(Failure(Keys()).kind(), Error::Kind::kInvalid) << encrypted << " " << size;
    }
  }
}

TEST_F(ArchiveTest, RefusesTheKeyOfAnotherRecipient) {
  Write(SmallManifest(), Locks());
  const Error error = Failure({.identities = {pki::NewX25519Key()}, .passphrase = {}});
  EXPECT_EQ(error.kind(), Error::Kind::kForbidden);
  EXPECT_THAT(error.message(), HasSubstr(kPath));
}

TEST_F(ArchiveTest, RefusesAFileThatTheManifestLacksOrThatIsMissing) {
  Write(SmallManifest(), Locks(), "", "files/etc/cron.d/job");
  EXPECT_THAT(Failure(Keys()).message(), HasSubstr("its manifest does not name it"));
  Write(SmallManifest(), Locks(), "files/etc/kubernetes/admin.conf");
  EXPECT_THAT(Failure(Keys()).message(), HasSubstr("lacks \"files/etc/kubernetes/admin.conf\""));
}

TEST_F(ArchiveTest, RefusesAnotherFormatAndUnknownFields) {
  const auto message = [](const std::string& text) {
    try {
      ParseManifest(text);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("parsed");
  };
  EXPECT_THAT(message(R"({"version":2,"news":1})"), HasSubstr("format 2"));
  std::string text = ManifestText(SmallManifest());
  EXPECT_EQ(message(text), "parsed");
  EXPECT_THAT(message(base::ReplaceAll(text, "\"id\"", "\"key\"")), HasSubstr("unknown field"));
}

TEST_F(ArchiveTest, RefusesPathsThatLeadElsewhere) {
  for (const char* path :
       {"etc/passwd", "/etc/../root/.ssh/authorized_keys", "/", "//etc/passwd"}) {
    Manifest manifest = SmallManifest();
    manifest.files.front().path = path;
    EXPECT_THROW(ParseManifest(ManifestText(manifest)), Error) << path;
  }
  Manifest manifest = SmallManifest();
  manifest.files.back().link = "../../../etc/shadow";
  EXPECT_THROW(ParseManifest(ManifestText(manifest)), Error);
  manifest.files.back().link = "a";
  manifest.files.push_back(manifest.files.front());
  EXPECT_THROW(ParseManifest(ManifestText(manifest)), Error) << "twice";
}

TEST_F(ArchiveTest, IsDescribedWithoutReadingAllOfIt) {
  Write(SmallManifest(), Locks());
  const Inspected closed = Inspect(Read({}));
  EXPECT_TRUE(closed.seal.encrypted);
  EXPECT_EQ(closed.seal.by.recipients, 1U);
  EXPECT_FALSE(closed.manifest);
  const Inspected open = Inspect(Read(Keys()));
  ASSERT_TRUE(open.manifest);
  EXPECT_EQ(open.manifest->etcd.revision, 7);
  EXPECT_THAT(TextOf(open), HasSubstr("/etc/kubernetes/admin.conf (4 bytes)"));
  // File "c" is not a backup. "note.txt" does not have the name of a backup.
  fake_.files.Write("/backups/c.tar.zst.age", "text", {});
  fake_.files.Write("/backups/note.txt", "text", {});
  const auto listed = ListBackups({.files = fake_.files, .path = "/backups", .keys = Keys()});
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_TRUE(listed.front().inspected);
  EXPECT_THAT(listed.back().problem, HasSubstr("not a backup"));
}

}  // namespace
}  // namespace backup
