// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "base/fake_error.h"
#include "cri.grpc.pb.h"
#include "cri/fake_runtime.h"

namespace cri {
namespace {

using base::Error;
using base::Thrown;
using grpc::ServerContext;
using testing::ElementsAre;
using testing::HasSubstr;
namespace v1 = runtime::v1;

// A CRI service with one Pod, which has a running container and an ended container.
class Service : public v1::RuntimeService::Service {
 public:
  grpc::Status Version(ServerContext*, const v1::VersionRequest*,
                       v1::VersionResponse* answer) override {
    answer->set_runtime_name("containerd");
    answer->set_runtime_version("v2.0.0");
    answer->set_runtime_api_version("v1");
    return grpc::Status::OK;
  }
  grpc::Status Status(ServerContext*, const v1::StatusRequest* request,
                      v1::StatusResponse* answer) override {
    auto* condition = answer->mutable_status()->add_conditions();
    condition->set_type("RuntimeReady");
    condition->set_status(true);
    if (request->verbose()) {
      (*answer->mutable_info())["config"] = R"({"sandboxImage":"pause:3"})";
    }
    return grpc::Status::OK;
  }
  grpc::Status RuntimeConfig(ServerContext*, const v1::RuntimeConfigRequest*,
                             v1::RuntimeConfigResponse* answer) override {
    if (!knows_cgroups) {
      return {grpc::StatusCode::UNIMPLEMENTED, "unknown method"};
    }
    answer->mutable_linux()->set_cgroup_driver(v1::CGROUPFS);
    return grpc::Status::OK;
  }
  grpc::Status ListPodSandbox(ServerContext*, const v1::ListPodSandboxRequest*,
                              v1::ListPodSandboxResponse* answer) override {
    for (const std::string& id : sandboxes) {
      auto* item = answer->add_items();
      item->set_id(id);
      item->mutable_metadata()->set_name("etcd-cp");
      item->mutable_metadata()->set_uid("u-" + id);
      item->mutable_metadata()->set_namespace_("kube-system");
      item->set_state(v1::SANDBOX_NOTREADY);
    }
    return grpc::Status::OK;
  }
  grpc::Status RunPodSandbox(ServerContext*, const v1::RunPodSandboxRequest* request,
                             v1::RunPodSandboxResponse* answer) override {
    sandbox = request->config();
    sandboxes.insert("one-off");
    answer->set_pod_sandbox_id("one-off");
    return grpc::Status::OK;
  }
  grpc::Status CreateContainer(ServerContext*, const v1::CreateContainerRequest* request,
                               v1::CreateContainerResponse* answer) override {
    created = request->config();
    if (created.image().image() == "missing") {
      return {grpc::StatusCode::NOT_FOUND, "no such image"};
    }
    answer->set_container_id("container");
    return grpc::Status::OK;
  }
  grpc::Status StartContainer(ServerContext*, const v1::StartContainerRequest* request,
                              v1::StartContainerResponse*) override {
    return request->container_id() == "container" ? grpc::Status::OK
                                                  : grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
  }
  grpc::Status StopPodSandbox(ServerContext*, const v1::StopPodSandboxRequest* request,
                              v1::StopPodSandboxResponse*) override {
    return sandboxes.contains(request->pod_sandbox_id())
               ? grpc::Status::OK
               : grpc::Status(grpc::StatusCode::NOT_FOUND, "no such sandbox");
  }
  grpc::Status RemovePodSandbox(ServerContext*, const v1::RemovePodSandboxRequest* request,
                                v1::RemovePodSandboxResponse*) override {
    sandboxes.erase(request->pod_sandbox_id());
    return grpc::Status::OK;
  }
  grpc::Status StopContainer(ServerContext*, const v1::StopContainerRequest* request,
                             v1::StopContainerResponse*) override {
    if (request->container_id() == "vanished") {
      return {grpc::StatusCode::NOT_FOUND, "no such container"};
    }
    if (request->container_id() == "stuck") {
      return {grpc::StatusCode::UNKNOWN, "it does not end"};
    }
    stopped = request->container_id() + " " + std::to_string(request->timeout());
    return grpc::Status::OK;
  }
  grpc::Status RemoveContainer(ServerContext*, const v1::RemoveContainerRequest* request,
                               v1::RemoveContainerResponse*) override {
    if (request->container_id() == "vanished") {
      return {grpc::StatusCode::NOT_FOUND, "no such container"};
    }
    removed = request->container_id();
    return grpc::Status::OK;
  }
  grpc::Status ListContainers(ServerContext*, const v1::ListContainersRequest*,
                              v1::ListContainersResponse* answer) override {
    for (const char* id : {"runs", "ended", "vanished"}) {
      auto* item = answer->add_containers();
      item->set_id(id);
      item->set_pod_sandbox_id("s1");
      item->mutable_metadata()->set_name("etcd");
      item->mutable_metadata()->set_attempt(3);
      item->set_state(item->id() == "runs" ? v1::CONTAINER_RUNNING : v1::CONTAINER_EXITED);
    }
    return grpc::Status::OK;
  }
  grpc::Status ContainerStatus(ServerContext*, const v1::ContainerStatusRequest* request,
                               v1::ContainerStatusResponse* answer) override {
    if (request->container_id() == "vanished") {
      return {grpc::StatusCode::NOT_FOUND, "no such container"};
    }
    auto* status = answer->mutable_status();
    status->set_log_path("/var/log/" + request->container_id());
    if (request->container_id() == "ended") {
      status->set_exit_code(137);
      status->set_reason("OOMKilled");
      status->set_finished_at(1'700'000'000'000'000'000);
    }
    if (request->verbose()) {
      (*answer->mutable_info())["info"] = R"({"pid":7})";
    }
    return grpc::Status::OK;
  }

  bool knows_cgroups = true;
  std::set<std::string> sandboxes = {"s1"};
  v1::PodSandboxConfig sandbox;  // of the last Pod that was started
  v1::ContainerConfig created;   // the last container that was created
  std::string removed;           // the last container that was removed
  std::string stopped;           // the last container that was stopped, and its grace period
};

class Images : public v1::ImageService::Service {
 public:
  grpc::Status ImageStatus(ServerContext*, const v1::ImageStatusRequest* request,
                           v1::ImageStatusResponse* answer) override {
    if (request->image().image() == "here:1") {
      answer->mutable_image()->set_id("sha256:1");
    }
    return grpc::Status::OK;
  }
  grpc::Status PullImage(ServerContext* context, const v1::PullImageRequest* request,
                         v1::PullImageResponse*) override {
    if (request->image().image() == "bad:1") {
      return {grpc::StatusCode::UNKNOWN, "no such manifest"};
    }
    if (on_pull) {
      on_pull();
      while (!context->IsCancelled()) {
        std::this_thread::yield();
      }
    }
    return grpc::Status::OK;
  }

  // if set, called by each pull, which then does not return until it is cancelled
  std::function<void()> on_pull;
};

class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() {
    char directory[] = "/tmp/slipway-cri-XXXXXX";
    directory_ = mkdtemp(directory);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Endpoint(), grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    builder.RegisterService(&images_);
    server_ = builder.BuildAndStart();
  }
  ~RuntimeTest() override {
    server_->Shutdown(std::chrono::system_clock::now());
    std::filesystem::remove_all(directory_);
  }
  std::string Endpoint() const { return "unix://" + directory_ + "/runtime.sock"; }
  // Uses a long timeout, so that a slow machine does not look like a hanging runtime.
  std::unique_ptr<Runtime> NewRuntime() { return Connect(Endpoint(), std::chrono::minutes(1)); }

  std::string directory_;
  Service service_;
  Images images_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(RuntimeTest, ReportsVersionStatusAndCgroupDriver) {
  const auto runtime = NewRuntime();
  EXPECT_EQ(runtime->Version().name, "containerd");
  EXPECT_EQ(runtime->Version().version, "v2.0.0");
  EXPECT_EQ(runtime->Version().api_version, "v1");
  EXPECT_TRUE(runtime->Status().runtime_ready);
  EXPECT_FALSE(runtime->Status().network_ready);
  EXPECT_EQ(runtime->Status().sandbox_image, "pause:3");
  EXPECT_EQ(runtime->PreferredCgroupDriver(), CgroupDriver::kCgroupfs);
  service_.knows_cgroups = false;
  EXPECT_EQ(runtime->PreferredCgroupDriver(), std::nullopt);
}

TEST_F(RuntimeTest, FindsAndPullsImages) {
  const auto runtime = NewRuntime();
  EXPECT_TRUE(runtime->HasImage("here:1"));
  EXPECT_FALSE(runtime->HasImage("absent:1"));
  EXPECT_NO_THROW(runtime->PullImage("good:1"));
  EXPECT_EQ(Thrown([&] { runtime->PullImage("bad:1"); }).message(),
            "the container runtime at " + Endpoint() + " answers: no such manifest");
}

TEST_F(RuntimeTest, CancelsAPullWhenStopped) {
  std::stop_source stop;
  images_.on_pull = [&] { stop.request_stop(); };
  const auto runtime = NewRuntime();
  EXPECT_EQ(base::InterruptionOf([&] { runtime->PullImage("slow:1", stop.get_token()); }),
            "interrupted while waiting for the container runtime at " + Endpoint());
}

TEST_F(RuntimeTest, ListsContainersWithTheirExitStatus) {
  const auto containers = NewRuntime()->Containers(AnyContainer);
  ASSERT_EQ(containers.size(), 3U);
  EXPECT_EQ(containers[0].state, Container::State::kRunning);
  EXPECT_EQ(containers[0].log_path, "") << "only of one that has ended more is asked";
  const Container& ended = containers[1];
  EXPECT_EQ(ended.state, Container::State::kExited);
  EXPECT_EQ(ended.name, "etcd");
  EXPECT_EQ(ended.sandbox_id, "s1");
  EXPECT_EQ(ended.attempt, 3U);
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_EQ(ended.reason, "OOMKilled");
  EXPECT_EQ(std::chrono::system_clock::to_time_t(ended.finished), 1'700'000'000);
  EXPECT_EQ(containers[2].id, "vanished");
  EXPECT_EQ(containers[2].log_path, "");
}

TEST_F(RuntimeTest, ListsNoMoreContainersThanAreWanted) {
  const auto containers =
      NewRuntime()->Containers([](const Container& container) { return container.id == "ended"; });
  ASSERT_EQ(containers.size(), 1U);
  EXPECT_EQ(containers[0].exit_code, 137);
}

TEST_F(RuntimeTest, ReturnsTheStatusOfAContainer) {
  const auto runtime = NewRuntime();
  EXPECT_EQ(runtime->ContainerInfo("running"), R"({"pid":7})");
  EXPECT_EQ(runtime->ContainerInfo("vanished"), std::nullopt);
}

TEST_F(RuntimeTest, StopsAndRemovesSandboxes) {
  const auto runtime = NewRuntime();
  const auto sandboxes = runtime->Sandboxes();
  ASSERT_EQ(sandboxes.size(), 1U);
  EXPECT_EQ(sandboxes[0].id, "s1");
  EXPECT_EQ(sandboxes[0].name, "etcd-cp");
  EXPECT_EQ(sandboxes[0].name_space, "kube-system");
  EXPECT_EQ(sandboxes[0].uid, "u-s1");
  EXPECT_FALSE(sandboxes[0].ready);
  runtime->StopSandbox("s1");
  runtime->RemoveSandbox("s1");
  EXPECT_TRUE(runtime->Sandboxes().empty());
  EXPECT_EQ(Thrown([&] { runtime->StopSandbox("s1"); }).kind(), Error::Kind::kNotFound);
}

TEST_F(RuntimeTest, StartsAContainerInAPodOfItsOwn) {
  const OneOff container{.name = "slipway-etcdutl",
                         .image = "registry.k8s.io/etcd:3.7.0-0",
                         .command = {"etcdutl", "version"},
                         .mounts = {{"/var/lib/etcd", "/data"}},
                         .log_directory = "/var/lib/slipway/log"};
  const Started started = NewRuntime()->Start(container);
  EXPECT_EQ(started.sandbox_id, "one-off");
  EXPECT_EQ(started.container_id, "container");
  EXPECT_EQ(service_.sandbox.log_directory(), "/var/lib/slipway/log");
  EXPECT_EQ(service_.sandbox.linux().security_context().namespace_options().network(), v1::NODE);
  EXPECT_THAT(service_.created.command(), ElementsAre("etcdutl", "version"));
  EXPECT_EQ(service_.created.mounts(0).host_path(), "/var/lib/etcd");
  EXPECT_EQ(service_.created.mounts(0).container_path(), "/data");
  EXPECT_EQ(service_.created.log_path(), "slipway-etcdutl.log");
}

TEST_F(RuntimeTest, RemovesThePodOfAContainerThatCannotBeStarted) {
  OneOff container{.name = "slipway-etcdutl", .image = "missing"};
  EXPECT_EQ(Thrown([&] { NewRuntime()->Start(container); }).kind(), Error::Kind::kNotFound);
  EXPECT_FALSE(service_.sandboxes.contains("one-off"));
}

TEST_F(RuntimeTest, StopsContainersThatRun) {
  const auto runtime = NewRuntime();
  runtime->StopContainer("runs", std::chrono::seconds(30));
  EXPECT_EQ(service_.stopped, "runs 30");
  EXPECT_NO_THROW(runtime->StopContainer("vanished", std::chrono::seconds(30)));
  runtime->RemoveContainer("ended");
  EXPECT_EQ(service_.removed, "ended");
  EXPECT_NO_THROW(runtime->RemoveContainer("vanished"));
  EXPECT_THROW(runtime->StopContainer("stuck", std::chrono::seconds(30)), Error);
}

TEST(Connect, NamesAMissingSocket) {
  const Error error =
      Thrown([] { Connect("/nonexistent/x.sock", std::chrono::minutes(1))->Version(); });
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(error.message(),
            "cannot connect to the container runtime at unix:///nonexistent/x.sock: no such file "
            "or directory: is it running?");
}

TEST(Connect, ExplainsTheFormOfAnInvalidEndpoint) {
  for (const char* endpoint : {"unix://", "tcp://127.0.0.1:1", "unix://run/x.sock"}) {
    const Error error = Thrown([=] { Connect(endpoint, std::chrono::minutes(1))->Version(); });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid) << endpoint;
    EXPECT_THAT(error.message(), HasSubstr("write \"unix:///")) << endpoint;
    EXPECT_THAT(error.message(), Not(HasSubstr("running"))) << endpoint;
  }
}

// Accepts each connection and closes it, like a runtime that crashes repeatedly.
class Closer {
 public:
  explicit Closer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    thread_ = std::thread([this] {
      for (int one = 0; (one = ::accept(socket_, nullptr, nullptr)) >= 0; ++accepted) {
        ::close(one);
      }
    });
  }
  ~Closer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

  std::atomic<int> accepted = 0;

 private:
  int socket_;
  std::thread thread_;
};

TEST_F(RuntimeTest, UsesConstantMemoryForRepeatedFailedCalls) {
  constexpr int kTries = 8;
  constexpr std::size_t kMostGrowth = std::size_t{1} << 20;
  const std::string path = directory_ + "/closing.sock";
  Closer closer(path);
  const auto runtime = Connect("unix://" + path, std::chrono::minutes(1));
  const auto call = [&] { EXPECT_THROW(runtime->Version(), Error); };
  call();
  const std::size_t before = ::mallinfo2().uordblks;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (closer.accepted < kTries && std::chrono::steady_clock::now() < end) {
    call();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GE(closer.accepted, kTries);
  EXPECT_LT(::mallinfo2().uordblks, before + kMostGrowth);
}

TEST(FakeRuntime, FailsAsOftenAsScripted) {
  FakeRuntime fake;
  fake.Fail("PullImage b:1", Error("no b"), 2);
  EXPECT_NO_THROW(fake.PullImage("a:1", {}));
  EXPECT_THROW(fake.PullImage("b:1", {}), Error);
  EXPECT_THROW(fake.PullImage("b:1", {}), Error);
  EXPECT_NO_THROW(fake.PullImage("b:1", {}));
  EXPECT_TRUE(fake.HasImage("b:1"));
  EXPECT_THAT(fake.calls(), ElementsAre("PullImage a:1", "PullImage b:1", "PullImage b:1",
                                        "PullImage b:1", "HasImage b:1"));
}

TEST(FakeRuntime, RemovesContainersWithTheirSandbox) {
  FakeRuntime fake;
  fake.sandboxes = {{.id = "s1", .ready = true}, {.id = "s2", .ready = true}};
  fake.containers = {{.id = "c1", .sandbox_id = "s1"}, {.id = "c2", .sandbox_id = "s2"}};
  fake.StopSandbox("s1");
  EXPECT_FALSE(fake.Sandboxes()[0].ready);
  fake.RemoveSandbox("s1");
  ASSERT_EQ(fake.Containers(AnyContainer).size(), 1U);
  EXPECT_EQ(fake.Containers(AnyContainer)[0].id, "c2");
}

}  // namespace
}  // namespace cri
