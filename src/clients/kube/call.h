// SPDX-License-Identifier: Apache-2.0
// How a Call looks on the wire: paths of the Kubernetes API ("API Concepts", Resource URIs) and the
// meaning of its Status answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/client.h"

namespace kube {

// PathOf is the call's path with its query: "/api/v1/namespaces/kube-system/secrets/x".
std::string PathOf(const Call& call);

// WatchPathOf is the path that streams the changes after `resource_version`.
std::string WatchPathOf(const Call& call, const std::string& resource_version);

// MethodOf is the HTTP method: GET, POST, PUT, PATCH, DELETE.
std::string MethodOf(Verb verb);

// StatusError makes the error for an answer of HTTP status ≥ 300: the Status object's reason gives
// the kind, its message the text, 4 KiB at most and as base::Visible shows it; an answer that is
// not a Status is told by its number and `server`.
base::Error StatusError(int http_status, const std::string& body, std::string_view server);

// StatusKind maps a Status reason ("AlreadyExists"), and where it says nothing the HTTP status.
base::Error::Kind StatusKind(std::string_view reason, int http_status);

// FlawOf says what an answer lacks to be an object of the API: "its metadata is of type list". An
// object is one of JSON, and so are its metadata with labels and annotations, its spec, its data
// and, but for a Status, its status, as far as they are there (API conventions, "Objects"). Whoever
// reads or changes an answer relies on it.
std::optional<std::string> FlawOf(const json::Value& answer);

// CallOn is the call for one verb on a whole object; name and namespace come from its metadata.
Call CallOn(Verb verb, const Resource& resource, const json::Value& object);

}  // namespace kube
