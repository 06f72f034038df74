// SPDX-License-Identifier: Apache-2.0
// The certificate requests of a joining node. If a wait ends without a certificate, they explain
// the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"
#include "kube/client.h"

namespace join_steps {

// Returns why a CertificateSigningRequest has no certificate, with the remedy. Returns std::nullopt
// if the request has a certificate.
std::optional<std::string> WhyUnissued(const json::Value& csr);

// Returns WhyUnissued of the newest request for a kubelet's client certificate that the token with
// this id has created. Returns std::nullopt without such a request, and if the cluster does not
// answer.
std::optional<std::string> FindWhyUnissued(kube::Client& client, std::string_view token_id);

}  // namespace join_steps
