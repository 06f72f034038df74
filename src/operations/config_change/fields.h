// SPDX-License-Identifier: Apache-2.0
// Objects as fields with paths: the form in which a component's settings are compared. The API's
// defaults are left out, so that an explicit default is not a difference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/value.h"

namespace config_change {

// Values by path. A path is the field's name for users: "--audit-log-path", "image", "env
// GOMAXPROCS", "volume audit" (with its source), "mount /var/log/audit", "label tier", "annotation
// a/b". Nested fields have dots: "resources.requests.cpu", "livenessProbe.failureThreshold",
// "spec.hostNetwork". A container after the first is "container sidecar".
using Fields = std::map<std::string, json::Value>;

// Parses a command line without its program: "--name=value", "--name value" and "--name" (with the
// value "true"). The value of a repeated flag is the list of its values. Any other argument becomes
// the field "word N".
Fields FlagFields(const std::vector<std::string>& arguments);

// Returns the fields of a kubelet's command line. Leaves out the arguments that the kubelet's
// service always sets, which are the paths of the kubelet's files.
Fields KubeletFlagFields(const std::vector<std::string>& arguments);

// Returns the fields of a Pod, or of a Pod template.
Fields PodFields(const json::Value& pod);

// Returns the fields of a Deployment or DaemonSet: the fields of its template, fields such as
// "spec.replicas", and "own label app" for a label of the object itself.
Fields WorkloadFields(const json::Value& workload);

// Returns the fields of any other object that has kind and metadata. Each path begins with the
// object's kind and name: "Service kube-dns spec.ports", "ClusterRole system:coredns rules",
// "ServiceAccount coredns label app". Ignores the order of rules and subjects, and of the values
// within them.
Fields ObjectFields(const json::Value& object);

// Returns the plugins of each server block in CoreDNS' configuration. The field ".:53 cache" has
// the value "30", followed by the options in braces. A plugin that occurs several times has a list
// of values. If CoreDNS would refuse the text, returns the text as one field, "Corefile".
Fields CorefileFields(const std::string& text);

// Returns an object's labels and annotations, without those of controllers and kubectl.
json::Value OwnMetadata(const json::Value& object);

// Returns the leaves of a component's configuration ("evictionHard.nodefs.available"). A list is a
// leaf. Leaves out values that mean "the default": "0s", "", null, an empty list or object, and 0
// below `logging`.
Fields SettingFields(const json::Value& settings);

// Returns the value without empty members and members that have the API's default.
json::Value WithoutDefaults(const json::Value& value);

}  // namespace config_change
