// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens: "<id>.<secret>" (Kubernetes docs: "Authenticating with bootstrap tokens").
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/problems.h"
#include "config/types.h"

namespace config {

inline constexpr std::string_view kDefaultTokenGroup =
    "system:bootstrappers:kubeadm:default-node-token";
inline constexpr std::string_view kUsageSigning = "signing";
inline constexpr std::string_view kUsageAuthentication = "authentication";
inline constexpr base::Duration kDefaultTokenTtl = std::chrono::hours(24);
// The token of printed defaults.
inline constexpr std::string_view kPlaceholderToken = "abcdef.0123456789abcdef";

// Returns `count` bytes fit for secrets.
using RandomBytes = std::function<std::string(std::size_t count)>;

// Generates a token whose characters are all equally likely.
std::string NewToken(const RandomBytes& random);

// IsToken: [a-z0-9]{6}.[a-z0-9]{16}; IsTokenId: the part before the dot.
bool IsToken(std::string_view text);
bool IsTokenId(std::string_view text);
// TokenId is the part before the dot.
std::string TokenId(std::string_view token);
// TokenSecret is the part after the dot.
std::string TokenSecret(std::string_view token);

// IsTokenGroup: system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9].
bool IsTokenGroup(std::string_view text);

// Returns true for a pin of a CA certificate: "sha256:" and 64 hexadecimal digits, in either case.
bool IsCaCertHash(std::string_view text);

// Adds problems for invalid usages, groups and lifetime of a token. `path` is the token's own path
// ("bootstrapTokens[0]").
void ValidateToken(const BootstrapToken& token, const std::string& path, base::Problems& problems);

}  // namespace config
