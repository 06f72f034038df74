// SPDX-License-Identifier: Apache-2.0
#include "certs/disk.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/fake_error.h"
#include "certs/fake_context.h"

namespace certs {
namespace {

// One change of a file, which a killed process has made or not.
struct Change {
  host::fs::path path;
  std::optional<std::string> content;  // std::nullopt: removed
};

// Records every change in its order.
class RecordedFiles : public host::RealFiles {
 public:
  explicit RecordedFiles(host::fs::path root)
      : RealFiles(std::move(root), host::Durability::kUnsynced) {}
  void Write(const host::fs::path& path, std::string_view content,
             host::WriteOptions options) override {
    RealFiles::Write(path, content, options);
    changes.push_back({path, std::string(content)});
  }
  bool Remove(const host::fs::path& path) override {
    changes.push_back({path, std::nullopt});
    return RealFiles::Remove(path);
  }
  std::vector<Change> changes;
};

// Files whose next write fails, before or after it has replaced the file. A real write fails after
// the replacement if the directory cannot be synced.
class FailingFiles : public host::RealFiles {
 public:
  enum class When { kBefore, kAfter };
  FailingFiles(host::fs::path root, int at, When when)
      : RealFiles(std::move(root), host::Durability::kUnsynced), left_(at), when_(when) {}
  void Write(const host::fs::path& path, std::string_view content,
             host::WriteOptions options) override {
    const bool fails = left_-- == 0;
    if (!fails || when_ == When::kAfter) {
      RealFiles::Write(path, content, options);
    }
    if (fails) {
      throw base::Error("Input/output error");
    }
  }

 private:
  int left_;
  When when_;
};

class SavePairTest : public testing::Test {
 protected:
  void SetUp() override { context_.MakeAll(); }

  pki::KeyPair NewPair() {
    const pki::PrivateKey key = context_.Get().new_key();
    return {pki::Sign(SpecFor(FindSpec("apiserver"), context_.Get()), key.Public(),
                      LoadCa(context_.fake.files, FakeContext::kDir, "ca")),
            key};
  }

  // Returns the changes of saving the pair, in order.
  std::vector<Change> ChangesOf(const pki::KeyPair& pair) {
    RecordedFiles files(testing::TempDir() + "slipway-pair");
    SavePair(files, FakeContext::kDir, "apiserver", pair);
    files.RemoveTree("/etc");
    return files.changes;
  }

  bool IsWhole() {
    return LoadKey(context_.fake.files, FakeContext::Path("apiserver.key")).Public() ==
               context_.Certificate("apiserver.crt").public_key() &&
           !context_.fake.files.Exists(FakeContext::Path("apiserver.crt.new"));
  }

  FakeContext context_;
};

TEST_F(SavePairTest, IsFinishedOrDiscardedAfterAnyInterruption) {
  for (const bool existed : {true, false}) {
    const std::string old_key = context_.Text("apiserver.key");
    const std::string old_certificate = context_.Text("apiserver.crt");
    const pki::KeyPair pair = NewPair();
    const std::vector<Change> changes = ChangesOf(pair);
    ASSERT_EQ(changes.size(), 4U);
    for (std::size_t made = 0; made <= changes.size(); ++made) {
      context_.Write("apiserver.key", old_key);
      context_.Write("apiserver.crt", old_certificate);
      if (!existed) {
        context_.Remove("apiserver.key");
        context_.Remove("apiserver.crt");
      }
      for (std::size_t i = 0; i < made; ++i) {
        if (changes[i].content) {
          context_.fake.files.Write(changes[i].path, *changes[i].content, {});
        } else {
          context_.fake.files.Remove(changes[i].path);
        }
      }
      if (existed) {
        FinishPairs(context_.fake.files, FakeContext::kDir);
      } else {
        Ensure(FindSpec("apiserver"), context_.Get());
      }
      EXPECT_TRUE(IsWhole()) << made << existed;
      EXPECT_EQ(context_.Certificate("apiserver.crt").public_key() == pair.key.Public(), made >= 2)
          << made << existed;
    }
  }
}

TEST_F(SavePairTest, KeepsKeyAndCertificateTogetherAfterAnyError) {
  using When = FailingFiles::When;
  for (const When when : {When::kBefore, When::kAfter}) {
    for (int at = 0; at < 3; ++at) {
      context_.MakeAll();
      const pki::KeyPair pair = NewPair();
      FailingFiles files(context_.fake.directory.path(), at, when);
      EXPECT_THROW(SavePair(files, FakeContext::kDir, "apiserver", pair), base::Error);
      FinishPairs(context_.fake.files, FakeContext::kDir);
      EXPECT_TRUE(IsWhole()) << at << (when == When::kAfter);
      EXPECT_EQ(context_.Certificate("apiserver.crt").public_key() == pair.key.Public(),
                at == 2 && when == When::kAfter)
          << at;
    }
  }
}

TEST_F(SavePairTest, KeepsFilesThatTheUserHasReplacedSince) {
  const pki::KeyPair cut_off = NewPair();
  const pki::KeyPair own = NewPair();
  SavePair(context_.fake.files, FakeContext::kDir, "apiserver", own);
  context_.Write("apiserver.crt.new", cut_off.certificate.Pem());
  FinishPairs(context_.fake.files, FakeContext::kDir);
  EXPECT_TRUE(IsWhole());
  EXPECT_TRUE(context_.Certificate("apiserver.crt").public_key() == own.key.Public());

  context_.Remove("apiserver.crt");
  FinishPairs(context_.fake.files, FakeContext::kDir);
  EXPECT_THAT(base::MessageOf([&] { Ensure(FindSpec("apiserver"), context_.Get()); }),
              testing::HasSubstr("apiserver.crt"))
      << "a key of the user's";
}

}  // namespace
}  // namespace certs
