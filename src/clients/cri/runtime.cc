// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime.h"

#include <fmt/core.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "base/error.h"
#include "cri.grpc.pb.h"
#include "cri/answers.h"

namespace cri {
namespace {

using Kind = base::Error::Kind;
namespace v1 = runtime::v1;

// Nodes with hundreds of containers list more than gRPC's 4 MiB.
constexpr int kLargestAnswer = 16 << 20;
// A runtime that restarts is seen soon, however long it was away: gRPC's pauses grow to minutes.
constexpr int kFirstReconnectMs = 50;
constexpr int kMostReconnectMs = 500;

class GrpcRuntime : public Runtime {
 public:
  GrpcRuntime(std::string endpoint, std::chrono::milliseconds timeout)
      : endpoint_(std::move(endpoint)), timeout_(timeout) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kLargestAnswer);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMostReconnectMs);
    const auto channel =
        grpc::CreateCustomChannel(endpoint_, grpc::InsecureChannelCredentials(), arguments);
    runtime_ = v1::RuntimeService::NewStub(channel);
    images_ = v1::ImageService::NewStub(channel);
  }

  RuntimeVersion Version() override {
    v1::VersionRequest request;
    request.set_version("v1");
    const auto answer = Call(*runtime_, &v1::RuntimeService::Stub::Version, request);
    return {answer.runtime_name(), answer.runtime_version(), answer.runtime_api_version()};
  }

  RuntimeStatus Status() override {
    v1::StatusRequest request;
    request.set_verbose(true);
    const auto answer = Call(*runtime_, &v1::RuntimeService::Stub::Status, request);
    RuntimeStatus status;
    for (const auto& condition : answer.status().conditions()) {
      AddCondition({condition.type(), condition.status(), condition.reason(), condition.message()},
                   status);
    }
    if (const auto config = answer.info().find("config"); config != answer.info().end()) {
      status.sandbox_image = SandboxImageIn(config->second);
    }
    return status;
  }

  std::optional<CgroupDriver> PreferredCgroupDriver() override {
    v1::RuntimeConfigResponse answer;
    grpc::ClientContext context;
    SetDeadline(context);
    const auto status = runtime_->RuntimeConfig(&context, {}, &answer);
    if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
      return std::nullopt;
    }
    Check(status);
    return answer.linux().cgroup_driver() == v1::CGROUPFS ? CgroupDriver::kCgroupfs
                                                          : CgroupDriver::kSystemd;
  }

  bool HasImage(const std::string& image) override {
    v1::ImageStatusRequest request;
    request.mutable_image()->set_image(image);
    return Call(*images_, &v1::ImageService::Stub::ImageStatus, request).has_image();
  }

  void PullImage(const std::string& image, std::stop_token stop) override {
    v1::PullImageRequest request;
    request.mutable_image()->set_image(image);
    v1::PullImageResponse answer;
    grpc::ClientContext context;
    const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
    Check(images_->PullImage(&context, request, &answer));
  }

  std::vector<Sandbox> Sandboxes() override {
    const auto answer =
        Call(*runtime_, &v1::RuntimeService::Stub::ListPodSandbox, v1::ListPodSandboxRequest());
    std::vector<Sandbox> sandboxes;
    for (const auto& item : answer.items()) {
      sandboxes.push_back({.id = item.id(),
                           .name = item.metadata().name(),
                           .name_space = item.metadata().namespace_(),
                           .ready = item.state() == v1::SANDBOX_READY,
                           .annotations = {item.annotations().begin(), item.annotations().end()}});
    }
    return sandboxes;
  }

  std::vector<Container> Containers() override {
    const auto answer =
        Call(*runtime_, &v1::RuntimeService::Stub::ListContainers, v1::ListContainersRequest());
    std::vector<Container> containers;
    for (const auto& item : answer.containers()) {
      Container container{.id = item.id(),
                          .sandbox_id = item.pod_sandbox_id(),
                          .name = item.metadata().name(),
                          .attempt = item.metadata().attempt(),
                          .state = StateOf(item.state())};
      if (const auto label = item.labels().find(kPodNameLabel); label != item.labels().end()) {
        container.pod_name = label->second;
      }
      AddDetails(container);
      containers.push_back(std::move(container));
    }
    return containers;
  }

  std::optional<std::string> ContainerInfo(const std::string& id) override {
    v1::ContainerStatusRequest request;
    request.set_container_id(id);
    request.set_verbose(true);
    v1::ContainerStatusResponse answer;
    grpc::ClientContext context;
    SetDeadline(context);
    const auto status = runtime_->ContainerStatus(&context, request, &answer);
    if (status.error_code() != grpc::StatusCode::NOT_FOUND) {
      Check(status);
    }
    const auto info = answer.info().find("info");
    return info == answer.info().end() ? std::nullopt : std::optional(info->second);
  }

  void StopSandbox(const std::string& id) override {
    v1::StopPodSandboxRequest request;
    request.set_pod_sandbox_id(id);
    Call(*runtime_, &v1::RuntimeService::Stub::StopPodSandbox, request);
  }

  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    v1::StopContainerRequest request;
    request.set_container_id(id);
    request.set_timeout(grace.count());
    v1::StopContainerResponse answer;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout_ + grace);
    const auto status = runtime_->StopContainer(&context, request, &answer);
    if (status.error_code() != grpc::StatusCode::NOT_FOUND) {
      Check(status);
    }
  }

  void RemoveSandbox(const std::string& id) override {
    v1::RemovePodSandboxRequest request;
    request.set_pod_sandbox_id(id);
    Call(*runtime_, &v1::RuntimeService::Stub::RemovePodSandbox, request);
  }

 private:
  static constexpr const char* kPodNameLabel = "io.kubernetes.pod.name";

  static Container::State StateOf(v1::ContainerState state) {
    switch (state) {
      case v1::CONTAINER_CREATED:
        return Container::State::kCreated;
      case v1::CONTAINER_RUNNING:
        return Container::State::kRunning;
      case v1::CONTAINER_EXITED:
        return Container::State::kExited;
      default:
        return Container::State::kUnknown;
    }
  }

  // AddDetails asks for what the list does not say. A container that went away meanwhile keeps
  // what is known.
  void AddDetails(Container& container) {
    v1::ContainerStatusRequest request;
    request.set_container_id(container.id);
    v1::ContainerStatusResponse answer;
    grpc::ClientContext context;
    SetDeadline(context);
    const auto status = runtime_->ContainerStatus(&context, request, &answer);
    if (status.error_code() == grpc::StatusCode::NOT_FOUND) {
      return;
    }
    Check(status);
    const auto& details = answer.status();
    container.exit_code = details.exit_code();
    container.reason = details.reason();
    container.log_path = details.log_path();
    container.finished = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::nanoseconds(details.finished_at())));
  }

  void SetDeadline(grpc::ClientContext& context) const {
    context.set_deadline(std::chrono::system_clock::now() + timeout_);
  }

  template <typename Stub, typename Request, typename Answer>
  Answer Call(Stub& stub,
              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Answer*),
              const Request& request) {
    Answer answer;
    grpc::ClientContext context;
    SetDeadline(context);
    Check((stub.*method)(&context, request, &answer));
    return answer;
  }

  void Check(const grpc::Status& status) const {
    if (!status.ok()) {
      throw CallError(endpoint_, static_cast<int>(status.error_code()), status.error_message());
    }
  }

  std::string endpoint_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<v1::RuntimeService::Stub> runtime_;
  std::unique_ptr<v1::ImageService::Stub> images_;
};

}  // namespace

std::unique_ptr<Runtime> Connect(const std::string& endpoint, std::chrono::milliseconds timeout) {
  return std::make_unique<GrpcRuntime>(WithScheme(endpoint), timeout);
}

}  // namespace cri
