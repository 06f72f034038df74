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
  // Runs a program, argv[0] is "etcd" or "etcdutl", and waits for its end. A stop request ends it;
  // then throws base::Interrupted. Throws base::Error with the runtime's kind if it cannot be
  // started, kTimeout if it does not end.
  virtual host::RunResult Run(std::vector<std::string> argv, const std::stop_token& stop) = 0;
};

// Returns the programs in the etcd container that runs in this node's static Pod; they run as
// processes of the host, since a kubelet ends containers that it does not know. Returns nullptr if
// no such container runs, or if its image lacks etcdutl.
std::unique_ptr<EtcdTools> FindRunningEtcd(host::Host& host, cri::Runtime& runtime);

// Copies etcdutl from the etcd container that runs in this node's static Pod to the file, mode
// 0700. Returns false if no such container runs, or if its image lacks etcdutl. Throws base::Error
// with the runtime's kind, and kOther if the program cannot be copied.
bool SaveEtcdutl(host::Host& host, cri::Runtime& runtime, const host::fs::path& file);

// Returns a program that SaveEtcdutl has saved, as "etcdutl".
std::unique_ptr<EtcdTools> SavedEtcdutl(host::Host& host, const host::fs::path& file);

// Returns the programs of the image. Each run has a container of its own, in which the directories
// have the same paths as on the host. The output is written to the first directory. No kubelet must
// run here. Pulls the image if it is missing.
std::unique_ptr<EtcdTools> ToolsOfImage(host::Host& host, cri::Runtime& runtime,
                                        const std::string& image,
                                        std::vector<host::fs::path> directories);

// Programs of etcd, or the reason for their absence.
struct FoundTools {
  std::unique_ptr<cri::Runtime> runtime = {};  // outlives the tools
  std::unique_ptr<EtcdTools> tools = {};
  std::string reason = {};
};

// Finds programs of etcd that can use the directory: those of the etcd that runs here. If none runs
// here, finds those of the image, unless a kubelet runs. `image` is empty if it is unknown. The
// host must outlive the result.
FoundTools FindTools(host::Host& host, const std::string& image, const host::fs::path& directory);

// Throws base::Error(kOther) with the end of the output unless the program succeeded. `what` begins
// the message: "restore etcd's snapshot".
void RequireSuccess(const host::RunResult& result, const std::string& what);

}  // namespace backup
