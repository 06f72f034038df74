// SPDX-License-Identifier: Apache-2.0
#include "config_change/undo.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "components/table.h"
#include "config_change/fake_engine.h"
#include "config_change/traces.h"

namespace config_change {
namespace {

using base::Error;
using base::Thrown;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kCrt = "/etc/kubernetes/pki/apiserver.crt";
constexpr const char* kKey = "/etc/kubernetes/pki/apiserver.key";

// A change that has stored a configuration and issued a certificate again.
class UndoTest : public testing::Test {
 protected:
  UndoTest() {
    for (const char* file : {kCrt, kKey}) {
      const host::fs::path path(file);
      with_.fake.files.Write("/kept/pki-" + path.filename().string(), "old", {});
      with_.fake.files.Write(path, "new", {});
    }
    with_.Store("after");
    change_ = {.state = Change::State::kKept,
               .before = FakeEngine::Stored("before"),
               .node = with_.node,
               .stored = true,
               .directory = "/kept",
               .certificates = {"apiserver"},
               .stored_as = HashOf(stored_config::FetchStoredConfig(with_.client))};
    NoteWritten(change_, with_.fake.files);
    SaveChange(with_.fake.files, change_);
  }

  void UndoIt() { Undo(LoadChange(with_.fake.files).value(), with_.engine); }
  Error Refused() {
    return Thrown([&] { UndoIt(); });
  }
  std::string Certificate() { return with_.fake.files.Read(kCrt); }

  FakeEngine with_;
  Change change_;
};

TEST_F(UndoTest, RollsBackUnchangedFiles) {
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(LoadChange(with_.fake.files));
  EXPECT_THAT(with_.server.Requests(), Contains(HasSubstr("leases/kubeadm-config-apply")));
}

TEST_F(UndoTest, RefusesWhatLaterCommandsHaveChanged) {
  with_.Store("upgraded");
  Error refused = Refused();
  EXPECT_EQ(refused.kind(), Error::Kind::kConflict);
  EXPECT_THAT(refused.message(), HasSubstr("the cluster's configuration has become another one"));
  with_.fake.files.Write(kCrt, "renewed", {});
  EXPECT_THAT(Refused().message(),
              HasSubstr("/etc/kubernetes/pki/apiserver.crt is another one now"));
  EXPECT_EQ(Certificate(), "renewed");
  EXPECT_EQ(with_.StoredName(), "upgraded");
  EXPECT_TRUE(LoadChange(with_.fake.files));
}

std::string ApiServer(const std::string& argument) {
  return "{spec: {containers: [{command: [kube-apiserver" + argument + "]}]}}\n";
}

TEST_F(UndoTest, TakesNoKeysAwayWithWhichObjectsMayHaveBeenWritten) {
  const host::fs::path manifest = components::ManifestPath(components::Component::kApiServer);
  with_.fake.files.Write(manifest, ApiServer(", --encryption-provider-config=/etc/new.yaml"), {});
  with_.fake.files.Write("/kept/kube-apiserver.yaml", ApiServer(""), {});
  upgrade::Record record = NewRecord({});
  record.manifests["kube-apiserver"] = "/kept";
  SaveRecord(with_.fake.files, record);
  NoteWritten(change_, with_.fake.files);
  SaveChange(with_.fake.files, change_);
  const Error refused = Refused();
  EXPECT_EQ(refused.kind(), Error::Kind::kConflict);
  EXPECT_THAT(refused.message(), HasSubstr("keys of encryption-provider-config /etc/new.yaml"));
  EXPECT_EQ(Certificate(), "new");
  EXPECT_EQ(with_.StoredName(), "after");
  EXPECT_TRUE(LoadChange(with_.fake.files));
}

TEST_F(UndoTest, SkipsTheDriftCheckAfterAnInterruptedChange) {
  with_.fake.files.Write(kCrt, "half", {});
  change_.state = Change::State::kApplying;
  change_.stored_as = "";
  SaveChange(with_.fake.files, change_);
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
}

TEST_F(UndoTest, IsNotComparedWithItsOwnHalf) {
  const host::fs::path kept("/kept/pki-apiserver.key");
  with_.fake.files.Remove(kept);
  EXPECT_EQ(Refused().kind(), Error::Kind::kNotFound);
  EXPECT_EQ(Certificate(), "old");
  with_.fake.files.Write(kept, "old", {});
  UndoIt();
  EXPECT_EQ(with_.fake.files.Read(kKey), "old");
  EXPECT_EQ(with_.StoredName(), "before");
}

// An API server that an interrupted run was replacing answers once more before it stops.
TEST_F(UndoTest, PutsTheNodeBackThoughTheServerGoesAfterItsFirstAnswer) {
  change_.state = Change::State::kApplying;
  SaveChange(with_.fake.files, change_);
  with_.server.Inject({.what = "GET /apis/coordination.k8s.io",
                       .status = 503,
                       .reason = "ServiceUnavailable",
                       .message = "it goes",
                       .times = 31});
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_THAT(with_.said, Contains(HasSubstr("this node is put back first")));
}

TEST_F(UndoTest, StopsTheKeeperOfTheChange) {
  constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";
  with_.fake.processes.AddExecutable("systemctl");
  with_.fake.files.Write(kUnit, "", {});
  UndoIt();
  EXPECT_FALSE(with_.fake.files.Exists(kUnit)) << "the keeper's service goes with the change";
  EXPECT_FALSE(LoadChange(with_.fake.files));
}

TEST_F(UndoTest, RollsTheNodeBackWithoutAnApiServer) {
  with_.Silence(-1);
  EXPECT_EQ(Refused().kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(Certificate(), "old");
  EXPECT_TRUE(LoadChange(with_.fake.files)->put_back);
}

TEST_F(UndoTest, GoesOnWhenTheClusterAnswersAgain) {
  with_.fake.files.Write(kCrt, "old", {});
  change_.put_back = true;
  SaveChange(with_.fake.files, change_);
  UndoIt();
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(LoadChange(with_.fake.files));
}

TEST_F(UndoTest, KeepsLaterStoredConfigurations) {
  change_.put_back = true;
  SaveChange(with_.fake.files, change_);
  with_.Store("another");
  UndoIt();
  EXPECT_EQ(with_.StoredName(), "another");
  EXPECT_FALSE(LoadChange(with_.fake.files));
  EXPECT_THAT(with_.said, ElementsAre(HasSubstr("has become another configuration")));
}

TEST(ChangedSince, SeesThatTheNodeHasMoved) {
  FakeEngine with;
  with.fake.files.Write(
      "/etc/kubernetes/manifests/kube-apiserver.yaml",
      R"({"spec":{"containers":[{"command":["kube-apiserver","--advertise-address=10.0.0.2"]}]}})",
      {});
  Change change{.node = with.node};
  EXPECT_THAT(ChangedSince(change, with.fake.files),
              ElementsAre("this node has moved from 10.20.30.40 to 10.0.0.2"));
  change.node.local_api_endpoint.advertise_address = "10.0.0.2";
  EXPECT_THAT(ChangedSince(change, with.fake.files), IsEmpty());
}

TEST(ChangedSince, SeesTheFilesThatWereWritten) {
  FakeEngine with;
  Change change{.before = FakeEngine::Stored("before"), .node = with.node, .kubelet = true};
  upgrade::Record record = NewRecord({});
  record.manifests["etcd"] = "/kept";
  SaveRecord(with.fake.files, record);
  for (const char* file : {"/etc/kubernetes/manifests/etcd.yaml", "/var/lib/kubelet/config.yaml",
                           "/etc/kubernetes/manifests/kube-scheduler.yaml"}) {
    with.fake.files.Write(file, "{}", {});
  }
  NoteWritten(change, with.fake.files);
  SaveChange(with.fake.files, change);
  change = LoadChange(with.fake.files).value();
  with.fake.files.Write("/etc/kubernetes/manifests/kube-scheduler.yaml", "{a: 1}", {});
  EXPECT_THAT(ChangedSince(change, with.fake.files), IsEmpty()) << "not of this change";
  with.fake.files.Write("/etc/kubernetes/manifests/etcd.yaml", "{a: 1}", {});
  with.fake.files.Remove("/var/lib/kubelet/config.yaml");
  EXPECT_THAT(ChangedSince(change, with.fake.files),
              ElementsAre("/etc/kubernetes/manifests/etcd.yaml is another one now",
                          "/var/lib/kubelet/config.yaml is gone"));
}

}  // namespace
}  // namespace config_change
