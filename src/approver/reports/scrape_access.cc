// SPDX-License-Identifier: Apache-2.0
#include "reports/scrape_access.h"

#include "base/error.h"
#include "base/log.h"

namespace reports {
namespace {

using base::Error;

constexpr kube::Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews", "TokenReview",
                                       false};
constexpr kube::Resource kAccessReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                        "SubjectAccessReview", false};

kube::Call Review(const kube::Resource& resource, json::Value spec) {
  return {.verb = kube::Verb::kCreate,
          .resource = resource,
          .body = {{"apiVersion", std::string(resource.group) + "/v1"},
                   {"kind", resource.kind},
                   {"spec", std::move(spec)}}};
}

bool IsTrue(const json::Value& value) { return value.is_boolean() && value.get<bool>(); }

// Includes all known attributes of the user, because authorization rules may depend on any of them.
json::Value SpecFor(const std::string& path, const json::Value& user) {
  json::Value spec = {{"nonResourceAttributes", {{"path", path}, {"verb", "get"}}},
                      {"user", json::TextAt(user, {"username"})}};
  for (const char* member : {"uid", "groups", "extra"}) {
    if (const json::Value& value = json::At(user, {member}); !value.is_null()) {
      spec[member] = value;
    }
  }
  return spec;
}

}  // namespace

ScrapeAccess::Answer ScrapeAccess::Ask(const std::string& path, const std::string& token) const {
  try {
    const json::Value known = transport_->Do(Review(kTokenReviews, {{"token", token}}), {});
    const json::Value& user = json::At(known, {"status", "user"});
    if (!IsTrue(json::At(known, {"status", "authenticated"})) ||
        json::TextAt(user, {"username"}).empty()) {
      return Answer::kUnknown;
    }
    const json::Value allowed = transport_->Do(Review(kAccessReviews, SpecFor(path, user)), {});
    return IsTrue(json::At(allowed, {"status", "allowed"})) &&
                   !IsTrue(json::At(allowed, {"status", "denied"}))
               ? Answer::kAllowed
               : Answer::kForbidden;
  } catch (const Error& error) {
    base::LogWarning("the user who requests {} is unknown: {}", path, error.message());
    return Answer::kNotKnown;
  }
}

ScrapeAccess::Answer ScrapeAccess::MayGet(const std::string& path,
                                          const std::optional<std::string>& token) {
  if (!token || token->empty()) {
    return Answer::kUnknown;
  }
  const std::string key = path + " " + *token;
  {
    const std::lock_guard lock(mutex_);
    const auto found = remembered_.find(key);
    if (found != remembered_.end() && clock_.Steady() < found->second.until) {
      return found->second.answer;
    }
  }
  const Answer answer = Ask(path, *token);
  if (answer != Answer::kNotKnown) {
    Remember(key, answer);
  }
  return answer;
}

void ScrapeAccess::Remember(const std::string& key, Answer answer) {
  const std::lock_guard lock(mutex_);
  const Time now = clock_.Steady();
  std::erase_if(remembered_, [&](const auto& entry) { return entry.second.until <= now; });
  if (remembered_.size() >= kMostRemembered) {
    remembered_.clear();  // possibly an attempt to guess tokens: known answers are queried again
  }
  remembered_[key] = {answer, now + (answer == Answer::kAllowed ? kAllowedFor : kRefusedFor)};
}

}  // namespace reports
