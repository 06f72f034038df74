// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime.h"

#include <fmt/core.h>

#include <expected>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "cri.pb.h"
#include "cri/answers.h"
#include "http/rpc/channel.h"
#include "net/unix_endpoint.h"

namespace cri {
namespace {

using rpc::Code;
namespace v1 = runtime::v1;

// The maximum size of an answer, in bytes. Nodes with hundreds of containers list more than gRPC's
// usual 4 MiB.
constexpr std::size_t kLargestAnswer = std::size_t{16} << 20;

template <typename Request, typename Answer>
using Method = rpc::Method<Request, Answer>;

constexpr Method<v1::VersionRequest, v1::VersionResponse> kVersion{
    "/runtime.v1.RuntimeService/Version"};
constexpr Method<v1::StatusRequest, v1::StatusResponse> kStatus{
    "/runtime.v1.RuntimeService/Status"};
constexpr Method<v1::RuntimeConfigRequest, v1::RuntimeConfigResponse> kRuntimeConfig{
    "/runtime.v1.RuntimeService/RuntimeConfig"};
constexpr Method<v1::ListPodSandboxRequest, v1::ListPodSandboxResponse> kListPodSandbox{
    "/runtime.v1.RuntimeService/ListPodSandbox"};
constexpr Method<v1::RunPodSandboxRequest, v1::RunPodSandboxResponse> kRunPodSandbox{
    "/runtime.v1.RuntimeService/RunPodSandbox"};
constexpr Method<v1::CreateContainerRequest, v1::CreateContainerResponse> kCreateContainer{
    "/runtime.v1.RuntimeService/CreateContainer"};
constexpr Method<v1::StartContainerRequest, v1::StartContainerResponse> kStartContainer{
    "/runtime.v1.RuntimeService/StartContainer"};
constexpr Method<v1::StopPodSandboxRequest, v1::StopPodSandboxResponse> kStopPodSandbox{
    "/runtime.v1.RuntimeService/StopPodSandbox"};
constexpr Method<v1::RemovePodSandboxRequest, v1::RemovePodSandboxResponse> kRemovePodSandbox{
    "/runtime.v1.RuntimeService/RemovePodSandbox"};
constexpr Method<v1::StopContainerRequest, v1::StopContainerResponse> kStopContainer{
    "/runtime.v1.RuntimeService/StopContainer"};
constexpr Method<v1::RemoveContainerRequest, v1::RemoveContainerResponse> kRemoveContainer{
    "/runtime.v1.RuntimeService/RemoveContainer"};
constexpr Method<v1::ListContainersRequest, v1::ListContainersResponse> kListContainers{
    "/runtime.v1.RuntimeService/ListContainers"};
constexpr Method<v1::ContainerStatusRequest, v1::ContainerStatusResponse> kContainerStatus{
    "/runtime.v1.RuntimeService/ContainerStatus"};
constexpr Method<v1::ImageStatusRequest, v1::ImageStatusResponse> kImageStatus{
    "/runtime.v1.ImageService/ImageStatus"};
constexpr Method<v1::PullImageRequest, v1::PullImageResponse> kPullImage{
    "/runtime.v1.ImageService/PullImage"};

v1::PodSandboxConfig SandboxOf(const OneOff& container) {
  v1::PodSandboxConfig config;
  config.mutable_metadata()->set_name(container.name);
  config.mutable_metadata()->set_uid(container.name);
  config.mutable_metadata()->set_namespace_("slipway");
  config.set_log_directory(container.log_directory);
  v1::NamespaceOption& namespaces =
      *config.mutable_linux()->mutable_security_context()->mutable_namespace_options();
  namespaces.set_network(v1::NODE);
  namespaces.set_pid(v1::CONTAINER);
  return config;
}

v1::ContainerConfig ConfigOf(const OneOff& container) {
  v1::ContainerConfig config;
  config.mutable_metadata()->set_name(container.name);
  config.mutable_image()->set_image(container.image);
  config.mutable_command()->Assign(container.command.begin(), container.command.end());
  for (const auto& [host, inside] : container.mounts) {
    v1::Mount& mount = *config.add_mounts();
    mount.set_host_path(host);
    mount.set_container_path(inside);
    mount.set_selinux_relabel(true);
  }
  config.set_log_path(container.name + ".log");
  v1::NamespaceOption& namespaces =
      *config.mutable_linux()->mutable_security_context()->mutable_namespace_options();
  namespaces.set_network(v1::NODE);
  namespaces.set_pid(v1::CONTAINER);
  return config;
}

class GrpcRuntime : public Runtime {
 public:
  GrpcRuntime(std::string endpoint, std::chrono::milliseconds timeout)
      : endpoint_(std::move(endpoint)),
        socket_(net::UnixSocketPath(endpoint_)),
        timeout_(timeout),
        channel_(rpc::Channel::OnSocket(socket_.value_or(""))) {}

  RuntimeVersion Version() override {
    v1::VersionRequest request;
    request.set_version("v1");
    const auto answer = Call(kVersion, request);
    return {answer.runtime_name(), answer.runtime_version(), answer.runtime_api_version()};
  }

  RuntimeStatus Status() override {
    v1::StatusRequest request;
    request.set_verbose(true);
    const auto answer = Call(kStatus, request);
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
    const rpc::Status status = Ask(kRuntimeConfig, v1::RuntimeConfigRequest(), answer, timeout_);
    if (status.is(Code::kUnimplemented)) {
      return std::nullopt;
    }
    Check(status);
    return answer.linux().cgroup_driver() == v1::CGROUPFS ? CgroupDriver::kCgroupfs
                                                          : CgroupDriver::kSystemd;
  }

  bool HasImage(const std::string& image) override {
    v1::ImageStatusRequest request;
    request.mutable_image()->set_image(image);
    return Call(kImageStatus, request).has_image();
  }

  void PullImage(const std::string& image, std::stop_token stop) override {
    v1::PullImageRequest request;
    request.mutable_image()->set_image(image);
    v1::PullImageResponse answer;
    Check(Ask(kPullImage, request, answer, std::chrono::milliseconds(0), stop));
  }

  std::vector<Sandbox> Sandboxes() override {
    const auto answer = Call(kListPodSandbox, v1::ListPodSandboxRequest());
    std::vector<Sandbox> sandboxes;
    for (const auto& item : answer.items()) {
      sandboxes.push_back({.id = item.id(),
                           .name = item.metadata().name(),
                           .name_space = item.metadata().namespace_(),
                           .ready = item.state() == v1::SANDBOX_READY,
                           .annotations = {item.annotations().begin(), item.annotations().end()},
                           .uid = item.metadata().uid()});
    }
    return sandboxes;
  }

  std::vector<Container> Containers(const Wanted& wanted) override {
    const auto answer = Call(kListContainers, v1::ListContainersRequest());
    std::vector<Container> containers;
    for (const auto& item : answer.containers()) {
      Container container{.id = item.id(),
                          .sandbox_id = item.pod_sandbox_id(),
                          .name = item.metadata().name(),
                          .attempt = item.metadata().attempt(),
                          .state = StateOf(item.state())};
      if (!wanted(container)) {
        continue;
      }
      if (container.state == Container::State::kExited) {
        AddEnd(container);
      }
      containers.push_back(std::move(container));
    }
    return containers;
  }

  std::optional<std::string> ContainerInfo(const std::string& id) override {
    v1::ContainerStatusRequest request;
    request.set_container_id(id);
    request.set_verbose(true);
    v1::ContainerStatusResponse answer;
    AskOfMaybeGone(kContainerStatus, request, answer, timeout_);
    const auto info = answer.info().find("info");
    return info == answer.info().end() ? std::nullopt : std::optional(info->second);
  }

  Started Start(const OneOff& container) override {
    v1::RunPodSandboxRequest sandbox;
    *sandbox.mutable_config() = SandboxOf(container);
    Started started{.sandbox_id = Call(kRunPodSandbox, sandbox).pod_sandbox_id(),
                    .container_id = {}};
    try {
      v1::CreateContainerRequest request;
      request.set_pod_sandbox_id(started.sandbox_id);
      *request.mutable_config() = ConfigOf(container);
      *request.mutable_sandbox_config() = sandbox.config();
      started.container_id = Call(kCreateContainer, request).container_id();
      v1::StartContainerRequest start;
      start.set_container_id(started.container_id);
      Call(kStartContainer, start);
    } catch (...) {
      RemoveSandbox(started.sandbox_id);
      throw;
    }
    return started;
  }

  void StopSandbox(const std::string& id) override {
    v1::StopPodSandboxRequest request;
    request.set_pod_sandbox_id(id);
    Call(kStopPodSandbox, request);
  }

  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    v1::StopContainerRequest request;
    request.set_container_id(id);
    request.set_timeout(grace.count());
    v1::StopContainerResponse answer;
    AskOfMaybeGone(kStopContainer, request, answer, timeout_ + grace);
  }

  void RemoveContainer(const std::string& id) override {
    v1::RemoveContainerRequest request;
    request.set_container_id(id);
    v1::RemoveContainerResponse answer;
    AskOfMaybeGone(kRemoveContainer, request, answer, timeout_);
  }

  void RemoveSandbox(const std::string& id) override {
    v1::RemovePodSandboxRequest request;
    request.set_pod_sandbox_id(id);
    Call(kRemovePodSandbox, request);
  }

 private:
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

  // Queries how the container ended, because the list lacks this information. If the container was
  // removed concurrently, does not change its fields.
  void AddEnd(Container& container) {
    v1::ContainerStatusRequest request;
    request.set_container_id(container.id);
    v1::ContainerStatusResponse answer;
    if (!AskOfMaybeGone(kContainerStatus, request, answer, timeout_)) {
      return;
    }
    const auto& details = answer.status();
    container.exit_code = details.exit_code();
    container.reason = details.reason();
    container.log_path = details.log_path();
    container.finished = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::nanoseconds(details.finished_at())));
  }

  template <typename Request, typename Answer>
  Answer Call(const Method<Request, Answer>& method, const Request& request) const {
    Answer answer;
    Check(Ask(method, request, answer, timeout_));
    return answer;
  }

  // Sends a call about a container. Returns false if the container was removed.
  template <typename Request, typename Answer>
  bool AskOfMaybeGone(const Method<Request, Answer>& method, const Request& request, Answer& answer,
                      std::chrono::milliseconds timeout) const {
    const rpc::Status status = Ask(method, request, answer, timeout);
    if (status.is(Code::kNotFound)) {
      return false;
    }
    Check(status);
    return true;
  }

  template <typename Request, typename Answer>
  rpc::Status Ask(const Method<Request, Answer>& method, const Request& request, Answer& answer,
                  std::chrono::milliseconds timeout, const std::stop_token& stop = {}) const {
    if (!socket_) {
      throw base::Error(base::Error::Kind::kInvalid,
                        fmt::format("{} is not the endpoint of a container runtime: {}",
                                    base::Quoted(endpoint_), socket_.error()));
    }
    try {
      return channel_.Call(method, request, answer,
                           {.timeout = timeout, .stop = stop, .largest_answer = kLargestAnswer});
    } catch (const base::Error& error) {
      throw NoAnswer(endpoint_, error);
    } catch (const base::Interrupted&) {
      throw base::Interrupted(
          fmt::format("interrupted while waiting for the container runtime at {}", endpoint_));
    }
  }

  void Check(const rpc::Status& status) const {
    if (!status.ok()) {
      throw CallError(endpoint_, status.code, status.message);
    }
  }

  std::string endpoint_;
  // the path of the socket, or the endpoint's error
  std::expected<std::string, std::string> socket_;
  std::chrono::milliseconds timeout_;
  rpc::Channel channel_;
};

}  // namespace

std::unique_ptr<Runtime> Connect(const std::string& endpoint, std::chrono::milliseconds timeout) {
  return std::make_unique<GrpcRuntime>(WithScheme(endpoint), timeout);
}

}  // namespace cri
