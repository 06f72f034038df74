// SPDX-License-Identifier: Apache-2.0
// The programs of etcd's image, etcd and etcdutl, run on files of this host.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cri/runtime.h"
#include "host/host.h"

namespace backup {

// Runs programs one at a time. All references must outlive it.
class EtcdTools {
 public:
  virtual ~EtcdTools() = default;
  // Runs a program and waits for its end; argv[0] is "etcd" or "etcdutl". A stop request kills the
  // program and throws base::Interrupted. Throws base::Error(kTimeout) if the program does not end,
  // and the errors of the container runtime or the host if it cannot be started.
  virtual host::RunResult Run(std::vector<std::string> argv, const std::stop_token& stop) = 0;
};

// Returns the programs in the etcd container that runs in this node's static Pod. They run as
// processes of the host, because a kubelet kills containers that it does not know. Returns nullptr
// if no such container runs, or if its image lacks etcdutl.
std::unique_ptr<EtcdTools> FindRunningEtcd(host::Host& host, cri::Runtime& runtime);

// Copies etcdutl from the etcd container that runs in this node's static Pod to `file`, with mode
// 0700. Returns false if no such container runs, or if its image lacks etcdutl. Throws the errors
// of cri::Runtime, and base::Error(kOther) if the program cannot be copied.
bool SaveEtcdutl(host::Host& host, cri::Runtime& runtime, const host::fs::path& file);

// Returns a program that SaveEtcdutl has saved, as "etcdutl".
std::unique_ptr<EtcdTools> SavedEtcdutl(host::Host& host, const host::fs::path& file);

// Returns the programs of the image. Each run creates a container, in which the directories have
// the same paths as on the host. The output is written to the first directory. Pulls the image if
// it is missing. Removes Pods that a killed run with the same first directory has left. Throws the
// errors of cri::Runtime. Precondition: the kubelet does not run, because it would kill the
// container.
std::unique_ptr<EtcdTools> ToolsOfImage(host::Host& host, cri::Runtime& runtime,
                                        const std::string& image,
                                        std::vector<host::fs::path> directories);

// Programs of etcd, or the reason for their absence.
struct FoundTools {
  std::unique_ptr<cri::Runtime> runtime = {};  // outlives the tools
  std::unique_ptr<EtcdTools> tools = {};
  std::string reason = {};
};

// Finds etcd programs that can use the directory. Returns the programs of the running etcd. If no
// etcd runs on this node, returns the programs of the image, unless the kubelet runs. `image` is
// empty if the image is unknown. The host must outlive the result.
FoundTools FindTools(host::Host& host, const std::string& image, const host::fs::path& directory);

// Throws base::Error(kOther), with the end of the output, if the program failed. `what` is the
// beginning of the message: "restore etcd's snapshot".
void RequireSuccess(const host::RunResult& result, const std::string& what);

}  // namespace backup
