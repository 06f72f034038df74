// SPDX-License-Identifier: Apache-2.0
// A client of the Kubernetes API. Objects are JSON values, so that fields of newer servers survive.
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

// A kind of object in the API: its path and names. Does not own its strings: these must be
// literals, or must outlive every Call that uses the Resource.
struct Resource {
  std::string_view group;     // "" for core
  std::string_view version;   // "v1"
  std::string_view resource;  // plural, "configmaps"
  std::string_view kind;      // "ConfigMap"
  bool namespaced = true;
};

// The location of an object. Does not own its strings, because it is used only as a parameter.
struct ObjectKey {
  Resource resource;
  std::string_view name_space;  // "" for cluster-scoped
  std::string_view name;
};

// The selectors of a list; "" selects all objects. Does not own its strings.
struct Selectors {
  std::string_view labels = {};  // "k8s-app=kube-proxy"
  std::string_view fields = {};  // "spec.nodeName=cp-1"
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
inline constexpr Resource kEndpointSlice{"discovery.k8s.io", "v1", "endpointslices",
                                         "EndpointSlice"};
}  // namespace resources

// The verb of a Call; it decides the HTTP method (Kubernetes API concepts, "API verbs").
enum class Verb { kGet, kList, kCreate, kUpdate, kPatch, kDelete };

// One request to the API server.
struct Call {
  Verb verb = Verb::kGet;
  Resource resource;
  std::string name_space;  // "" for cluster-scoped, or a list over all namespaces
  std::string name;        // "" for list and create
  json::Value body;        // create, update, patch
  std::string patch_type;  // "application/strategic-merge-patch+json", …
  std::string label_selector;
  std::string field_selector;
  std::string subresource;  // "status", "approval"; "" for the object itself
  // For a list: the maximum number of items on a page; 0: all items.
  int limit = 0;
  // For a list: selects the next page; it is metadata.continue of the previous page.
  std::string continue_token;
  // For writes: the server checks the request and answers, but stores no object.
  bool dry_run = false;
  // The size limit of the answer, in bytes; a larger one is kInvalid.
  std::size_t largest_body = http::kLargestBody;
  // The names of members that are skipped when the answer is parsed.
  std::span<const std::string_view> unread = {};
  // The timeout of the answer, if it is shorter than the transport's. If it is not set, the
  // transport's timeout applies.
  std::optional<std::chrono::milliseconds> within = {};
  // For watches: the requested duration (timeoutSeconds), and the longest time without any data.
  // Bookmarks count as data; API servers send one about once a minute.
  std::chrono::seconds watch_for{300};
  std::chrono::milliseconds watch_idle{150'000};
};

// Sends calls to a server. HttpTransport uses a real server; DryRunTransport uses a log and an
// in-memory copy. Do returns the object. If the server refuses the call, Do throws base::Error with
// the kind for the reason of its Status: kNotFound, kAlreadyExists, kConflict, kForbidden,
// kUnauthorized, kInvalid or kTimeout. Status 429 or 5xx gives kUnavailable, except 504, which
// gives kTimeout. Without an answer, Do throws the errors of http::Client.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual json::Value Do(const Call& call, std::stop_token stop) = 0;
  // Fetches a path that is not an object ("/livez"); returns the body, or throws.
  virtual std::string GetPath(const std::string& path, std::stop_token stop) = 0;
  // Calls `on_event(type, object)` for each change after `resource_version`. Returns when
  // `on_event` returns false, the stop token fires or the server ends the stream. A call with a
  // name watches only that object. Bookmarks have type "BOOKMARK" and only
  // metadata.resourceVersion. Throws kConflict for "Gone" (410): the caller must list again. Throws
  // kTimeout after `watch_idle` without data, and if the server does not end the stream after
  // `watch_for`.
  using OnEvent = std::function<bool(const std::string& type, const json::Value& object)>;
  virtual void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
                     std::stop_token stop) = 0;
};

// Returns the result of `read`; std::nullopt if it throws base::Error(kNotFound).
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
  std::string server_override;  // replaces the cluster's server if not empty
  std::function<std::optional<std::string>(const std::string& path)> read_file;  // CA, token files
};

// Returns a transport to the current context's cluster, as the context's user. Throws
// base::Error(kInvalid) if the kubeconfig is unusable.
std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options);

// The retries of transient failures: a pause of `first`, doubling up to `most`, until `limit`.
// `grace` is for a control plane that has just started and lacks its built-in namespaces and RBAC
// rules. During the grace period, NotFound and Forbidden count as transient.
struct RetryPolicy {
  std::chrono::milliseconds first{50};
  std::chrono::milliseconds most{500};
  std::chrono::milliseconds limit{60'000};
  std::chrono::milliseconds grace{5'000};
  // Receives the reason of the retries, once, after three seconds.
  base::ShowLine waiting = {};

  // Returns the policy of one more call that shares the limit with the calls since `begin`.
  RetryPolicy LeftSince(std::chrono::steady_clock::time_point begin,
                        const host::Clock& clock) const;
};

// The typed interface of a Transport. Thread-safe. `clock` times the retries and must outlive the
// client. Every call throws the errors of Transport::Do.
class Client {
 public:
  Client(std::shared_ptr<Transport> transport, host::Clock& clock, RetryPolicy retry,
         std::stop_token stop = {});

  // Get, Find, List and ForEach make one attempt for each request.
  json::Value Get(const ObjectKey& key);
  // Returns the object as Get does; std::nullopt if it does not exist.
  std::optional<json::Value> Find(const ObjectKey& key);
  // Returns the items of all pages, without metadata.managedFields and status.images. Throws
  // base::Error(kInvalid) for an endless list.
  std::vector<json::Value> List(const Resource& resource, std::string_view name_space,
                                const Selectors& selectors = {});
  // Passes the items of List to `action`, page by page. At most one page is in memory; if its items
  // are too large, smaller pages are requested. `action` returns how many bytes of an item it
  // keeps. Throws base::Error(kInvalid) for an endless list, and if `action` keeps more than 32
  // MiB.
  void ForEach(const Resource& resource, std::string_view name_space,
               const std::function<std::size_t(const json::Value&)>& action);
  json::Value Create(const Resource& resource, const json::Value& object);
  json::Value Update(const Resource& resource, const json::Value& object);
  json::Value Patch(const ObjectKey& key, std::string_view patch_type, const json::Value& patch);
  void Delete(const ObjectKey& key);

  // Calls Transport::GetPath with the client's stop token. Makes one attempt.
  std::string GetPath(const std::string& path);
  // Sends any other call (a subresource, a review). Makes one attempt.
  json::Value Raw(const Call& call);
  // Watch is Transport::Watch with the client's stop token.
  void Watch(const Call& call, const std::string& resource_version,
             const Transport::OnEvent& on_event);

  // CreateOrUpdate sends POST, and on AlreadyExists PUT of the whole object. All phases write with
  // this function and the next three. They retry transient errors within the policy's limit, and
  // NotFound and Forbidden within its grace period. PatchNode retries NotFound and Forbidden until
  // the limit.
  void CreateOrUpdate(const Resource& resource, const json::Value& object);
  // CreateOrMutate sends POST. On AlreadyExists it sends GET, calls `mutate` and sends PUT.
  void CreateOrMutate(const Resource& resource, const json::Value& object,
                      const std::function<void(json::Value& existing)>& mutate);
  // CreateOrRetain sends GET, and POST if the object does not exist.
  void CreateOrRetain(const Resource& resource, const json::Value& object);
  // Waits until the node exists and has the label kubernetes.io/hostname. Then sends the change
  // that `mutate` makes as a strategic merge patch. Sends no patch if `mutate` changes nothing.
  void PatchNode(std::string_view node, const std::function<void(json::Value& node)>& mutate);

  // Runs `once` until it succeeds, fails permanently, or the limit has passed. After the limit,
  // throws the last error, with the limit. `what`, if not empty, prefixes the error's message.
  //
  // Forbidden is permanent after the grace period, and earlier if the server was ready (/readyz)
  // before the attempt. The grace period is longer for a server that was seen unreachable or not
  // ready. If the server was never ready in that time, throws kUnavailable.
  void Retry(std::string_view what, const std::function<void()>& once);

  Transport& transport() { return *transport_; }
  const RetryPolicy& retry() const { return retry_; }
  // Returns the same client with another retry policy.
  Client With(RetryPolicy retry) const {
    Client other(*this);
    other.retry_ = std::move(retry);
    return other;
  }

 private:
  using Passing = std::function<bool(const base::Error&, std::chrono::milliseconds spent)>;
  void RetryWhile(const Passing& passing, const std::function<void()>& once);
  void RetryWrite(const std::function<void()>& once);
  // The scope of the memory limit of a list's items: all of them, or one page.
  enum class Keeps { kAll, kPage };
  void EachItem(Call call, Keeps keeps, const std::function<void(json::Value& item)>& on_item);
  json::Value Page(Call& call);

  std::shared_ptr<Transport> transport_;
  host::Clock& clock_;
  RetryPolicy retry_;
  std::stop_token stop_;
};

// Returns whether a retry may help: Unavailable, Timeout, Conflict.
bool IsPassing(const base::Error& error);

}  // namespace kube
