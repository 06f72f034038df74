// SPDX-License-Identifier: Apache-2.0
#include "components/strays.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "base/strings.h"
#include "host/fake_host.h"

namespace components {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StraysTest : public testing::Test {
 protected:
  StraysTest() {
    Write("etcd.yaml", Pod("etcd", "etcd --data-dir=/var/lib/etcd"));
    Write("kube-scheduler.yaml", Pod("kube-scheduler", "kube-scheduler"));
  }
  static std::string Pod(const std::string& name, const std::string& command) {
    return fmt::format(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\nspec:\n  hostNetwork: true\n"
        "  containers:\n  - name: c\n    command: [sh]\n  - name: d\n    command: [{}]\n",
        name, base::ReplaceAll(command, " ", ", "));
  }
  void Write(const std::string& name, const std::string& text) {
    fake_.files.Write("/etc/kubernetes/manifests/" + name, text, {});
  }
  std::vector<std::string> Found() {
    std::vector<std::string> found;
    for (const Stray& stray : FindStrays(fake_.files)) {
      found.push_back(stray.path.filename().string() + " " + std::string(Name(stray.component)));
    }
    return found;
  }
  host::FakeHost fake_;
};

TEST_F(StraysTest, OwnManifestsAreNotStrays) {
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_NO_THROW(RequireNoStrays(fake_.files));
  host::FakeHost empty;
  EXPECT_THAT(FindStrays(empty.files), IsEmpty());
}

TEST_F(StraysTest, IncludeCopiesOfAnyName) {
  Write("etcd.yaml.backup", Pod("etcd", "etcd --data-dir=/var/lib/etcd"));
  Write("kube-apiserver.yaml~", Pod("kube-apiserver", "kube-apiserver"));
  Write("old-scheduler.json", R"({"kind": "Pod", "metadata": {"name": "kube-scheduler"}})");
  EXPECT_THAT(Found(), ElementsAre("etcd.yaml.backup etcd", "kube-apiserver.yaml~ kube-apiserver",
                                   "old-scheduler.json kube-scheduler"));
  const base::Error error = base::Thrown([&] { RequireNoStrays(fake_.files); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("etcd.yaml.backup\" is a second Pod of etcd"),
                                     HasSubstr("old-scheduler.json")));
}

TEST_F(StraysTest, IncludeRenamedPodsOfTheSameProgram) {
  Write("a.yaml", Pod("my-etcd", "/usr/local/bin/etcd --name=x --data-dir=/var/lib/etcd/"));
  Write("b.yaml", Pod("kcm", "kube-controller-manager"));
  Write("c.yaml",
        "kind: Pod\nmetadata:\n  name: x\n  labels: {component: etcd, tier: control-plane}\n");
  EXPECT_THAT(Found(), ElementsAre("a.yaml etcd", "b.yaml kube-controller-manager", "c.yaml etcd"));
}

TEST_F(StraysTest, IgnoresOtherFilesAndPods) {
  Write(".etcd.yaml.swp", Pod("etcd", "etcd"));
  Write("notes.txt", "see [etcd");
  Write("truncated.yaml", "kind: Pod\nmetadata: {name: etcd");
  Write("config.yaml", "kind: ConfigMap\nmetadata: {name: etcd}\n");
  Write("kube-vip.yaml", Pod("kube-vip", "kube-vip manager"));
  Write("etcd-events.yaml", Pod("etcd-events", "etcd --data-dir=/var/lib/etcd-events"));
  Write("huge.yaml", Pod("etcd", "etcd") + std::string(11U << 20U, '#'));
  Write("odd.yaml", "kind: Pod\nmetadata: 7\nspec: {containers: {a: 1}}\n");
  fake_.files.MakeDirectories("/etc/kubernetes/manifests/etcd.d", 0755);
  EXPECT_THAT(Found(), IsEmpty());
}

}  // namespace
}  // namespace components
