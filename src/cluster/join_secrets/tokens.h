// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens and the Secrets that hold them (kubernetes.io/docs: "Authenticating with
// Bootstrap Tokens"; reference: phases.md §1.4, pki.md §10).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace join_secrets {

// Returns "bootstrap-token-<id>".
std::string TokenSecretName(std::string_view id);

// Builds the Secret of a token. The expiration is `token.expires` if set, otherwise `now` plus the
// lifetime. A lifetime of zero means no expiration.
json::Value TokenSecret(const config::BootstrapToken& token, std::chrono::sys_seconds now);

// Parses a token Secret and sorts the usages. Throws base::Error(kInvalid), naming the Secret and
// its defect.
config::BootstrapToken TokenFromSecret(const json::Value& secret);

// The action if a token with the same id exists.
enum class IfExists { kUpdate, kFail };
// Writes the token's Secret. Requires only the right to create Secrets. Throws
// base::Error(kAlreadyExists), naming the id, if the Secret exists and `if_exists` is kFail. Also
// throws the errors of kube::Client.
void PutToken(kube::Client& client, const config::BootstrapToken& token,
              std::chrono::sys_seconds now, IfExists if_exists);

// The defect of a token Secret that holds no valid token.
struct BrokenToken {
  std::string problem;
};
// One of the cluster's tokens, or the defect of a token's Secret.
using ListedToken = std::variant<config::BootstrapToken, BrokenToken>;
// Lists all tokens, sorted by the names of their Secrets. Throws the errors of kube::Client.
std::vector<ListedToken> ListTokens(kube::Client& client);

// Deletes the token. Throws base::Error(kNotFound) if no token has this id. Also throws other
// errors of kube::Client.
void DeleteToken(kube::Client& client, const std::string& id);

}  // namespace join_secrets
