// SPDX-License-Identifier: Apache-2.0
// Objects as fields with paths: the form in which a component's settings are compared. What the API
// would fill in by itself is left out, so that a default that is written down is not a difference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/value.h"

namespace config_change {

// Fields are values by path. A path is what a user would call the field: "--audit-log-path",
// "image", "env GOMAXPROCS", "volume audit" (with its source), "mount /var/log/audit", "label
// tier", "annotation a/b", "resources.requests.cpu", "livenessProbe.failureThreshold",
// "spec.hostNetwork", "container sidecar" for a container beside the first.
using Fields = std::map<std::string, json::Value>;

// FlagFields reads a command line without its program: "--name=value", "--name value" and "--name"
// (which is "true"); a flag given twice has the list of its values, and other words are "word N".
Fields FlagFields(const std::vector<std::string>& arguments);

// KubeletFlagFields are those of a kubelet's command line, less the arguments that its service
// always gives: where its files are.
Fields KubeletFlagFields(const std::vector<std::string>& arguments);

// PodFields are those of a Pod, or of a Pod template.
Fields PodFields(const json::Value& pod);

// WorkloadFields are those of a Deployment or DaemonSet: its template's, "spec.replicas" and its
// like, and "own label app" of the object itself.
Fields WorkloadFields(const json::Value& workload);

// ObjectFields are those of any other object that has kind and metadata, led by these: "Service
// kube-dns spec.ports", "ClusterRole system:coredns rules", "ServiceAccount coredns label app".
// The order of rules and of words in them says nothing.
Fields ObjectFields(const json::Value& object);

// OwnMetadata are an object's labels and annotations, less what controllers and kubectl note there.
json::Value OwnMetadata(const json::Value& object);

// SettingFields are the leaves of a component's configuration ("evictionHard.nodefs.available").
// A list is a leaf; values that mean "the default" ("0s", null, an empty object) are left out.
Fields SettingFields(const json::Value& settings);

// WithoutDefaults is the value less empty members and members that have the API's default.
json::Value WithoutDefaults(const json::Value& value);

}  // namespace config_change
