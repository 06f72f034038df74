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
  // The runtime's own explanation why it is not ready.
  std::string runtime_message;
  std::string sandbox_image;  // from the verbose info, if present
};

// The cgroup driver that the runtime requires of the kubelet (RuntimeConfig call).
enum class CgroupDriver { kSystemd, kCgroupfs };

// The sandbox of one Pod's containers.
struct Sandbox {
  std::string id;
  std::string name;  // of the Pod
  std::string name_space;
  bool ready = false;
  std::map<std::string, std::string> annotations = {};  // the Pod's, and the kubelet's own
  // The Pod's UID. For a static Pod it is a hash of the manifest.
  std::string uid = {};
};

// A container of the runtime, running or ended.
struct Container {
  std::string id;
  std::string sandbox_id;
  std::string name;      // of the container, "kube-apiserver"
  unsigned attempt = 0;  // restarts so far
  enum class State { kCreated, kRunning, kExited, kUnknown } state = State::kUnknown;
  // Set only for ended containers.
  int exit_code = 0;
  std::string reason;
  std::string log_path;
  std::chrono::system_clock::time_point finished;
};

// A container that this program starts itself, in the network of the host.
struct OneOff {
  // The name of the Pod and of the container. It must be unique on this node.
  std::string name;
  std::string image;
  std::vector<std::string> command;
  // Maps a directory on the host to its path in the container.
  std::map<std::string, std::string> mounts;
  // A directory on the host. The container's output is in its file "NAME.log".
  std::string log_directory;
};

// The ids of a started OneOff.
struct Started {
  std::string sandbox_id;
  std::string container_id;
};

// Selects containers. For an ended container, the fields of its end (exit code, times) are not set
// yet when this function is called.
using Wanted = std::function<bool(const Container& container)>;
inline bool AnyContainer(const Container& /*container*/) { return true; }

// One connection to a runtime. Every call throws base::Error naming the endpoint: kUnavailable if
// the connection fails, kTimeout if the answer is late, kInvalid for an invalid endpoint. If the
// runtime refuses the call, throws kNotFound or kOther with its message.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual RuntimeVersion Version() = 0;
  virtual RuntimeStatus Status() = 0;
  // Returns the cgroup driver; std::nullopt if the runtime does not implement the call.
  virtual std::optional<CgroupDriver> PreferredCgroupDriver() = 0;
  virtual bool HasImage(const std::string& image) = 0;
  virtual void PullImage(const std::string& image, std::stop_token stop = {}) = 0;
  virtual std::vector<Sandbox> Sandboxes() = 0;
  // Returns the selected containers in all states. Calls the runtime again for each selected
  // container that has ended. Select few: a node may have hundreds of ended containers.
  virtual std::vector<Container> Containers(const Wanted& wanted) = 0;
  // Returns the runtime's JSON about a container, which is not specified by the CRI (in containerd
  // and CRI-O it contains `runtimeSpec.process.args`). Returns std::nullopt if the runtime does not
  // provide it, or if the container was removed.
  virtual std::optional<std::string> ContainerInfo(const std::string& id) = 0;
  // Starts a container in a separate Pod, and returns the ids of both. A running kubelet ends Pods
  // that it did not create. Throws kNotFound if the image is not on the node.
  virtual Started Start(const OneOff& container) = 0;
  virtual void StopSandbox(const std::string& id) = 0;
  // Asks the container to end, and kills it after `grace`. Succeeds if the container is already
  // stopped or removed.
  virtual void StopContainer(const std::string& id, std::chrono::seconds grace) = 0;
  // Removes an ended container from the runtime. Succeeds if the container does not exist.
  virtual void RemoveContainer(const std::string& id) = 0;
  virtual void RemoveSandbox(const std::string& id) = 0;
};

// Returns a connection to `endpoint` ("unix:///run/containerd/containerd.sock"), without any call
// yet. `timeout` bounds each call except pulls. Callers that change Pods use a longer timeout, for
// a busy machine or a slow disk.
std::unique_ptr<Runtime> Connect(const std::string& endpoint,
                                 std::chrono::milliseconds timeout = std::chrono::seconds(8));

}  // namespace cri
