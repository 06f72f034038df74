// SPDX-License-Identifier: Apache-2.0
// Queries about, and changes to, a Node object.
#pragma once

#include <string>
#include <string_view>

#include "json/fwd.h"
#include "kube/client.h"

namespace node_objects {

// Returns whether the node has a condition Ready that is True.
bool IsReady(const json::Value& node);

// Throws base::Error(kAlreadyExists), with the remedy, if a node of that name is in the cluster and
// Ready, because it belongs to another machine. One that is not Ready may be this machine's old
// Node.
void RequireFreeName(kube::Client& client, const std::string& name);

// KeepCriSocket sets the annotation with the runtime's socket, as releases do whose kubelets get
// the socket by an argument. ForgetCriSocket removes it; since feature gate NodeLocalCRISocket the
// socket is in a file of the node.
void KeepCriSocket(kube::Client& client, const std::string& name, const std::string& socket);
void ForgetCriSocket(kube::Client& client, const std::string& name);

// Sets the annotation. Throws the errors of kube::Client::Retry, naming the node.
void Annotate(kube::Client& client, const std::string& node, std::string_view annotation,
              const std::string& value);

}  // namespace node_objects
