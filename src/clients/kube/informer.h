// SPDX-License-Identifier: Apache-2.0
// Informer: a list of objects kept up to date by a watch (Kubernetes API concepts, "Efficient
// detection of changes").
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/clock.h"
#include "kube/client.h"

namespace kube {

// Callbacks in the informer's thread. `on_gone` gets the namespace and name of a deleted object.
struct InformerEvents {
  std::function<void(const json::Value& object)> on_put;
  std::function<void(const std::string& name_space, const std::string& name)> on_gone;
  // Called after each complete list: objects that were not reported do not exist. Also called after
  // a list that InformerOptions::may_cut has cut.
  std::function<void()> on_synced;
  // Called after a failure that will be retried.
  std::function<void(const base::Error& error)> on_error;
};

// The list and its limits.
struct InformerOptions {
  Call list;  // verb, resource, namespace, selectors
  int page_size = 100;
  // The size limit of a page. A page with large objects has fewer objects than page_size. The limit
  // bounds the memory, since untrusted users create some objects (a CertificateSigningRequest may
  // have a megabyte). A single object may have any size up to kLongestEvent, so that a large object
  // does not hide the objects after it.
  std::size_t page_bytes = std::size_t{4} << 20U;
  // The maximum number of remembered objects.
  std::size_t most_objects = 100'000;
  // If true, a list beyond the maximum is cut. This is for independent objects of untrusted users,
  // so that a flood does not block other users' objects. Only the watch reports the remaining
  // objects. If false, a list beyond the maximum fails, and all known objects are reported as
  // deleted.
  bool may_cut = false;
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds longest_pause{10'000};
};

// Lists in pages, then watches. Lists again if the server has compacted the history (410). An
// endless list fails (kInvalid). Failures are retried with backoff. A watch that ends, or is silent
// for Call::watch_idle, is resumed.
//
// Objects come without metadata.managedFields and metadata.ownerReferences. Each version of an
// object is reported once, whether it came by a list or a watch. An object that vanished between
// two lists is reported as deleted, unless all keys together exceed 8 MiB. Objects with longer
// names than an API server accepts are ignored.
//
// The transport and the clock must outlive the informer.
class Informer {
 public:
  Informer(Transport& transport, host::Clock& clock, InformerOptions options,
           InformerEvents events);

  // Runs until a stop request. Throws base::Error(kNotFound) if the server does not serve the
  // resource, or no longer does. Before it throws, all known objects are reported as deleted.
  void Run(const std::stop_token& stop);

 private:
  // A known object: the hash of its last version, and its key NAMESPACE/NAME. The key is "" if it
  // exceeds the limit of stored keys.
  struct Known {
    std::size_t version;
    std::string key;
  };
  // The hashes of objects' keys. If two objects have the same hash, by chance or on purpose, both
  // are still reported, because their versions differ.
  using Hashes = std::unordered_set<std::size_t>;

  void List(const std::stop_token& stop);
  std::string ReadPages(Hashes& found, const std::stop_token& stop);
  json::Value Page(Call& call, const std::stop_token& stop);
  // Returns whether the list has reached its maximum and is cut here. Calls GiveUpUnlessCut at the
  // maximum.
  bool Cut(const Hashes& found);
  // If may_cut is not set, forgets all objects and throws base::Error(kInvalid).
  void GiveUpUnlessCut();
  void DropOthersThan(const Hashes& found);
  void Watch(const std::stop_token& stop);
  bool OnEvent(const std::string& type, const json::Value& object);
  void Put(const json::Value& object);
  void Remember(std::string key, std::size_t hash, std::size_t version);
  // Forgets an object. Returns its key; "" if the key is not stored.
  std::string Erase(std::size_t hash);
  void ReportGone(const std::string& key);
  void Forget();

  Transport& transport_;
  host::Clock& clock_;
  InformerOptions options_;
  InformerEvents events_;
  std::unordered_map<std::size_t, Known> known_;
  std::string version_;  // "": list first
  std::size_t changes_ = 0;
  std::size_t keys_ = 0;  // bytes, of all stored keys
};

}  // namespace kube
