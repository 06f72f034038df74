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

// TokenSecret is the Secret of a token. Its time to live, counted from `now`, becomes an expiration
// unless it is zero; `expires` wins.
json::Value TokenSecret(const config::BootstrapToken& token, std::chrono::sys_seconds now);

// TokenFromSecret reads it back, usages sorted. Throws base::Error(kInvalid) naming the Secret and
// what is wrong with it.
config::BootstrapToken TokenFromSecret(const json::Value& secret);

// IfExists is what to do with a token that has this id already.
enum class IfExists { kUpdate, kFail };
// PutToken writes the token's Secret. With kFail an existing one throws kAlreadyExists naming the
// id. To create Secrets is all that must be allowed.
void PutToken(kube::Client& client, const config::BootstrapToken& token,
              std::chrono::sys_seconds now, IfExists if_exists);

// BrokenToken is a Secret of the right type that holds no token.
struct BrokenToken {
  std::string problem;
};
// ListedToken is one of the cluster's, or why a Secret of theirs holds none.
using ListedToken = std::variant<config::BootstrapToken, BrokenToken>;
// ListTokens lists all tokens in the API's order, by name.
std::vector<ListedToken> ListTokens(kube::Client& client);

// DeleteToken throws kNotFound when there is no token of that id.
void DeleteToken(kube::Client& client, const std::string& id);

}  // namespace tokens
