// SPDX-License-Identifier: Apache-2.0
// The HTTP form of a Call: paths of the Kubernetes API ("API Concepts", Resource URIs) and the
// meaning of its Status answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/client.h"

namespace kube {

// Returns the call's path with its query: "/api/v1/namespaces/kube-system/secrets/x".
std::string PathOf(const Call& call);

// Returns the path that streams the changes after `resource_version`.
std::string WatchPathOf(const Call& call, const std::string& resource_version);

// Returns the HTTP method: GET, POST, PUT, PATCH, DELETE.
std::string MethodOf(Verb verb);

// Creates the error for an answer of HTTP status ≥ 300. The reason of the Status object decides the
// kind. The error's message is the Status's message, truncated to 4 KiB and escaped by
// base::Visible. If the answer is not a Status object, the message has the HTTP status and
// `server`.
base::Error StatusError(int http_status, const std::string& body, std::string_view server);

// Returns the kind for a Status reason ("AlreadyExists"), or else for the HTTP status.
base::Error::Kind StatusKind(std::string_view reason, int http_status);

// Returns why an answer is not an object of the API, for example "its metadata is of type list".
// Returns std::nullopt if it is one. The answer must be a JSON object. So must these members, if
// present: metadata, its labels and annotations, spec, data and, except in a Status, status (API
// conventions, "Objects"). Code that reads an answer relies on this form.
std::optional<std::string> FlawOf(const json::Value& answer);

// Returns the call for one verb on a whole object; name and namespace come from its metadata.
Call CallOn(Verb verb, const Resource& resource, const json::Value& object);

}  // namespace kube
