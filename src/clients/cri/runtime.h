// SPDX-License-Identifier: Apache-2.0
// The container runtime of a node, by the Container Runtime Interface (CRI v1) over gRPC.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cri {

// RuntimeVersion is the answer of the CRI call Version.
struct RuntimeVersion {
  std::string name;  // "containerd"
  std::string version;
  std::string api_version;  // "v1"
};

// RuntimeStatus is the answer of the CRI call Status: its conditions RuntimeReady and NetworkReady.
struct RuntimeStatus {
  bool runtime_ready = false;
  bool network_ready = false;
  std::string runtime_message;  // why not, in the runtime's words
  std::string sandbox_image;    // from the verbose info, when the runtime tells
};

// CgroupDriver that the runtime says the kubelet must use (RuntimeConfig call).
enum class CgroupDriver { kSystemd, kCgroupfs };

// Sandbox is what holds the containers of one Pod together.
struct Sandbox {
  std::string id;
  std::string name;  // of the Pod
  std::string name_space;
  bool ready = false;
  std::map<std::string, std::string> annotations = {};  // the Pod's, among the kubelet's own
  std::string uid = {};  // the Pod's; of a static Pod a hash of its manifest
};

// Container is one that the runtime has, also when it has ended.
struct Container {
  std::string id;
  std::string sandbox_id;
  std::string name;      // of the container, "kube-apiserver"
  unsigned attempt = 0;  // restarts so far
  enum class State { kCreated, kRunning, kExited, kUnknown } state = State::kUnknown;
  // Of one that has ended.
  int exit_code = 0;
  std::string reason;
  std::string log_path;
  std::chrono::system_clock::time_point finished;
};

// Wanted chooses containers by what a list says of them, which is all but how they ended.
using Wanted = std::function<bool(const Container& container)>;
inline bool AnyContainer(const Container& /*container*/) { return true; }

// Runtime is one connection. Every call throws base::Error with the endpoint in its text:
// kUnavailable when nobody answers, kTimeout, or kOther with the runtime's message.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual RuntimeVersion Version() = 0;
  virtual RuntimeStatus Status() = 0;
  // Nothing when the runtime does not implement the call.
  virtual std::optional<CgroupDriver> PreferredCgroupDriver() = 0;
  virtual bool HasImage(const std::string& image) = 0;
  virtual void PullImage(const std::string& image, std::stop_token stop = {}) = 0;
  virtual std::vector<Sandbox> Sandboxes() = 0;
  // Containers are those that are wanted, in all states. Of those that have ended it is also said
  // how, which the runtime is asked for one by one: a node may have hundreds.
  virtual std::vector<Container> Containers(const Wanted& wanted) = 0;
  // ContainerInfo is the JSON text that the runtime tells of a container beyond the CRI's own
  // fields (containerd and CRI-O: `runtimeSpec.process.args` among it); nothing when it tells none,
  // or the container is gone.
  virtual std::optional<std::string> ContainerInfo(const std::string& id) = 0;
  virtual void StopSandbox(const std::string& id) = 0;
  // StopContainer asks the container to end and kills it after `grace`. One that is gone or stopped
  // already is fine.
  virtual void StopContainer(const std::string& id, std::chrono::seconds grace) = 0;
  // RemoveContainer makes the runtime forget a container that has ended. One that is gone is fine.
  virtual void RemoveContainer(const std::string& id) = 0;
  virtual void RemoveSandbox(const std::string& id) = 0;
};

// Connect opens `endpoint` ("unix:///run/containerd/containerd.sock"); no call is made yet.
// `timeout` bounds each call but pulls; who changes Pods gives a runtime on a loaded machine or a
// slow disk more of it.
std::unique_ptr<Runtime> Connect(const std::string& endpoint,
                                 std::chrono::milliseconds timeout = std::chrono::seconds(8));

}  // namespace cri
