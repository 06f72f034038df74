// SPDX-License-Identifier: Apache-2.0
// What is asked of, and taken back from, a Node object.
#pragma once

#include <string>

#include "json/fwd.h"
#include "kube/client.h"

namespace node_objects {

// IsReady: the node has a condition Ready that is True.
bool IsReady(const json::Value& node);

// RequireFreeName throws base::Error(kAlreadyExists), with what to do, when a node of that name is
// in the cluster and Ready: then it is another machine's. One that is not Ready may be this one's
// of before.
void RequireFreeName(kube::Client& client, const std::string& name);

// KeepCriSocket puts the runtime's socket there where releases kept it whose kubelets get it by an
// argument. ForgetCriSocket takes off the annotation by which kubeadm knew the runtime's socket;
// since feature gate NodeLocalCRISocket it stands in a file of the node.
void KeepCriSocket(kube::Client& client, const std::string& name, const std::string& socket);
void ForgetCriSocket(kube::Client& client, const std::string& name);

}  // namespace node_objects
