// SPDX-License-Identifier: Apache-2.0
#include "etcd/client.h"

#include <fmt/core.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "etcd.grpc.pb.h"
#include "etcd/answers.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;
namespace pb = etcdserverpb;

// A member that is being started is asked again and again: gRPC must not wait long between tries.
constexpr int kFirstReconnectMs = 50;
constexpr int kMostReconnectMs = 500;

// What gRPC has to say of a connection comes to the user as an error of the call.
void LogQuietly(gpr_log_func_args* line) { base::LogInfo(8, "gRPC: {}", line->message); }

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
    if (connection_.ca_pem.empty()) {  // gRPC would trust the system's CAs
      throw base::Error(Kind::kInvalid,
                        "etcd's CA certificate is empty: without it no member can be trusted");
    }
    for (const std::string& endpoint : connection_.endpoints) {
      Target(endpoint);
    }
  }

  std::vector<Member> Members(Reach reach) override {
    pb::MemberListRequest request;
    request.set_linearizable(reach == Reach::kCluster);
    pb::MemberListResponse answer;
    Ask(&pb::Cluster::Stub::MemberList, request, answer);
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
    return Ask(&pb::Cluster::Stub::MemberAdd, request, answer);
  }

  Refusal Promote(std::uint64_t id) override {
    pb::MemberPromoteRequest request;
    request.set_id(id);
    pb::MemberPromoteResponse answer;
    return Ask(&pb::Cluster::Stub::MemberPromote, request, answer);
  }

  Refusal Remove(std::uint64_t id) override {
    pb::MemberRemoveRequest request;
    request.set_id(id);
    pb::MemberRemoveResponse answer;
    return Ask(&pb::Cluster::Stub::MemberRemove, request, answer);
  }

  Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) override {
    pb::MemberUpdateRequest request;
    request.set_id(id);
    request.add_peerurls(peer_url);
    pb::MemberUpdateResponse answer;
    return Ask(&pb::Cluster::Stub::MemberUpdate, request, answer);
  }

  MemberStatus Status(const std::string& client_url) override {
    const auto stub = pb::Maintenance::NewStub(Channel(client_url));
    pb::StatusResponse answer;
    const auto status = Call([&](grpc::ClientContext& context) {
      return stub->Status(&context, pb::StatusRequest(), &answer);
    });
    if (!status.ok()) {
      throw CallError(client_url, static_cast<int>(status.error_code()), status.error_message());
    }
    return {.member_id = answer.header().member_id(),
            .leader_id = answer.leader(),
            .version = answer.version(),
            .raft_index = answer.raft_index(),
            .applied_index = answer.raft_applied_index(),
            .db_size = answer.db_size(),
            .learner = answer.is_learner(),
            .errors = Texts(answer.errors())};
  }

 private:
  template <typename Request, typename Answer>
  using Method = grpc::Status (pb::Cluster::Stub::*)(grpc::ClientContext*, const Request&, Answer*);

  static bool AnotherMayAnswer(const base::Error& error) {
    return error.kind() == Kind::kUnavailable || error.kind() == Kind::kTimeout ||
           error.kind() == Kind::kUnauthorized;
  }

  // Ask tries the endpoints, the one that answered last first. Every call may be repeated, so what
  // became of a try that broke off does not matter.
  template <typename Request, typename Answer>
  Refusal Ask(Method<Request, Answer> method, const Request& request, Answer& answer) {
    const std::size_t first = answering_;
    const std::size_t count = connection_.endpoints.size();
    std::optional<base::Error> last;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t turn = (first + i) % count;
      const std::string& endpoint = connection_.endpoints[turn];
      const auto stub = pb::Cluster::NewStub(Channel(endpoint));
      const auto status = Call([&](grpc::ClientContext& context) {
        return ((*stub).*method)(&context, request, &answer);
      });
      if (const Refusal refusal = RefusalIn(status.error_message());
          status.ok() || refusal != Refusal::kNone) {
        answering_ = turn;
        return refusal;
      }
      base::Error error =
          CallError(endpoint, static_cast<int>(status.error_code()), status.error_message());
      if (!AnotherMayAnswer(error)) {
        throw error;
      }
      // Certificates that do not fit say more than a member that is away.
      if (!last || last->kind() != Kind::kUnauthorized) {
        last = std::move(error);
      }
    }
    throw *std::move(last);
  }

  template <typename Body>
  grpc::Status Call(const Body& body) const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + connection_.timeout);
    const std::stop_callback cancel(connection_.stop, [&] { context.TryCancel(); });
    return body(context);
  }

  std::shared_ptr<grpc::Channel> Channel(const std::string& endpoint) {
    const std::scoped_lock lock(mutex_);
    auto& channel = channels_[endpoint];
    if (!channel) {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
      arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                       static_cast<int>(connection_.timeout.count()));
      arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMostReconnectMs);
      const grpc::SslCredentialsOptions credentials{
          .pem_root_certs = connection_.ca_pem,
          .pem_private_key = connection_.key_pem,
          .pem_cert_chain = connection_.certificate_pem,
      };
      channel =
          grpc::CreateCustomChannel(Target(endpoint), grpc::SslCredentials(credentials), arguments);
    }
    return channel;
  }

  Connection connection_;
  std::atomic<std::size_t> answering_{0};  // index of the endpoint that answered last
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Client> Connect(Connection connection) {
  gpr_set_log_function(LogQuietly);
  return std::make_unique<GrpcClient>(std::move(connection));
}

}  // namespace etcd
