// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/tokens.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/token.h"
#include "json/rfc3339.h"
#include "json/wipe.h"
#include "kube/objects.h"

namespace join_secrets {
namespace {

using base::Error;
using kube::resources::kSecret;

constexpr std::string_view kTokenType = "bootstrap.kubernetes.io/token";
constexpr std::string_view kNamePrefix = "bootstrap-token-";
constexpr std::string_view kUsagePrefix = "usage-bootstrap-";

// The existence of a Secret. kForbidden: unknown, because the user may not read the Secret. A user
// may have the right to create tokens without the right to read them.
enum class Known { kAbsent, kThere, kForbidden };

Known Ask(kube::Client& client, const std::string& name) {
  Known known = Known::kAbsent;
  client.Retry("", [&] {
    try {
      const bool there = client.Find({kSecret, kube::kSystemNamespace, name}).has_value();
      known = there ? Known::kThere : Known::kAbsent;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kForbidden) {
        throw;
      }
      known = Known::kForbidden;
    }
  });
  return known;
}

Error Exists(const std::string& id) {
  return {Error::Kind::kAlreadyExists, fmt::format("a token with id \"{}\" already exists", id)};
}

void CreateNew(kube::Client& client, const json::Value& secret, const std::string& id) {
  try {
    client.Retry("", [&] { client.Create(kSecret, secret); });
  } catch (const Error& error) {
    throw error.kind() == Error::Kind::kAlreadyExists ? Exists(id) : error;
  }
}

std::string NameOf(const json::Value& secret) { return json::TextAt(secret, {"metadata", "name"}); }

Error Broken(const json::Value& secret, std::string_view problem) {
  return Error(Error::Kind::kInvalid,
               fmt::format("bootstrap token Secret \"{}\": {}", NameOf(secret), problem));
}

std::string Required(const json::Value& secret, std::string_view key) {
  const auto value = kube::SecretValue(secret, key);
  if (!value) {
    throw Broken(secret, fmt::format("key \"{}\" is missing or empty", key));
  }
  return *value;
}

std::vector<std::string> Usages(const json::Value& secret) {
  std::vector<std::string> usages;
  for (const auto& [key, value] : json::At(secret, {"data"}).items()) {
    if (key.starts_with(kUsagePrefix) && kube::SecretValue(secret, key) == "true") {
      usages.push_back(key.substr(kUsagePrefix.size()));
    }
  }
  std::ranges::sort(usages);
  return usages;
}

std::optional<std::chrono::sys_seconds> ExpirationOf(const config::BootstrapToken& token,
                                                     std::chrono::sys_seconds now) {
  if (token.expires) {
    return token.expires;
  }
  if (token.ttl && *token.ttl > base::Duration::zero()) {
    // whole seconds: nanoseconds could overflow
    return now + std::chrono::floor<std::chrono::seconds>(*token.ttl);
  }
  return std::nullopt;
}

}  // namespace

std::string TokenSecretName(std::string_view id) { return fmt::format("{}{}", kNamePrefix, id); }

json::Value TokenSecret(const config::BootstrapToken& token, std::chrono::sys_seconds now) {
  const std::string id = config::TokenId(token.token);
  std::map<std::string, std::string> data = {{"token-id", id},
                                             {"token-secret", config::TokenSecret(token.token)}};
  if (!token.description.empty()) {
    data["description"] = token.description;
  }
  if (const auto expires = ExpirationOf(token, now)) {
    data["expiration"] = json::FormatRfc3339(*expires);
  }
  for (const std::string& usage : token.usages) {
    data[fmt::format("{}{}", kUsagePrefix, usage)] = "true";
  }
  if (!token.groups.empty()) {
    data["auth-extra-groups"] = base::Join(token.groups, ",");
  }
  return kube::Secret({kube::kSystemNamespace, TokenSecretName(id)}, data, kTokenType);
}

config::BootstrapToken TokenFromSecret(const json::Value& secret) {
  const std::string id = Required(secret, "token-id");
  if (NameOf(secret) != TokenSecretName(id)) {
    throw Broken(secret, fmt::format("a token with id \"{}\" must be named \"{}\"", id,
                                     TokenSecretName(id)));
  }
  const std::string text = id + "." + Required(secret, "token-secret");
  if (!config::IsToken(text)) {
    throw Broken(secret, "\"token-id\" and \"token-secret\" are not of the form of a token");
  }
  config::BootstrapToken token{
      .token = text, .description = kube::SecretValue(secret, "description").value_or("")};
  if (const auto expiration = kube::SecretValue(secret, "expiration")) {
    token.expires = json::ParseRfc3339(*expiration);
    if (!token.expires) {
      throw Broken(secret, fmt::format("cannot read expiration \"{}\"", *expiration));
    }
  }
  token.usages = Usages(secret);
  if (const auto groups = kube::SecretValue(secret, "auth-extra-groups")) {
    token.groups = base::Split(*groups, ',');
    if (token.groups.front().empty()) {
      token.groups.clear();  // like upstream, which stops at an empty first group
    }
  }
  return token;
}

void PutToken(kube::Client& client, const config::BootstrapToken& token,
              std::chrono::sys_seconds now, IfExists if_exists) {
  const std::string id = config::TokenId(token.token);
  const json::Wiped wiped(TokenSecret(token, now));
  const json::Value& secret = wiped.value;
  const Known known = Ask(client, TokenSecretName(id));
  if (known == Known::kThere && if_exists == IfExists::kFail) {
    throw Exists(id);
  }
  if (known == Known::kThere) {
    client.Retry("", [&] { client.Update(kSecret, secret); });
  } else if (known == Known::kForbidden && if_exists == IfExists::kFail) {
    CreateNew(client, secret, id);
  } else {
    client.CreateOrUpdate(kSecret, secret);
  }
}

std::vector<ListedToken> ListTokens(kube::Client& client) {
  const std::vector<json::Value> secrets =
      client.List(kSecret, kube::kSystemNamespace, {.fields = fmt::format("type={}", kTokenType)});
  std::vector<ListedToken> tokens;
  for (const json::Value& secret : secrets) {
    if (json::TextAt(secret, {"type"}) != kTokenType) {
      continue;
    }
    try {
      tokens.emplace_back(TokenFromSecret(secret));
    } catch (const Error& error) {
      tokens.emplace_back(BrokenToken{error.message()});
    }
  }
  return tokens;
}

void DeleteToken(kube::Client& client, const std::string& id) {
  client.Delete({kSecret, kube::kSystemNamespace, TokenSecretName(id)});
}

}  // namespace join_secrets
