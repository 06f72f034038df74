// SPDX-License-Identifier: Apache-2.0
#include "http/system_roots.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace http {
namespace {

namespace fs = std::filesystem;

class SystemRootsTest : public testing::Test {
 protected:
  SystemRootsTest() { fs::remove_all(root_); }
  ~SystemRootsTest() override { fs::remove_all(root_); }

  std::string Put(const std::string& path, const std::string& text) {
    const fs::path file = root_ / fs::path(path).relative_path();
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::string Read(const std::string& cert_file = "", const std::string& cert_dir = "") {
    return ReadSystemRoots(cert_file, cert_dir, root_);
  }

  fs::path root_ = fs::path(testing::TempDir()) / "system-roots";
};

TEST_F(SystemRootsTest, ComeFromTheFirstExistingBundle) {
  EXPECT_EQ(Read(), "");
  Put("/etc/ssl/ca-bundle.pem", "suse");
  EXPECT_EQ(Read(), "suse\n");
  Put("/etc/pki/tls/certs/ca-bundle.crt", "fedora");
  Put("/etc/ssl/certs/one.pem", "one");
  EXPECT_EQ(Read(), "fedora\n");
}

TEST_F(SystemRootsTest, ComeFromDirectoriesIfThereIsNoBundle) {
  Put("/etc/ssl/certs/b.pem", "b");
  Put("/etc/ssl/certs/a.pem", "a");
  Put("/etc/ssl/certs/directory/c.pem", "c");
  EXPECT_EQ(Read(), "a\nb\n");
}

TEST_F(SystemRootsTest, ComeFromTheFilesThatTheEnvironmentNames) {
  Put("/etc/ssl/certs/ca-certificates.crt", "debian");
  const std::string file = Put("/own/file.pem", "file");
  const std::string directory = fs::path(Put("/own/directory/d.pem", "d")).parent_path();
  EXPECT_EQ(Read(file), "file\n");
  EXPECT_EQ(Read("", directory + ":" + (root_ / "absent").string()), "debian\nd\n");
  EXPECT_EQ(Read(file, directory), "file\nd\n");
}

TEST_F(SystemRootsTest, DoesNotReadEndlessFiles) {
  EXPECT_EQ(Read("/dev/zero"), "");
  const fs::path pipe = fs::path(Put("/own/file.pem", "x")).parent_path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Read(pipe), "");
  const std::string large = Put("/own/large.pem", "x");
  fs::resize_file(large, (std::uintmax_t{64} << 20) + 1);
  EXPECT_EQ(Read(large), "");
}

}  // namespace
}  // namespace http
