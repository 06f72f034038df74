#include "reset/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Places, AreTheFoldersAndKubeconfigsOfANode) {
  const Places places = PlacesOf({.certificates_dir = "/etc/kubernetes/pki"});
  EXPECT_THAT(places.contents,
              ElementsAre("/etc/kubernetes/manifests", "/var/lib/kubelet", "/etc/kubernetes/pki"));
  EXPECT_THAT(
      places.files,
      ElementsAre("/etc/kubernetes/admin.conf", "/etc/kubernetes/super-admin.conf",
                  "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/bootstrap-kubelet.conf",
                  "/etc/kubernetes/controller-manager.conf", "/etc/kubernetes/scheduler.conf"));
  EXPECT_THAT(places.kept, SizeIs(0));
  EXPECT_EQ(PlacesOf({.cleanup_tmp_dir = true, .certificates_dir = "/x/pki"}).contents.back(),
            "/etc/kubernetes/tmp");
}

TEST(Places, LeaveOutFoldersThatOthersUse) {
  const Places places = PlacesOf({.certificates_dir = "/etc/ssl/"});
  EXPECT_THAT(places.contents, ElementsAre("/etc/kubernetes/manifests", "/var/lib/kubelet"));
  EXPECT_THAT(places.kept, ElementsAre(HasSubstr("/etc/ssl/: other programs")));
  for (const char* folder :
       {"/", "//", "/etc", "/etc/", "/etc/kubernetes/..", "/usr/../var/lib", "pki", "./etc", ""}) {
    EXPECT_NE(WhyKept(folder), "") << folder;
  }
  for (const char* folder : {"/etc/kubernetes/pki", "/data", "/var/lib/etcd/"}) {
    EXPECT_EQ(WhyKept(folder), "") << folder;
  }
}

TEST(Empty, RemovesContentsOnlyAndFollowsNoLinks) {
  host::FakeHost fake;
  fake.files.Write("/keep/data", "mine", {});
  fake.files.Write("/a/b/c", "x", {});
  fake.files.Write("/a/d", "x", {});
  fs::create_directory_symlink(fake.folder.path() / "keep", fake.folder.path() / "a/link");
  EXPECT_THAT(Empty(fake.files, "/a", host::OwnMount::kKeep), SizeIs(0));
  EXPECT_TRUE(fake.files.Exists("/a"));
  EXPECT_TRUE(reset::IsEmpty(fake.files, "/a"));
  EXPECT_EQ(fake.files.Read("/keep/data"), "mine");
  EXPECT_THAT(Empty(fake.files, "/absent", host::OwnMount::kKeep), SizeIs(0));
  EXPECT_TRUE(reset::IsEmpty(fake.files, "/absent"));
  EXPECT_THAT(Empty(fake.files, "/keep/data", host::OwnMount::kKeep),
              ElementsAre(HasSubstr("/keep/data")));
  EXPECT_FALSE(reset::IsEmpty(fake.files, "/keep"));
}

TEST(Empty, EntersAMountOnADirectoryOfThisNodeOnly) {
  const config::ResetConfiguration config{.certificates_dir = "/etc/kubernetes/pki/"};
  EXPECT_EQ(OwnMountOf("/etc/kubernetes/pki", config), host::OwnMount::kKeep);
  for (const char* path : {"/var/lib/etcd", "/var/lib/kubelet", "/etc/kubernetes/manifests"}) {
    EXPECT_EQ(OwnMountOf(path, config), host::OwnMount::kEnter) << path;
  }
}

TEST(NamesIn, AreNoneWhereThereIsNoFolder) {
  host::FakeHost fake;
  fake.files.Write("/folder/a", "x", {});
  EXPECT_THAT(NamesIn(fake.files, "/folder"), ElementsAre("a"));
  for (const char* path : {"/folder/a", "/absent"}) {
    EXPECT_THAT(NamesIn(fake.files, path), ElementsAre()) << path;
    EXPECT_TRUE(IsEmpty(fake.files, path)) << path;
  }
}

TEST(Remove, PassesOverWhatIsNotThere) {
  host::FakeHost fake;
  fake.files.Write("/a", "x", {});
  fake.files.Write("/full/b", "x", {});
  EXPECT_THAT(Remove(fake.files, {"/a", "/absent", "/full"}), ElementsAre(HasSubstr("/full")));
  EXPECT_FALSE(fake.files.Exists("/a"));
}

}  // namespace
}  // namespace reset
