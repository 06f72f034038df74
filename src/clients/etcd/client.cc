// SPDX-License-Identifier: Apache-2.0
#include "etcd/client.h"

#include <fmt/core.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "etcd.pb.h"
#include "etcd/answers.h"
#include "etcd/snapshot.h"
#include "http/client.h"
#include "http/rpc/channel.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;
namespace pb = etcdserverpb;

template <typename Request, typename Answer>
using Method = rpc::Method<Request, Answer>;

constexpr Method<pb::MemberListRequest, pb::MemberListResponse> kMemberList{
    "/etcdserverpb.Cluster/MemberList"};
constexpr Method<pb::MemberAddRequest, pb::MemberAddResponse> kMemberAdd{
    "/etcdserverpb.Cluster/MemberAdd"};
constexpr Method<pb::MemberPromoteRequest, pb::MemberPromoteResponse> kMemberPromote{
    "/etcdserverpb.Cluster/MemberPromote"};
constexpr Method<pb::MemberRemoveRequest, pb::MemberRemoveResponse> kMemberRemove{
    "/etcdserverpb.Cluster/MemberRemove"};
constexpr Method<pb::MemberUpdateRequest, pb::MemberUpdateResponse> kMemberUpdate{
    "/etcdserverpb.Cluster/MemberUpdate"};
constexpr Method<pb::StatusRequest, pb::StatusResponse> kStatus{"/etcdserverpb.Maintenance/Status"};
constexpr Method<pb::AlarmRequest, pb::AlarmResponse> kAlarm{"/etcdserverpb.Maintenance/Alarm"};
constexpr Method<pb::DefragmentRequest, pb::DefragmentResponse> kDefragment{
    "/etcdserverpb.Maintenance/Defragment"};
constexpr Method<pb::CompactionRequest, pb::CompactionResponse> kCompact{
    "/etcdserverpb.KV/Compact"};
constexpr Method<pb::PutRequest, pb::PutResponse> kPut{"/etcdserverpb.KV/Put"};
constexpr Method<pb::DeleteRangeRequest, pb::DeleteRangeResponse> kDeleteRange{
    "/etcdserverpb.KV/DeleteRange"};

// The timeout of a compaction or a defragmentation, which may process gigabytes on a slow disk.
constexpr std::chrono::minutes kMaintenanceLimit{30};

std::vector<std::string> Texts(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

Member ToMember(const pb::Member& member) {
  return {.id = member.id(),
          .name = member.name(),
          .peer_urls = Texts(member.peer_urls()),
          .client_urls = Texts(member.client_urls()),
          .learner = member.is_learner()};
}

class GrpcClient : public Client {
 public:
  explicit GrpcClient(Connection connection) : connection_(std::move(connection)) {
    if (connection_.endpoints.empty()) {
      throw base::Error(Kind::kInvalid, "there is no etcd endpoint to connect to");
    }
    if (connection_.ca_pem.empty()) {  // http::Client would trust the system's CAs
      throw base::Error(Kind::kInvalid,
                        "etcd's CA certificate is empty: without it no member can be trusted");
    }
    for (const std::string& endpoint : connection_.endpoints) {
      Origin(endpoint);
    }
  }

  std::vector<Member> Members(Reach reach) override {
    pb::MemberListRequest request;
    request.set_linearizable(reach == Reach::kCluster);
    pb::MemberListResponse answer;
    Ask(kMemberList, request, answer);
    std::vector<Member> members;
    for (const pb::Member& member : answer.members()) {
      members.push_back(ToMember(member));
    }
    return members;
  }

  Refusal AddLearner(const std::string& peer_url) override {
    pb::MemberAddRequest request;
    request.add_peer_urls(peer_url);
    request.set_is_learner(true);
    pb::MemberAddResponse answer;
    return Ask(kMemberAdd, request, answer);
  }

  Refusal Promote(std::uint64_t id) override {
    pb::MemberPromoteRequest request;
    request.set_id(id);
    pb::MemberPromoteResponse answer;
    return Ask(kMemberPromote, request, answer);
  }

  Refusal Remove(std::uint64_t id) override {
    pb::MemberRemoveRequest request;
    request.set_id(id);
    pb::MemberRemoveResponse answer;
    return Ask(kMemberRemove, request, answer);
  }

  Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) override {
    pb::MemberUpdateRequest request;
    request.set_id(id);
    request.add_peerurls(peer_url);
    pb::MemberUpdateResponse answer;
    return Ask(kMemberUpdate, request, answer);
  }

  MemberStatus StatusWithin(std::optional<std::chrono::milliseconds> timeout,
                            const std::string& client_url) override {
    pb::StatusResponse answer;
    if (const rpc::Status status = Call(client_url, kStatus, pb::StatusRequest(), answer,
                                        timeout.value_or(connection_.timeout));
        !status.ok()) {
      throw CallError(client_url, status.code, status.message);
    }
    return {.member_id = answer.header().member_id(),
            .leader_id = answer.leader(),
            .cluster_id = answer.header().cluster_id(),
            .revision = answer.header().revision(),
            .version = answer.version(),
            .raft_index = answer.raft_index(),
            .applied_index = answer.raft_applied_index(),
            .db_size = answer.db_size(),
            .db_size_in_use = answer.db_size_in_use(),
            .db_quota = answer.db_size_quota(),
            .learner = answer.is_learner(),
            .errors = Texts(answer.errors())};
  }

  void Snapshot(const std::string& client_url, const base::TakeBytes& take,
                const std::function<void(std::uint64_t size)>& on_size) override {
    ReceiveSnapshot(ChannelTo(client_url), client_url, take, on_size, connection_.stop);
  }

  void Compact(std::int64_t revision) override {
    pb::CompactionRequest request;
    request.set_revision(revision);
    request.set_physical(true);
    pb::CompactionResponse answer;
    Ask(kCompact, request, answer, kMaintenanceLimit);  // kCompacted means success
  }

  void Defragment(const std::string& client_url) override {
    pb::DefragmentResponse answer;
    AskOne(client_url, kDefragment, pb::DefragmentRequest(), answer, kMaintenanceLimit);
  }

  void ClearSpaceAlarm(std::uint64_t member_id) override {
    pb::AlarmRequest request;
    request.set_action(pb::AlarmRequest::DEACTIVATE);
    request.set_memberid(member_id);
    request.set_alarm(pb::NOSPACE);
    pb::AlarmResponse answer;
    Ask(kAlarm, request, answer);
  }

  void CheckWrite() override {
    pb::PutRequest put;
    put.set_key(std::string(kWriteCheckKey));
    put.set_value("x");
    pb::PutResponse written;
    Ask(kPut, put, written);
    pb::DeleteRangeRequest removal;
    removal.set_key(put.key());
    pb::DeleteRangeResponse removed;
    Ask(kDeleteRange, removal, removed);
  }

 private:
  static bool AnotherMayAnswer(const base::Error& error) {
    return error.kind() == Kind::kUnavailable || error.kind() == Kind::kTimeout ||
           error.kind() == Kind::kUnauthorized;
  }

  // Tries the endpoints in turn, beginning with the last one that answered. Every call is
  // idempotent, so an interrupted attempt may be repeated.
  template <typename Request, typename Answer>
  Refusal Ask(const Method<Request, Answer>& method, const Request& request, Answer& answer,
              std::optional<std::chrono::milliseconds> timeout = {}) {
    const std::size_t first = answering_;
    const std::size_t count = connection_.endpoints.size();
    std::optional<base::Error> last;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t turn = (first + i) % count;
      try {
        const Refusal refusal = AskOne(connection_.endpoints[turn], method, request, answer,
                                       timeout.value_or(connection_.timeout));
        answering_ = turn;
        return refusal;
      } catch (const base::Error& error) {
        if (!AnotherMayAnswer(error)) {
          throw;
        }
        // Keeps the error of a certificate mismatch: it is more informative than an unreachable
        // member.
        if (!last || last->kind() != Kind::kUnauthorized) {
          last = error;
        }
      }
    }
    throw *std::move(last);
  }

  template <typename Request, typename Answer>
  Refusal AskOne(const std::string& endpoint, const Method<Request, Answer>& method,
                 const Request& request, Answer& answer, std::chrono::milliseconds timeout) {
    const rpc::Status status = Call(endpoint, method, request, answer, timeout);
    const Refusal refusal = RefusalIn(status.message);
    if (!status.ok() && refusal == Refusal::kNone) {
      throw CallError(endpoint, status.code, status.message);
    }
    return refusal;
  }

  template <typename Request, typename Answer>
  rpc::Status Call(const std::string& endpoint, const Method<Request, Answer>& method,
                   const Request& request, Answer& answer, std::chrono::milliseconds timeout) {
    const rpc::Channel& channel = ChannelTo(endpoint);
    try {
      return channel.Call(method, request, answer, {.timeout = timeout, .stop = connection_.stop});
    } catch (const base::Error& error) {
      throw NoAnswer(endpoint, error);
    } catch (const base::Interrupted&) {
      throw base::Interrupted(fmt::format("interrupted while waiting for etcd at {}", endpoint));
    }
  }

  const rpc::Channel& ChannelTo(const std::string& endpoint) {
    const std::scoped_lock lock(mutex_);
    const auto found = channels_.find(endpoint);
    if (found != channels_.end()) {
      return found->second;
    }
    http::Tls tls;
    tls.ca_pem = connection_.ca_pem;
    tls.certificate_pem = connection_.certificate_pem;
    tls.key_pem = connection_.key_pem;
    return channels_.emplace(endpoint, rpc::Channel::OverTls(Origin(endpoint), tls)).first->second;
  }

  Connection connection_;
  std::atomic<std::size_t> answering_{0};  // index of the endpoint that answered last
  std::mutex mutex_;
  std::map<std::string, rpc::Channel> channels_;  // guarded by mutex_; entries stay
};

}  // namespace

std::unique_ptr<Client> Connect(Connection connection) {
  return std::make_unique<GrpcClient>(std::move(connection));
}

}  // namespace etcd
