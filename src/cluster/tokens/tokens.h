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

namespace tokens {

// TokenSecretName is "bootstrap-token-<id>".
std::string TokenSecretName(std::string_view id);

// Returns the Secret of a token. Its lifetime, counted from `now`, becomes an expiration unless it
// is zero; `expires` takes precedence.
json::Value TokenSecret(const config::BootstrapToken& token, std::chrono::sys_seconds now);

// Parses it, usages sorted. Throws base::Error(kInvalid) naming the Secret and its defect.
config::BootstrapToken TokenFromSecret(const json::Value& secret);

// How to treat an existing token with this id.
enum class IfExists { kUpdate, kFail };
// Writes the token's Secret. With kFail an existing one throws kAlreadyExists naming the id.
// Requires only the right to create Secrets.
void PutToken(kube::Client& client, const config::BootstrapToken& token,
              std::chrono::sys_seconds now, IfExists if_exists);

// A Secret of the right type without a valid token.
struct BrokenToken {
  std::string problem;
};
// One of the cluster's tokens, or the defect of a token's Secret.
using ListedToken = std::variant<config::BootstrapToken, BrokenToken>;
// ListTokens lists all tokens in the API's order, by name.
std::vector<ListedToken> ListTokens(kube::Client& client);

// Throws kNotFound if no token has that id.
void DeleteToken(kube::Client& client, const std::string& id);

}  // namespace tokens
