// SPDX-License-Identifier: Apache-2.0
#include "kube/call.h"

#include <fmt/core.h>

#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "http/escape.h"

namespace kube {
namespace {

using Kind = base::Error::Kind;

constexpr std::size_t kLongestMessage = 4'096;  // of a Status
constexpr std::size_t kLongestText = 200;       // of any other answer

struct ReasonRow {
  std::string_view reason;
  Kind kind;
};

// The reasons of a meta/v1 Status.
constexpr ReasonRow kReasons[] = {
    {"NotFound", Kind::kNotFound},          {"AlreadyExists", Kind::kAlreadyExists},
    {"Conflict", Kind::kConflict},          {"Gone", Kind::kConflict},
    {"Expired", Kind::kConflict},           {"Forbidden", Kind::kForbidden},
    {"Unauthorized", Kind::kUnauthorized},  {"Invalid", Kind::kInvalid},
    {"BadRequest", Kind::kInvalid},         {"Timeout", Kind::kTimeout},
    {"ServerTimeout", Kind::kUnavailable},  {"TooManyRequests", Kind::kUnavailable},
    {"InternalError", Kind::kUnavailable},  {"ServiceUnavailable", Kind::kUnavailable},
    {"StoreReadError", Kind::kUnavailable},
};

struct StatusRow {
  int status;
  Kind kind;
};

constexpr StatusRow kStatuses[] = {
    {400, Kind::kInvalid},  {401, Kind::kUnauthorized}, {403, Kind::kForbidden},
    {404, Kind::kNotFound}, {409, Kind::kConflict},     {410, Kind::kConflict},
    {422, Kind::kInvalid},  {429, Kind::kUnavailable},  {504, Kind::kTimeout},
};

// Query collects "?a=b&c=d".
class Query {
 public:
  void Add(std::string_view name, const std::string& value) {
    if (!value.empty()) {
      text_ += fmt::format("{}{}={}", text_.empty() ? '?' : '&', name, http::EscapeQuery(value));
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string CollectionPath(const Call& call) {
  const Resource& r = call.resource;
  std::string path = r.group.empty() ? fmt::format("/api/{}", r.version)
                                     : fmt::format("/apis/{}/{}", r.group, r.version);
  if (r.namespaced && !call.name_space.empty()) {
    path += "/namespaces/" + http::EscapeSegment(call.name_space);
  }
  return fmt::format("{}/{}", path, r.resource);
}

}  // namespace

std::string PathOf(const Call& call) {
  std::string path = CollectionPath(call);
  const bool creates_object = call.verb == Verb::kCreate && call.subresource.empty();
  if (!call.name.empty() && !creates_object && call.verb != Verb::kList) {
    path += "/" + http::EscapeSegment(call.name);
  }
  if (!call.subresource.empty()) {
    path += "/" + call.subresource;
  }
  Query query;
  query.Add("labelSelector", call.label_selector);
  query.Add("fieldSelector", call.field_selector);
  query.Add("limit", call.limit > 0 ? std::to_string(call.limit) : "");
  query.Add("continue", call.continue_token);
  query.Add("dryRun", call.dry_run ? "All" : "");
  return path + query.text();
}

std::string WatchPathOf(const Call& call, const std::string& resource_version) {
  std::string fields = call.field_selector;
  if (!call.name.empty()) {
    fields += (fields.empty() ? "" : ",") + ("metadata.name=" + call.name);
  }
  Query query;
  query.Add("watch", "true");
  query.Add("allowWatchBookmarks", "true");
  query.Add("timeoutSeconds", std::to_string(call.watch_for.count()));
  query.Add("resourceVersion", resource_version);
  query.Add("labelSelector", call.label_selector);
  query.Add("fieldSelector", fields);
  return CollectionPath(call) + query.text();
}

std::string MethodOf(Verb verb) {
  switch (verb) {
    case Verb::kGet:
    case Verb::kList:
      return "GET";
    case Verb::kCreate:
      return "POST";
    case Verb::kUpdate:
      return "PUT";
    case Verb::kPatch:
      return "PATCH";
    case Verb::kDelete:
      return "DELETE";
  }
  std::unreachable();
}

Kind StatusKind(std::string_view reason, int http_status) {
  for (const ReasonRow& row : kReasons) {
    if (row.reason == reason) {
      return row.kind;
    }
  }
  for (const StatusRow& row : kStatuses) {
    if (row.status == http_status) {
      return row.kind;
    }
  }
  return http_status >= 500 ? Kind::kUnavailable : Kind::kOther;
}

namespace {

// Returns a server's message in printable form. Truncates it to `most` bytes: real messages that
// list all problems of an object are far shorter. Escapes control characters, which an attacker may
// send.
std::string Shown(std::string_view words, std::size_t most) {
  return base::Visible(base::Trim(words.substr(0, most)), "\n\t") +
         (words.size() > most ? "…" : "");
}

}  // namespace

base::Error StatusError(int http_status, const std::string& body, std::string_view server) {
  const json::Value status = json::TryParse(body);
  if (json::TextAt(status, {"kind"}) == "Status") {
    std::string message = Shown(json::TextAt(status, {"message"}), kLongestMessage);
    if (message.empty()) {
      message = fmt::format("{} answered with status {}", server, http_status);
    }
    return {StatusKind(json::TextAt(status, {"reason"}), http_status), std::move(message)};
  }
  const std::string text = Shown(body, kLongestText);
  return {StatusKind("", http_status), fmt::format("{} answered with status {}{}{}", server,
                                                   http_status, text.empty() ? "" : ": ", text)};
}

Call CallOn(Verb verb, const Resource& resource, const json::Value& object) {
  return {.verb = verb,
          .resource = resource,
          .name_space = json::TextAt(object, {"metadata", "namespace"}),
          .name = json::TextAt(object, {"metadata", "name"}),
          .body = object};
}

std::optional<std::string> FlawOf(const json::Value& answer) {
  if (!answer.is_object()) {
    return fmt::format("it is of type {}", json::KindOf(answer));
  }
  const bool is_status = json::TextAt(answer, {"kind"}) == "Status";
  const auto is_wrong = [](const json::Value& part) {
    return !part.is_object() && !part.is_null();
  };
  for (const std::string_view name : {"metadata", "spec", "status", "data"}) {
    const json::Value& part = json::At(answer, {name});
    if (is_wrong(part) && !(is_status && name == "status")) {
      return fmt::format("its {} is of type {}", name, json::KindOf(part));
    }
  }
  for (const std::string_view name : {"labels", "annotations"}) {
    const json::Value& part = json::At(answer, {"metadata", name});
    if (is_wrong(part)) {
      return fmt::format("its {} are of type {}", name, json::KindOf(part));
    }
  }
  return std::nullopt;
}

}  // namespace kube
