// SPDX-License-Identifier: Apache-2.0
#include "etcd/client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "base/fake_error.h"
#include "etcd.grpc.pb.h"
#include "pki/certificate.h"
#include "pki/crypto.h"

namespace etcd {
namespace {

using base::Error;
using base::Thrown;
using grpc::ServerContext;
using testing::HasSubstr;
namespace pb = etcdserverpb;
using Kind = Error::Kind;

pki::CertificateSpec Spec(const std::string& name) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {.subject = {.common_name = name},
          .alt_names = {.ip_addresses = {"127.0.0.1", "::1"}},
          .usages = {pki::ExtendedKeyUsage::kServerAuth, pki::ExtendedKeyUsage::kClientAuth},
          .not_before = now - std::chrono::hours(1),
          .not_after = now + std::chrono::hours(1)};
}

// A CA, and a certificate with its key that both sides use.
struct Authority {
  pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  pki::KeyPair ca{pki::NewSelfSignedCa(Spec("etcd-ca"), key), key};
  pki::PrivateKey leaf_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  pki::Certificate leaf = pki::Sign(Spec("etcd"), leaf_key.Public(), ca);
};

class ClusterService : public pb::Cluster::Service {
 public:
  grpc::Status MemberAdd(ServerContext*, const pb::MemberAddRequest* request,
                         pb::MemberAddResponse*) override {
    added = *request;
    return answer;
  }
  grpc::Status MemberRemove(ServerContext*, const pb::MemberRemoveRequest* request,
                            pb::MemberRemoveResponse*) override {
    id = request->id();
    return answer;
  }
  grpc::Status MemberPromote(ServerContext*, const pb::MemberPromoteRequest* request,
                             pb::MemberPromoteResponse*) override {
    id = request->id();
    return answer;
  }
  grpc::Status MemberList(ServerContext* context, const pb::MemberListRequest* request,
                          pb::MemberListResponse* list) override {
    linearizable = request->linearizable();
    if (on_list) {
      on_list();
      while (!context->IsCancelled()) {
        std::this_thread::yield();
      }
    }
    auto* member = list->add_members();
    member->set_id(1);
    member->set_name("cp1");
    member->add_peer_urls("https://10.0.0.1:2380");
    member->add_client_urls("https://10.0.0.1:2379");
    member = list->add_members();
    member->set_id(2);
    member->set_is_learner(true);
    return answer;
  }

  grpc::Status answer;
  pb::MemberAddRequest added;
  std::uint64_t id = 0;
  bool linearizable = false;
  // if set, called by each member list, which then does not return until it is cancelled
  std::function<void()> on_list;
};

class MaintenanceService : public pb::Maintenance::Service {
 public:
  grpc::Status Status(ServerContext*, const pb::StatusRequest*,
                      pb::StatusResponse* answer) override {
    answer->mutable_header()->set_member_id(1);
    answer->set_version("3.6.8");
    answer->set_db_size(4096);
    answer->set_leader(2);
    answer->set_raft_index(12);
    answer->set_raft_applied_index(11);
    answer->set_is_learner(true);
    answer->add_errors("NOSPACE");
    answer->set_db_size_in_use(1024);
    answer->set_db_size_quota(8192);
    return grpc::Status::OK;
  }
  grpc::Status Defragment(ServerContext*, const pb::DefragmentRequest*,
                          pb::DefragmentResponse*) override {
    ++defragmented;
    return end;
  }
  grpc::Status Alarm(ServerContext*, const pb::AlarmRequest* request, pb::AlarmResponse*) override {
    alarm = *request;
    return end;
  }
  grpc::Status Snapshot(ServerContext*, const pb::SnapshotRequest*,
                        grpc::ServerWriter<pb::SnapshotResponse>* writer) override {
    for (const std::string& piece : pieces) {
      pb::SnapshotResponse part;
      part.set_blob(piece);
      part.set_remaining_bytes(remaining);
      writer->Write(part);
    }
    return end;
  }

  std::vector<std::string> pieces;  // of a snapshot
  std::uint64_t remaining = 0;      // size of the pieces that follow, in bytes
  grpc::Status end;
  int defragmented = 0;
  pb::AlarmRequest alarm;
};

class KvService : public pb::KV::Service {
 public:
  grpc::Status Compact(ServerContext*, const pb::CompactionRequest* request,
                       pb::CompactionResponse*) override {
    compaction = *request;
    return answer;
  }
  grpc::Status Put(ServerContext*, const pb::PutRequest* request, pb::PutResponse*) override {
    keys.push_back("+" + request->key());
    return answer;
  }
  grpc::Status DeleteRange(ServerContext*, const pb::DeleteRangeRequest* request,
                           pb::DeleteRangeResponse*) override {
    keys.push_back("-" + request->key());
    return answer;
  }

  grpc::Status answer;
  pb::CompactionRequest compaction;
  std::vector<std::string> keys;
};

class ClientTest : public testing::Test {
 protected:
  explicit ClientTest(const std::string& address = "127.0.0.1") {
    grpc::SslServerCredentialsOptions options(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = authority_.ca.certificate.Pem();
    options.pem_key_cert_pairs = {{authority_.leaf_key.Pem(), authority_.leaf.Pem()}};
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address + ":0", grpc::SslServerCredentials(options), &port);
    builder.RegisterService(&cluster_);
    builder.RegisterService(&maintenance_);
    builder.RegisterService(&kv_);
    server_ = builder.BuildAndStart();
    endpoint_ = "https://" + address + ":" + std::to_string(port);
  }
  ~ClientTest() override { server_->Shutdown(std::chrono::system_clock::now()); }

  // Uses a long timeout, so that a slow machine does not look like a hanging etcd.
  Connection To(std::vector<std::string> endpoints) const {
    return {.endpoints = std::move(endpoints),
            .ca_pem = authority_.ca.certificate.Pem(),
            .certificate_pem = authority_.leaf.Pem(),
            .key_pem = authority_.leaf_key.Pem(),
            .timeout = std::chrono::minutes(1)};
  }
  std::unique_ptr<Client> NewClient() const { return Connect(To({endpoint_})); }

  Authority authority_;
  ClusterService cluster_;
  MaintenanceService maintenance_;
  KvService kv_;
  std::unique_ptr<grpc::Server> server_;
  std::string endpoint_;
};

TEST_F(ClientTest, ListsMembers) {
  const auto members = NewClient()->Members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0], (Member{.id = 1,
                                .name = "cp1",
                                .peer_urls = {"https://10.0.0.1:2380"},
                                .client_urls = {"https://10.0.0.1:2379"}}));
  EXPECT_EQ(members[1], (Member{.id = 2, .learner = true}));
  EXPECT_TRUE(cluster_.linearizable);
  NewClient()->Members(Reach::kMember);
  EXPECT_FALSE(cluster_.linearizable);
}

TEST_F(ClientTest, ChangesMembersOrReturnsTheRefusal) {
  const auto client = NewClient();
  EXPECT_EQ(client->AddLearner("https://10.0.0.2:2380"), Refusal::kNone);
  EXPECT_EQ(cluster_.added.peer_urls(0), "https://10.0.0.2:2380");
  EXPECT_TRUE(cluster_.added.is_learner());
  EXPECT_EQ(client->Promote(7), Refusal::kNone);
  EXPECT_EQ(cluster_.id, 7U);
  EXPECT_EQ(client->Remove(8), Refusal::kNone);
  EXPECT_EQ(cluster_.id, 8U);
  cluster_.answer = {grpc::StatusCode::FAILED_PRECONDITION,
                     "etcdserver: too many learner members in cluster"};
  EXPECT_EQ(client->AddLearner("https://10.0.0.2:2380"), Refusal::kTooManyLearners);
  cluster_.answer = {grpc::StatusCode::UNAVAILABLE, "etcdserver: unhealthy cluster"};
  EXPECT_EQ(client->Remove(8), Refusal::kUnhealthy);
  cluster_.answer = {grpc::StatusCode::UNKNOWN, "etcdserver: broken"};
  EXPECT_EQ(Thrown([&] { client->Remove(8); }).message(),
            "etcd at " + endpoint_ + " answers: etcdserver: broken");
}

TEST_F(ClientTest, ReportsTheStatusOfAMember) {
  const MemberStatus status = NewClient()->Status(endpoint_);
  EXPECT_EQ(status.member_id, 1U);
  EXPECT_EQ(status.leader_id, 2U);
  EXPECT_EQ(status.version, "3.6.8");
  EXPECT_EQ(status.db_size, 4096);
  EXPECT_EQ(status.db_size_in_use, 1024);
  EXPECT_EQ(status.db_quota, 8192);
  EXPECT_EQ(status.raft_index, 12U);
  EXPECT_EQ(status.applied_index, 11U);
  EXPECT_TRUE(status.learner);
  EXPECT_THAT(status.errors, testing::ElementsAre("NOSPACE"));
}

TEST_F(ClientTest, CompactsAndAcceptsACompactedRevision) {
  const auto client = NewClient();
  client->Compact(77);
  EXPECT_EQ(kv_.compaction.revision(), 77);
  EXPECT_TRUE(kv_.compaction.physical());
  kv_.answer = {grpc::StatusCode::OUT_OF_RANGE,
                "etcdserver: mvcc: required revision has been compacted"};
  client->Compact(77);
  kv_.answer = {grpc::StatusCode::OUT_OF_RANGE,
                "etcdserver: mvcc: required revision is a future revision"};
  EXPECT_THAT(Thrown([&] { client->Compact(99); }).message(), HasSubstr("future revision"));
}

TEST_F(ClientTest, DefragmentsTheMemberAtTheUrl) {
  const auto client = NewClient();
  client->Defragment(endpoint_);
  EXPECT_EQ(maintenance_.defragmented, 1);
  maintenance_.end = {grpc::StatusCode::UNKNOWN, "no space left on device"};
  EXPECT_THAT(Thrown([&] { client->Defragment(endpoint_); }).message(),
              HasSubstr("no space left on device"));
}

TEST_F(ClientTest, ClearsTheAlarmOfOneMember) {
  NewClient()->ClearSpaceAlarm(7);
  EXPECT_EQ(maintenance_.alarm.action(), pb::AlarmRequest::DEACTIVATE);
  EXPECT_EQ(maintenance_.alarm.memberid(), 7U);
  EXPECT_EQ(maintenance_.alarm.alarm(), pb::NOSPACE);
}

TEST_F(ClientTest, ChecksThatAWriteWorksAndLeavesNoKey) {
  NewClient()->CheckWrite();
  EXPECT_THAT(kv_.keys, testing::ElementsAre("+slipway/write-check", "-slipway/write-check"));
  kv_.answer = {grpc::StatusCode::RESOURCE_EXHAUSTED, "etcdserver: mvcc: database space exceeded"};
  EXPECT_THAT(Thrown([&] { NewClient()->CheckWrite(); }).message(),
              HasSubstr("database space exceeded"));
}

TEST_F(ClientTest, PassesASnapshotToTheSinkWithoutItsChecksum) {
  const std::string database(300'000, 'x');
  const std::string sum = pki::Sha256(database);
  const auto taken = [&] {
    std::string all;
    NewClient()->Snapshot(endpoint_, [&](std::string_view piece) { all += piece; }, {});
    return all;
  };
  maintenance_.pieces = {database.substr(0, 100'000), database.substr(100'000) + sum.substr(0, 5),
                         "", sum.substr(5)};
  EXPECT_TRUE(taken() == database);
  maintenance_.pieces.front().front() = 'y';
  EXPECT_EQ(Thrown(taken).message(), "the snapshot of etcd at " + endpoint_ + " came damaged");
  maintenance_.pieces.pop_back();
  EXPECT_EQ(Thrown(taken).kind(), Kind::kInvalid) << "cut off";
  maintenance_.end = {grpc::StatusCode::UNKNOWN, "etcdserver: broken"};
  EXPECT_THAT(Thrown(taken).message(), HasSubstr("etcdserver: broken"));
}

TEST_F(ClientTest, ReportsTheSizeOfASnapshotBeforeItsContent) {
  maintenance_.pieces = {std::string(100, 'x'), std::string(50, 'x'), "", ""};
  maintenance_.pieces.back() = pki::Sha256(std::string(150, 'x'));
  maintenance_.remaining = 50;
  std::vector<std::uint64_t> sizes;
  std::size_t taken = 0;
  NewClient()->Snapshot(
      endpoint_, [&](std::string_view piece) { taken += sizes.empty() ? 0 : piece.size(); },
      [&](std::uint64_t size) { sizes.push_back(size); });
  EXPECT_EQ(sizes, std::vector<std::uint64_t>{150});
  EXPECT_EQ(taken, 150U);
}

TEST_F(ClientTest, PropagatesAFailureOfTheSnapshotsSink) {
  maintenance_.pieces = {std::string(100, 'x')};
  const auto full = [](std::string_view) { throw Error("disk full"); };
  EXPECT_EQ(Thrown([&] { NewClient()->Snapshot(endpoint_, full, {}); }).message(), "disk full");
}

TEST_F(ClientTest, CallsTheNextEndpointIfOneIsUnreachable) {
  EXPECT_EQ(Connect(To({"https://127.0.0.1:1", endpoint_}))->Members().size(), 2U);
  const Error error = Thrown([&] { Connect(To({"https://127.0.0.1:1"}))->Members(); });
  EXPECT_EQ(error.kind(), Kind::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("etcd at https://127.0.0.1:1 is not available"));
}

TEST_F(ClientTest, ReportsCertificatesThatDoNotMatch) {
  Connection connection = To({endpoint_, "https://127.0.0.1:1"});
  connection.ca_pem = Authority().ca.certificate.Pem();
  const Error error = Thrown([&] { Connect(connection)->Members(); });
  EXPECT_EQ(error.kind(), Kind::kUnauthorized) << error.message();
}

TEST_F(ClientTest, EndsACallInTimeOrWhenStopped) {
  Connection connection = To({endpoint_});
  std::stop_source stop;
  connection.stop = stop.get_token();
  cluster_.on_list = [&] { stop.request_stop(); };
  EXPECT_EQ(base::InterruptionOf([&] { Connect(connection)->Members(); }),
            "interrupted while waiting for etcd at " + endpoint_);
  connection = To({endpoint_});
  connection.timeout = std::chrono::milliseconds(50);
  cluster_.on_list = [] {};
  EXPECT_EQ(Thrown([&] { Connect(connection)->Members(); }).kind(), Kind::kTimeout);
}

TEST_F(ClientTest, RefusesEndpointsThatItCannotDial) {
  EXPECT_EQ(Thrown([&] { Connect(To({})); }).kind(), Kind::kInvalid);
  EXPECT_EQ(Thrown([&] { Connect(To({"http://127.0.0.1:2379"})); }).kind(), Kind::kInvalid);
}

TEST_F(ClientTest, TrustsNoServerWithoutACa) {
  // The client must not trust the CAs that the machine trusts.
  const std::string machine = testing::TempDir() + "/machine-cas.pem";
  std::ofstream(machine) << authority_.ca.certificate.Pem();
  setenv("SSL_CERT_FILE", machine.c_str(), 1);
  Connection connection = To({endpoint_});
  connection.ca_pem = "";
  EXPECT_EQ(Thrown([&] { Connect(connection)->Members(); }).kind(), Kind::kInvalid);
  connection.ca_pem = Authority().ca.certificate.Pem();
  EXPECT_EQ(Thrown([&] { Connect(connection)->Members(); }).kind(), Kind::kUnauthorized);
  unsetenv("SSL_CERT_FILE");
}

class Ipv6ClientTest : public ClientTest {
 protected:
  Ipv6ClientTest() : ClientTest("[::1]") {}
};

TEST_F(Ipv6ClientTest, Connects) { EXPECT_EQ(NewClient()->Members().size(), 2U); }

}  // namespace
}  // namespace etcd
