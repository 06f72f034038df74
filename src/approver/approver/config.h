// The configuration file (reference: approver.md §11), read strictly.
#pragma once

#include <string>
#include <string_view>

#include "approver/facts.h"
#include "json/value.h"

namespace approver {

struct Config {
  bool client_disabled = false;
};

// ReadConfig reads the file's text, YAML or JSON: `nodeClientCert: {disabled: BOOL}`. An empty text
// is the default. Throws base::Error(kInvalid) for text that cannot be read, keys that are unknown
// or given twice, and values of a wrong type, each with its line: who means to switch approvals off
// must not leave them on by a typing error.
Config ReadConfig(std::string_view text);

// DecodeHostSubnet reads the egress addresses of a HostSubnet (network.openshift.io/v1).
Egress DecodeHostSubnet(const json::Value& object);

}  // namespace approver
