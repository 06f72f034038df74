// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/kubelet_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

base::Version V(std::string_view text) { return base::Version::Parse(text).value(); }

class KubeletFilesTest : public testing::Test {
 protected:
  KubeletFilesTest() {
    host_.files.Write("/srv/v1.35.4/kubelet", "new", {.mode = 0755});
    host_.files.Write("/srv/v1.36.3/kubelet.raw", "image", {});
    host_.files.Write("/srv/notes.txt", "", {});
    host_.processes.On("/srv/v1.35.4/kubelet --version", {.out = "Kubernetes v1.35.4\n"});
    host_.processes.On("cmp", {.exit_code = 1});
    host_.processes.On("test", {.exit_code = 1});
    for (const char* program : {"kubelet", "install", "ln", "mv", "sync", "systemd-sysext"}) {
      host_.processes.AddExecutable(program);
    }
    host_.processes.On("readlink -f", {.out = "/opt/kubelet\n"});
    host_.processes.On("/opt/kubelet --version", {.out = "Kubernetes v1.34.4\n"});
    host_.files.Write("/opt/kubelet", "old", {.mode = 0755});
  }
  std::string Failure() {
    return base::MessageOf([&] { FindKubelets(host_.host, "/srv"); });
  }
  // An interrupted run has replaced the file.
  void Unconfirmed(const std::string& path) {
    host_.files.Write(path + ".restore", "old", {});
    host_.files.Write(path + ".new", "new", {});
    host_.processes.On("test " + path + " -ef " + path + ".new", {});
  }
  KubeletFile Program() {
    return {host_.host, {.version = V("v1.35.4"), .path = "/srv/v1.35.4/kubelet"}, {}};
  }
  KubeletFile Image() {
    return {host_.host, {.version = V("v1.36.3"), .path = "/srv/v1.36.3/kubelet.raw"}, {}};
  }

  host::FakeHost host_;
};

TEST_F(KubeletFilesTest, AreProgramsAndImages) {
  const auto found = FindKubelets(host_.host, "/srv");
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].version, V("v1.35.4"));
  EXPECT_EQ(found[0].path, "/srv/v1.35.4/kubelet");
  EXPECT_FALSE(found[0].IsExtension());
  EXPECT_EQ(found[1].version, V("v1.36.3"));
  EXPECT_TRUE(found[1].IsExtension());
}

TEST_F(KubeletFilesTest, AreRefusedIfTheirVersionIsUnknownOrAmbiguous) {
  host_.processes.On("/srv/v1.35.4/kubelet --version", {.exit_code = 126});
  EXPECT_THAT(Failure(), HasSubstr("/srv/v1.35.4/kubelet does not report its version"));
  host_.files.RemoveTree("/srv/v1.35.4");
  host_.files.Write("/srv/new/kubelet.raw", "image", {});
  EXPECT_THAT(Failure(), HasSubstr("must have the kubelet's version as its name"));
  host_.files.RemoveTree("/srv/new");
  host_.files.Write("/srv/v1.36.3/another.raw", "image", {});
  EXPECT_THAT(Failure(), HasSubstr("/srv/v1.36.3 has several kubelets"));
  host_.files.RemoveTree("/srv/v1.36.3");
  EXPECT_THAT(Failure(), HasSubstr("no kubelet was found in /srv"));
}

TEST_F(KubeletFilesTest, ReplaceTheProgramInPath) {
  Program().Install();
  EXPECT_THAT(host_.processes.changes(),
              ElementsAre("install -D -m 0755 /srv/v1.35.4/kubelet /opt/kubelet.next",
                          "sync /opt/kubelet.next", "ln -f /opt/kubelet /opt/kubelet.restore",
                          "ln -f /opt/kubelet.next /opt/kubelet.new",
                          "mv -f /opt/kubelet.next /opt/kubelet", "sync /opt"));
}

TEST_F(KubeletFilesTest, AreInstalledOnce) {
  host_.processes.On("cmp -s /srv/v1.35.4/kubelet /opt/kubelet", {});
  Program().Install();
  EXPECT_THAT(host_.processes.changes(), ElementsAre("sync /opt"));
}

TEST_F(KubeletFilesTest, ReplaceAnImageWhereItIs) {
  EXPECT_EQ(Image().path(), "/var/lib/extensions/kubelet.raw");
  host_.files.Write("/etc/extensions/kubelet.raw", "old", {});
  EXPECT_EQ(Image().path(), "/etc/extensions/kubelet.raw");
  Image().Install();
  EXPECT_THAT(
      host_.processes.changes(),
      ElementsAre("install -D -m 0644 /srv/v1.36.3/kubelet.raw /etc/extensions/kubelet.raw.next",
                  "sync /etc/extensions/kubelet.raw.next",
                  "ln -f /etc/extensions/kubelet.raw /etc/extensions/kubelet.raw.restore",
                  "ln -f /etc/extensions/kubelet.raw.next /etc/extensions/kubelet.raw.new",
                  "mv -f /etc/extensions/kubelet.raw.next /etc/extensions/kubelet.raw",
                  "sync /etc/extensions", "systemd-sysext refresh"));
}

TEST_F(KubeletFilesTest, KeepThePreviousFileIfACorrectedOneFollows) {
  Unconfirmed("/opt/kubelet");
  EXPECT_TRUE(Program().IsUnconfirmed());
  Program().Install();
  EXPECT_THAT(host_.processes.changes(), Not(Contains("ln -f /opt/kubelet /opt/kubelet.restore")));
}

TEST_F(KubeletFilesTest, IgnoreAPreviousFileIfSomethingElseHasReplacedTheirs) {
  host_.files.Write("/opt/kubelet.restore", "old", {});
  host_.files.Write("/opt/kubelet.new", "new", {});
  EXPECT_FALSE(Program().IsUnconfirmed()) << "for example a package";
  EXPECT_FALSE(Program().Restore());
  Program().Install();
  EXPECT_THAT(host_.processes.changes(), Contains("ln -f /opt/kubelet /opt/kubelet.restore"));
}

TEST_F(KubeletFilesTest, AreRestored) {
  EXPECT_FALSE(Program().Restore()) << "nothing was replaced";
  EXPECT_THAT(host_.processes.changes(), IsEmpty());
  Unconfirmed("/opt/kubelet");
  EXPECT_TRUE(Program().Restore());
  EXPECT_THAT(host_.processes.changes(),
              ElementsAre("mv -f /opt/kubelet.restore /opt/kubelet", "sync /opt"));
}

TEST_F(KubeletFilesTest, AnImageThatReplacedNoneIsRemoved) {
  Image().Install();
  const std::string path = "/var/lib/extensions/kubelet.raw";
  EXPECT_EQ(host_.files.Find(path + ".restore"), "");
  host_.files.Write(path, "image", {});  // the fake programs write no files
  host_.processes.On("test " + path + " -ef " + path + ".new", {});
  EXPECT_TRUE(Image().Restore());
  EXPECT_FALSE(host_.files.Exists(path));
  EXPECT_FALSE(host_.files.Exists(path + ".restore"));
  EXPECT_EQ(host_.processes.changes().back(), "systemd-sysext refresh");
}

TEST_F(KubeletFilesTest, KeepThePreviousFileAfterConfirmation) {
  Program().Confirm();
  EXPECT_THAT(host_.processes.changes(), IsEmpty());
  Unconfirmed("/opt/kubelet");
  Program().Confirm();
  EXPECT_THAT(host_.processes.changes(),
              ElementsAre("mv -f /opt/kubelet.restore /opt/kubelet.previous", "sync /opt"));
}

}  // namespace
}  // namespace upgrade_path
