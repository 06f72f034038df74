// SPDX-License-Identifier: Apache-2.0
// FakeApiServer: a small Kubernetes API server in memory, for tests.
//
// It stores objects by path, gives them resource versions, answers every verb, lists in pages and
// streams watches. It validates nothing. Tests script refusals with Inject.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/fake_server.h"
#include "json/value.h"
#include "kube/client.h"

namespace kube {

class FakeApiServer {
 public:
  explicit FakeApiServer(const http::FakeTls& tls = {});
  ~FakeApiServer();

  std::string Url() const { return server_->Url(); }
  // Returns a kubeconfig for this server without credentials. For a server with TLS, `ca_pem` is
  // its CA.
  Kubeconfig Config(const std::string& ca_pem = "") const;
  // Returns a transport to this server.
  std::unique_ptr<Transport> NewTransport() const;

  // Stores an object unchanged, replacing any previous one; watchers see it.
  void Put(const Resource& resource, json::Value object);
  std::optional<json::Value> Find(const Resource& resource, const std::string& name_space,
                                  const std::string& name);
  void Remove(const Resource& resource, const std::string& name_space, const std::string& name);

  // Answers requests whose "METHOD path" begins with `what` ("POST /api/v1/") with a Status.
  struct Refusal {
    std::string what;
    int status = 500;
    std::string reason;  // "Forbidden"
    std::string message;
    int times = 1;  // −1: always
  };
  void Inject(Refusal refusal);
  // Makes a path that is not an object answer with a text, for example SetText("/livez", 200,
  // "ok").
  void SetText(const std::string& path, int status, std::string text);
  // Answers 401 unless the Authorization header is `value`.
  void RequireAuthorization(std::string value);
  // Answers 410 Gone to watches that begin at a version before this call.
  void ForgetHistory();
  // Closes all running watches, as a server does now and then.
  void EndWatches();
  // Silences all running watches, which stay open, as behind a partitioned network. Later watches
  // work as usual.
  void Mute();
  // Hides objects whose path begins with `prefix` from lists and watches, which simulates a stale
  // cache. A GET still finds these objects.
  void Hide(std::string prefix);

  // Returns "METHOD path?query" in order of arrival.
  std::vector<std::string> Requests();

 private:
  struct Event {
    long version;
    std::string type;
    std::string path;
    json::Value object;
  };
  struct Answer {
    int status;
    json::Value body;
  };

  http::FakeReply Handle(const http::FakeRequest& request);
  std::optional<http::FakeReply> Special(const http::FakeRequest& request);
  Answer Dispatch(const http::FakeRequest& request);
  Answer List(const http::FakeRequest& request);
  Answer Post(const http::FakeRequest& request);
  Answer Replace(const std::string& path, const http::FakeRequest& request);
  http::FakeReply NewWatch(const http::FakeRequest& request);
  json::Value Store(const std::string& path, json::Value object);
  void Drop(const std::string& path);
  // Returns whether lists and watches of the request contain the object.
  bool Shows(const http::FakeRequest& request, const std::string& path,
             const json::Value& object) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  // The members below are guarded by mutex_.
  std::map<std::string, json::Value> objects_;  // by path
  std::vector<Event> events_;
  std::vector<Refusal> refusals_;
  std::map<std::string, http::FakeReply> texts_;
  std::string authorization_;
  std::vector<std::string> requests_;
  long version_ = 100;
  long oldest_ = 0;  // watches that begin before this version end with 410
  // A watch ends when it began in an earlier era.
  int watch_era_ = 0;
  int watches_ = 0;  // begun so far
  // The number of the oldest watches that are silent.
  int muted_ = 0;
  std::vector<std::string> hidden_;

  std::unique_ptr<http::FakeServer> server_;  // last: its threads use the other members
};

}  // namespace kube
