// SPDX-License-Identifier: Apache-2.0
// Queries about, and changes to, a Node object.
#pragma once

#include <string>
#include <string_view>

#include "json/fwd.h"
#include "kube/client.h"

namespace objects {

// Returns whether the Node's condition Ready is True.
bool IsReady(const json::Value& node);

// Requires that a joining node may use the name. Throws base::Error(kAlreadyExists), with the
// remedy, if a Ready Node of this name exists, because it belongs to another node. Accepts a Node
// that is not Ready, because it may be an earlier registration of this node. Also throws the errors
// of kube::Client.
void RequireFreeName(kube::Client& client, const std::string& name);

// KeepCriSocket sets the annotation with the container runtime's socket. Use it for releases whose
// kubelets get the socket by an argument. ForgetCriSocket removes the annotation. Use it with
// feature gate NodeLocalCRISocket, which stores the socket in a file of the node. Both throw the
// errors of kube::Client.
void KeepCriSocket(kube::Client& client, const std::string& name, const std::string& socket);
void ForgetCriSocket(kube::Client& client, const std::string& name);

// Sets an annotation of a Node. Throws the errors of kube::Client::Retry, naming the node.
void Annotate(kube::Client& client, const std::string& node, std::string_view annotation,
              const std::string& value);

}  // namespace objects
