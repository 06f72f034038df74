// SPDX-License-Identifier: Apache-2.0
// The output of kubeadm on the nodes of an operation.
#pragma once

#include <string>
#include <vector>

#include "kube/client.h"

namespace fleet {

// The Pods whose logs are wanted.
struct LogQuery {
  std::string operation;
  std::string name_space;
  std::string node;  // "": all nodes
};

// The log of one Pod of a Job.
struct TaskLog {
  std::string node;
  std::string pod;
  std::string text;     // at most the last MiB
  std::string problem;  // the error if the log could not be read; otherwise ""
};

// Reads the logs of the operation's Pods, in the order of their creation. Pods of completed Jobs
// exist until the Jobs are removed, by the operation or by the command that ran it. Throws
// base::Error(kUsage) for an invalid name of an operation, namespace or node. Throws the errors of
// kube::Client if the Pods cannot be listed.
std::vector<TaskLog> CollectLogs(kube::Client& client, const LogQuery& query);

}  // namespace fleet
