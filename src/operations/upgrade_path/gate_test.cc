// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gate.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"

namespace upgrade_path {
namespace {

using testing::HasSubstr;

json::Value Ready(const char* status) {
  return {{"conditions", {{{"type", "Ready"}, {"status", status}}}}};
}

json::Value Pod(const char* component, const char* tag, const char* ready) {
  return {{"metadata", {{"name", component}, {"labels", {{"component", component}}}}},
          {"spec", {{"containers", {{{"image", std::string("r/x:") + tag}}}}}},
          {"status", Ready(ready)}};
}

json::Value Node(const char* ready) { return {{"status", Ready(ready)}}; }

TEST(HopTrouble, NamesWhatIsNotYetThere) {
  const json::Value node = Node("True");
  const json::Value server = Pod("kube-apiserver", "v1.35.4", "True");
  const json::Value etcd = Pod("etcd", "3.6.6-0", "True");
  EXPECT_EQ(HopTrouble({server, etcd}, node, "v1.35.4"), std::nullopt);
  EXPECT_EQ(HopTrouble({}, node, "v1.35.4"), "the cluster has none of its Pods");
  EXPECT_EQ(HopTrouble({server}, node, "v1.36.3"), "Pod kube-apiserver is at v1.35.4");
  EXPECT_EQ(HopTrouble({server, Pod("etcd", "3.6.6-0", "False")}, node, "v1.35.4"),
            "Pod etcd is not Ready");
  EXPECT_EQ(HopTrouble({server}, Node("Unknown"), "v1.35.4"), "the node is not Ready");
}

TEST(Followers, AreNamedWithWhatToDo) {
  upgrade::Running running;
  running.static_pods["kube-apiserver"] = {{"one", "v1.35.4"}, {"two", "v1.34.4"}};
  running.kubelets = {{"worker", "v1.33.1"}};
  const auto error_of = [&](const char* next) {
    return base::MessageOf([&] { RequireFollowers(running, base::Version::Parse(next).value()); });
  };
  EXPECT_EQ(error_of("v1.35.4"), "");
  EXPECT_THAT(error_of("v1.36.3"), HasSubstr("two (v1.34.4). Give 'kubeadm upgrade node'"));
  running.static_pods["kube-apiserver"] = {{"one", "v1.36.3"}};
  EXPECT_THAT(error_of("v1.37.2"), HasSubstr("worker (v1.33.1). Upgrade these"));
}

}  // namespace
}  // namespace upgrade_path
