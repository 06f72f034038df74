// SPDX-License-Identifier: Apache-2.0
#include "kube/fake_server.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kube/call.h"

namespace kube {
namespace {

constexpr std::string_view kNamespaces = "/namespaces/";

std::string Collection(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Returns the last part of a path.
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns whether `path` is in `collection`. "/api/v1/pods" contains the Pods of all namespaces.
bool Contains(const std::string& collection, const std::string& path) {
  const std::string parent = Collection(path);
  if (parent == collection) {
    return true;
  }
  const auto at = parent.find(kNamespaces);
  if (at == std::string::npos) {
    return false;
  }
  const auto end = parent.find('/', at + kNamespaces.size());
  return end != std::string::npos && parent.substr(0, at) + parent.substr(end) == collection;
}

// Returns whether the number of parts is that of a collection: "/api/v1[/namespaces/x]/pods",
// "/apis/g/v/things".
bool IsCollection(const std::string& path) {
  auto parts = base::Split(path, '/').size() - 1;
  parts -= path.starts_with("/apis/") ? 1 : 0;
  parts -= path.find(kNamespaces) != std::string::npos && parts > 4 ? 2 : 0;
  return parts == 3;
}

std::string Query(const http::FakeRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

bool Selected(const json::Value& object, const http::FakeRequest& request) {
  for (const std::string& term : base::Split(Query(request, "labelSelector"), ',')) {
    const auto equals = term.find('=');
    const json::Value& label = json::At(object, {"metadata", "labels", term.substr(0, equals)});
    const bool same = equals == std::string::npos || label == term.substr(equals + 1);
    if (!term.empty() && (!label.is_string() || !same)) {
      return false;
    }
  }
  for (const std::string& term : base::Split(Query(request, "fieldSelector"), ',')) {
    const auto equals = term.find('=');
    const json::Value* value = &object;
    for (const std::string& part : base::Split(term.substr(0, equals), '.')) {
      value = &json::At(*value, {part});
    }
    const std::string text = value->is_string() ? value->get<std::string>() : json::Compact(*value);
    if (!term.empty() && text != term.substr(equals + 1)) {
      return false;
    }
  }
  return true;
}

json::Value Status(int code, const std::string& reason, const std::string& message) {
  return {{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Failure"},
          {"reason", reason}, {"message", message}, {"code", code}};
}

json::Value Patched(const http::FakeRequest& request, const json::Value& object) {
  const json::Value patch = json::Parse(request.body);
  const std::string& type = request.headers.at("content-type");
  if (type == "application/json-patch+json") {
    return patch::ApplyJsonPatch(object, patch);
  }
  if (type == "application/strategic-merge-patch+json" &&
      request.path.starts_with("/api/v1/nodes/")) {
    return patch::ApplyStrategicPatch(object, patch, patch::Schema::kNode);
  }
  if (type == "application/strategic-merge-patch+json" &&
      request.path.find("/deployments/") != std::string::npos) {
    return patch::ApplyStrategicPatch(object, patch, patch::Schema::kDeployment);
  }
  return patch::ApplyMergePatch(object, patch);
}

}  // namespace

FakeApiServer::FakeApiServer(const http::FakeTls& tls) {
  SetText("/livez", 200, "ok");
  server_ = std::make_unique<http::FakeServer>(
      [this](const http::FakeRequest& request) { return Handle(request); }, tls);
}

FakeApiServer::~FakeApiServer() {
  EndWatches();
  server_.reset();
}

Kubeconfig FakeApiServer::Config(const std::string& ca_pem) const {
  Kubeconfig config;
  config.clusters["fake"] = {.server = Url(), .certificate_authority_data = ca_pem};
  config.users["tester"] = {};
  config.contexts["fake"] = {.cluster = "fake", .user = "tester", .name_space = ""};
  config.current_context = "fake";
  return config;
}

std::unique_ptr<Transport> FakeApiServer::NewTransport() const {
  return MakeHttpTransport(Config(), {});
}

void FakeApiServer::Put(const Resource& resource, json::Value object) {
  const std::string path = PathOf(CallOn(Verb::kGet, resource, object));
  const std::scoped_lock lock(mutex_);
  Store(path, std::move(object));
}

std::optional<json::Value> FakeApiServer::Find(const Resource& resource,
                                               const std::string& name_space,
                                               const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      objects_.find(PathOf({.resource = resource, .name_space = name_space, .name = name}));
  return found == objects_.end() ? std::nullopt : std::optional(found->second);
}

void FakeApiServer::Remove(const Resource& resource, const std::string& name_space,
                           const std::string& name) {
  const std::scoped_lock lock(mutex_);
  Drop(PathOf({.resource = resource, .name_space = name_space, .name = name}));
}

void FakeApiServer::Inject(Refusal refusal) {
  const std::scoped_lock lock(mutex_);
  refusals_.push_back(std::move(refusal));
}

void FakeApiServer::SetText(const std::string& path, int status, std::string text) {
  const std::scoped_lock lock(mutex_);
  texts_[path] = {.status = status, .body = std::move(text), .content_type = "text/plain"};
}

void FakeApiServer::RequireAuthorization(std::string value) {
  const std::scoped_lock lock(mutex_);
  authorization_ = std::move(value);
}

void FakeApiServer::ForgetHistory() {
  const std::scoped_lock lock(mutex_);
  oldest_ = ++version_;
  ++watch_era_;
  changed_.notify_all();
}

void FakeApiServer::EndWatches() {
  const std::scoped_lock lock(mutex_);
  ++watch_era_;
  changed_.notify_all();
}

void FakeApiServer::Mute() {
  const std::scoped_lock lock(mutex_);
  muted_ = watches_;
}

void FakeApiServer::Hide(std::string prefix) {
  const std::scoped_lock lock(mutex_);
  hidden_.push_back(std::move(prefix));
}

bool FakeApiServer::Shows(const http::FakeRequest& request, const std::string& path,
                          const json::Value& object) const {
  return Contains(request.path, path) && Selected(object, request) &&
         std::ranges::none_of(hidden_,
                              [&](const auto& prefix) { return path.starts_with(prefix); });
}

std::vector<std::string> FakeApiServer::Requests() {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

http::FakeReply FakeApiServer::Handle(const http::FakeRequest& request) {
  const std::scoped_lock lock(mutex_);
  std::string shown = request.method + " " + request.path;
  for (char sign = '?'; const auto& [name, value] : request.query) {
    shown += std::exchange(sign, '&') + name + "=" + value;
  }
  requests_.push_back(std::move(shown));
  if (auto reply = Special(request)) {
    return *std::move(reply);
  }
  if (Query(request, "watch") == "true") {
    return NewWatch(request);
  }
  const Answer answer = Dispatch(request);
  return {.status = answer.status, .body = answer.body.dump()};
}

std::optional<http::FakeReply> FakeApiServer::Special(const http::FakeRequest& request) {
  const auto refuse = [](int code, const std::string& reason, const std::string& message) {
    return http::FakeReply{.status = code, .body = Status(code, reason, message).dump()};
  };
  const auto given = request.headers.find("authorization");
  if (!authorization_.empty() &&
      (given == request.headers.end() || given->second != authorization_)) {
    return refuse(401, "Unauthorized", "Unauthorized");
  }
  for (Refusal& refusal : refusals_) {
    if (refusal.times != 0 && (request.method + " " + request.path).starts_with(refusal.what)) {
      --refusal.times;
      return refuse(refusal.status, refusal.reason, refusal.message);
    }
  }
  const auto text = texts_.find(request.path);
  return text == texts_.end() ? std::nullopt : std::optional(text->second);
}

FakeApiServer::Answer FakeApiServer::Dispatch(const http::FakeRequest& request) {
  if (request.method == "POST") {
    return Post(request);
  }
  if (request.method == "GET" && IsCollection(request.path)) {
    return List(request);
  }
  std::string path = request.path;
  if (!objects_.contains(path) && request.method != "GET") {
    path = Collection(path);  // perhaps a subresource, which changes the object itself
  }
  const auto found = objects_.find(path);
  if (found == objects_.end()) {
    return {404, Status(404, "NotFound",
                        NameOf(Collection(request.path)) + " \"" + NameOf(request.path) +
                            "\" not found")};
  }
  if (request.method == "GET") {
    return {200, found->second};
  }
  if (request.method == "DELETE") {
    Drop(path);
    return {200, {{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}}};
  }
  return Replace(path, request);
}

FakeApiServer::Answer FakeApiServer::List(const http::FakeRequest& request) {
  json::Value items = json::Value::array();
  const std::string limit = Query(request, "limit");
  const std::size_t most = limit.empty() ? SIZE_MAX : std::stoul(limit);
  const std::string after = Query(request, "continue");
  json::Value meta = {{"resourceVersion", std::to_string(version_)}};
  for (const auto& [path, object] : objects_) {
    if (path <= after || !Shows(request, path, object)) {
      continue;
    }
    if (items.size() == most) {
      break;
    }
    items.push_back(object);
    if (items.size() == most) {
      meta["continue"] = path;
    }
  }
  return {200, {{"kind", "List"}, {"apiVersion", "v1"}, {"metadata", meta}, {"items", items}}};
}

FakeApiServer::Answer FakeApiServer::Post(const http::FakeRequest& request) {
  json::Value object = json::Parse(request.body);
  const std::string name = json::TextAt(object, {"metadata", "name"});
  const std::string path = request.path + "/" + name;
  if (objects_.contains(path)) {
    return {409, Status(409, "AlreadyExists",
                        NameOf(request.path) + " \"" + name + "\" already exists")};
  }
  if (!Query(request, "dryRun").empty()) {
    return {201, std::move(object)};
  }
  return {201, Store(path, std::move(object))};
}

FakeApiServer::Answer FakeApiServer::Replace(const std::string& path,
                                             const http::FakeRequest& request) {
  const json::Value& old = objects_.at(path);
  json::Value object =
      request.method == "PATCH" ? Patched(request, old) : json::Parse(request.body);
  const std::string based_on = json::TextAt(object, {"metadata", "resourceVersion"});
  // "0" is any version, as for a real server.
  if (!based_on.empty() && based_on != "0" &&
      based_on != json::TextAt(old, {"metadata", "resourceVersion"})) {
    return {409, Status(409, "Conflict", "the object has been modified")};
  }
  return {200, Store(path, std::move(object))};
}

json::Value FakeApiServer::Store(const std::string& path, json::Value object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  const bool known = objects_.contains(path);
  objects_[path] = object;
  events_.push_back({version_, known ? "MODIFIED" : "ADDED", path, object});
  changed_.notify_all();
  return object;
}

void FakeApiServer::Drop(const std::string& path) {
  const auto found = objects_.find(path);
  if (found == objects_.end()) {
    return;
  }
  events_.push_back({++version_, "DELETED", path, std::move(found->second)});
  objects_.erase(found);
  changed_.notify_all();
}

http::FakeReply FakeApiServer::NewWatch(const http::FakeRequest& request) {
  const std::string from = Query(request, "resourceVersion");
  const long start = from.empty() ? version_ : std::stol(from);
  if (start < oldest_) {
    const json::Value gone = {{"type", "ERROR"},
                              {"object", Status(410, "Expired", "too old resource version")}};
    return {.stream = [line = gone.dump() + "\n"]() mutable { return std::exchange(line, ""); }};
  }
  // A stream begins with a bookmark, so that a test knows the watch is running.
  const json::Value bookmark = {
      {"type", "BOOKMARK"},
      {"object", {{"metadata", {{"resourceVersion", std::to_string(start)}}}}}};
  auto next = [this, request, era = watch_era_, number = ++watches_, seen = start,
               first = bookmark.dump() + "\n"]() mutable -> std::string {
    if (!first.empty()) {
      return std::exchange(first, "");
    }
    std::unique_lock lock(mutex_);
    while (true) {
      for (const Event& event : events_) {
        if (event.version <= seen || number <= muted_) {
          continue;
        }
        seen = event.version;
        if (Shows(request, event.path, event.object)) {
          return json::Value({{"type", event.type}, {"object", event.object}}).dump() + "\n";
        }
      }
      if (era != watch_era_) {
        return "";
      }
      changed_.wait(lock);
    }
  };
  return {.stream = next};
}

}  // namespace kube
