// SPDX-License-Identifier: Apache-2.0
// A client of the Kubernetes API. Objects are JSON values, so that nothing which a newer server
// knows gets lost on the way.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/show_line.h"
#include "host/clock.h"
#include "http/client.h"
#include "json/value.h"
#include "kube/kubeconfig.h"
#include "patch/patch.h"

namespace kube {

// Resource names a kind of object in the API: where it is served and how it is called. It does not
// own its texts: they are literals, or outlive every Call that names it.
struct Resource {
  std::string_view group;     // "" for core
  std::string_view version;   // "v1"
  std::string_view resource;  // plural, "configmaps"
  std::string_view kind;      // "ConfigMap"
  bool namespaced = true;
};

namespace resources {
inline constexpr Resource kConfigMap{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource kNamespace{"", "v1", "namespaces", "Namespace", false};
inline constexpr Resource kSecret{"", "v1", "secrets", "Secret"};
inline constexpr Resource kService{"", "v1", "services", "Service"};
inline constexpr Resource kServiceAccount{"", "v1", "serviceaccounts", "ServiceAccount"};
inline constexpr Resource kPod{"", "v1", "pods", "Pod"};
inline constexpr Resource kNode{"", "v1", "nodes", "Node", false};
inline constexpr Resource kEvent{"", "v1", "events", "Event"};
inline constexpr Resource kDeployment{"apps", "v1", "deployments", "Deployment"};
inline constexpr Resource kDaemonSet{"apps", "v1", "daemonsets", "DaemonSet"};
inline constexpr Resource kJob{"batch", "v1", "jobs", "Job"};
inline constexpr Resource kRole{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
inline constexpr Resource kRoleBinding{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                       "RoleBinding"};
inline constexpr Resource kClusterRole{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                       "ClusterRole", false};
inline constexpr Resource kClusterRoleBinding{"rbac.authorization.k8s.io", "v1",
                                              "clusterrolebindings", "ClusterRoleBinding", false};
inline constexpr Resource kCsr{"certificates.k8s.io", "v1", "certificatesigningrequests",
                               "CertificateSigningRequest", false};
inline constexpr Resource kLease{"coordination.k8s.io", "v1", "leases", "Lease"};
}  // namespace resources

// Verb is what a Call asks for; it decides the HTTP method (Kubernetes API concepts, "API verbs").
enum class Verb { kGet, kList, kCreate, kUpdate, kPatch, kDelete };

// Call is one request to the API server.
struct Call {
  Verb verb = Verb::kGet;
  Resource resource;
  std::string name_space;  // "" for cluster-scoped, or a list over all namespaces
  std::string name;        // "" for list and create
  json::Value body;        // create, update, patch
  std::string patch_type;  // "application/strategic-merge-patch+json", …
  std::string label_selector;
  std::string field_selector;
  std::string subresource;     // "status", "approval"; "" for the object itself
  int limit = 0;               // list: at most so many items a page; 0: all
  std::string continue_token;  // list: the next page, metadata.continue of the one before
  // The largest answer that is taken, in bytes; a larger one is kInvalid.
  std::size_t largest_body = http::kLargestBody;
  // Members of the answer's objects that nobody will look at, by name: they are not read.
  std::span<const std::string_view> unread = {};
  // How long the answer may take where that is less than the transport allows; not set: as it does.
  std::optional<std::chrono::milliseconds> within = {};
  // watch: for how long it is asked for (timeoutSeconds), and how long nothing, not even a
  // bookmark, may come over it. API servers send a bookmark about once a minute.
  std::chrono::seconds watch_for{300};
  std::chrono::milliseconds watch_idle{150'000};
};

// Transport carries calls to a server: HttpTransport to a real one, DryRunTransport to a log and an
// in-memory copy. Do returns the object, or throws base::Error with the kind that the server's
// Status reason maps to (NotFound, AlreadyExists, Conflict, Forbidden, Unauthorized, Invalid,
// Timeout, Unavailable for 429, 5xx and no connection).
class Transport {
 public:
  virtual ~Transport() = default;
  virtual json::Value Do(const Call& call, std::stop_token stop) = 0;
  // GetPath fetches a path that is not an object ("/livez"); the body, or throws.
  virtual std::string GetPath(const std::string& path, std::stop_token stop) = 0;
  // Watch calls `on_event(type, object)` for each change after `resource_version` until it returns
  // false, the stop token fires or the server ends the stream (a normal return). Bookmarks come as
  // type "BOOKMARK": only their metadata.resourceVersion counts. "Gone" (410: list again) is thrown
  // as kConflict, kTimeout when nothing came for `watch_idle` or the server goes on after
  // `watch_for`. A call with a name watches that object only.
  using OnEvent = std::function<bool(const std::string& type, const json::Value& object)>;
  virtual void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
                     std::stop_token stop) = 0;
};

// Found is what `read` gives; nothing when it throws base::Error(kNotFound).
template <typename Read>
std::optional<std::invoke_result_t<Read&>> Found(Read read) {
  try {
    return read();
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kNotFound) {
      throw;
    }
    return std::nullopt;
  }
}

// ConnectOptions of MakeHttpTransport.
struct ConnectOptions {
  std::chrono::milliseconds request_timeout{10'000};
  std::string server_override;  // replaces the cluster's server when not empty
  std::function<std::optional<std::string>(const std::string& path)> read_file;  // CA, token files
};

// MakeHttpTransport talks to the cluster and as the user of the kubeconfig's current context.
// Throws base::Error(kInvalid) when the kubeconfig cannot be used.
std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options);

// RetryPolicy: passing failures are tried again after `first` doubling up to `most`, until `limit`.
// `grace` is for a control plane that has just come up: until its built-in namespaces and RBAC
// rules are there, it answers NotFound and Forbidden, which count as passing for so long.
struct RetryPolicy {
  std::chrono::milliseconds first{50};
  std::chrono::milliseconds most{500};
  std::chrono::milliseconds limit{60'000};
  std::chrono::milliseconds grace{5'000};
  base::ShowLine waiting = {};  // shown once, after three seconds: why it is still tried

  // LeftSince is the policy of one more call that shares the limit with those since `begin`.
  RetryPolicy LeftSince(std::chrono::steady_clock::time_point begin,
                        const host::Clock& clock) const;
};

// Client is the typed face of a Transport; safe to use from several threads. `clock`, by which it
// waits between tries, outlives it. Every call throws what Transport::Do throws.
class Client {
 public:
  Client(std::shared_ptr<Transport> transport, host::Clock& clock, RetryPolicy retry,
         std::stop_token stop = {});

  // One try each.
  json::Value Get(const Resource& resource, const std::string& name_space, const std::string& name);
  // Find is Get with nothing for NotFound.
  std::optional<json::Value> Find(const Resource& resource, const std::string& name_space,
                                  const std::string& name);
  // List returns the items of all pages, without metadata.managedFields and status.images. Throws
  // base::Error(kInvalid) for a list that has no end.
  std::vector<json::Value> List(const Resource& resource, const std::string& name_space,
                                const std::string& label_selector = "",
                                const std::string& field_selector = "");
  // ForEach hands the same items to `action`, page by page: no more than a page is in memory, and
  // of items that are very large together a part of one. `action` returns how many bytes it keeps
  // of an item. Throws base::Error(kInvalid) for a list that has no end, and beyond 32 MiB kept.
  void ForEach(const Resource& resource, const std::string& name_space,
               const std::function<std::size_t(const json::Value&)>& action);
  json::Value Create(const Resource& resource, const json::Value& object);
  json::Value Update(const Resource& resource, const json::Value& object);
  json::Value Patch(const Resource& resource, const std::string& name_space,
                    const std::string& name, const std::string& patch_type,
                    const json::Value& patch);
  void Delete(const Resource& resource, const std::string& name_space, const std::string& name);

  // Raw sends any other call (a subresource, a review), one try.
  json::Value Raw(const Call& call);
  // Watch is Transport::Watch with the client's stop token.
  void Watch(const Call& call, const std::string& resource_version,
             const Transport::OnEvent& on_event);

  // The family that all phases write with; each retries passing errors within the policy's limit,
  // and NotFound and Forbidden within its grace.
  // CreateOrUpdate: POST; on AlreadyExists PUT the whole object.
  void CreateOrUpdate(const Resource& resource, const json::Value& object);
  // CreateOrMutate: POST; on AlreadyExists GET, `mutate`, PUT.
  void CreateOrMutate(const Resource& resource, const json::Value& object,
                      const std::function<void(json::Value& existing)>& mutate);
  // CreateOrRetain: POST only when it is not there.
  void CreateOrRetain(const Resource& resource, const json::Value& object);
  // PatchNode waits for the node to exist and have label kubernetes.io/hostname, then sends
  // `mutate`'s change as a strategic merge patch; no change, no patch.
  void PatchNode(const std::string& node, const std::function<void(json::Value& node)>& mutate);

  // Retry runs `once` until it returns, a permanent error comes, or the limit is over (then the
  // last error is thrown with the time allowed). `what`, when not empty, leads the error's text.
  // Forbidden is permanent when a server says it that was ready (/readyz) before it was asked, or
  // when the grace is over, which is longer for a server that was seen away or not ready. Of one
  // that never was ready, in all that time, it is kUnavailable.
  void Retry(const std::string& what, const std::function<void()>& once);

  Transport& transport() { return *transport_; }
  const RetryPolicy& retry() const { return retry_; }
  // With is the same client with another patience.
  Client With(RetryPolicy retry) const {
    Client other(*this);
    other.retry_ = std::move(retry);
    return other;
  }

 private:
  using Passing = std::function<bool(const base::Error&, std::chrono::milliseconds spent)>;
  void RetryWhile(const Passing& passing, const std::function<void()>& once);
  void RetryWrite(const std::function<void()>& once);
  // What the items of a list may take of memory: all of them, or those of a page.
  enum class Keeps { kAll, kPage };
  void EachItem(Call call, Keeps keeps, const std::function<void(json::Value& item)>& on_item);
  json::Value Page(Call& call);

  std::shared_ptr<Transport> transport_;
  host::Clock& clock_;
  RetryPolicy retry_;
  std::stop_token stop_;
};

// IsPassing tells whether trying again may help: Unavailable, Timeout, Conflict.
bool IsPassing(const base::Error& error);

}  // namespace kube
