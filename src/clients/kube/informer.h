// SPDX-License-Identifier: Apache-2.0
// Informer: a list of objects kept up to date by a watch (Kubernetes API concepts, "Efficient
// detection of changes").
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/clock.h"
#include "kube/client.h"

namespace kube {

// Called from the informer's thread. Deletions have namespace and name.
struct InformerEvents {
  std::function<void(const json::Value& object)> on_put;
  std::function<void(const std::string& name_space, const std::string& name)> on_gone;
  // Called after each complete list: objects that were not reported do not exist. Also called after
  // a list that was cut (InformerOptions::may_cut).
  std::function<void()> on_synced;
  // A failure that will be retried.
  std::function<void(const base::Error& error)> on_error;
};

// The list and its limits.
struct InformerOptions {
  Call list;  // verb, resource, namespace, selectors
  int page_size = 100;
  // A page has fewer objects than page_size if they are large: untrusted users create some of them
  // (a CertificateSigningRequest may have a megabyte), and a whole page is in memory. A single
  // object may have any size (kLongestEvent), so that it does not hide the objects after it.
  std::size_t page_bytes = std::size_t{4} << 20U;
  // The maximum number of remembered objects.
  std::size_t most_objects = 100'000;
  // For independent objects of untrusted users. If true, a list beyond the maximum is cut, so that
  // a flood does not block other users' objects. Only the watch reports the rest. If false, such a
  // list fails, and all known objects are reported as deleted.
  bool may_cut = false;
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds longest_pause{10'000};
};

// Lists in pages, watches from there on, and lists again if the server has compacted the history
// (410). Objects come without metadata.managedFields and metadata.ownerReferences. An endless list
// fails (kInvalid). An object is reported once per version, however it arrived. An object that
// vanished between two lists is reported as deleted, unless all names together exceed 8 MiB.
// Objects with longer names than an API server accepts are ignored. Failures are retried with
// backoff; a watch that ends, or has gone silent (Call::watch_idle), is resumed. The transport and
// the clock must outlive it.
class Informer {
 public:
  Informer(Transport& transport, host::Clock& clock, InformerOptions options,
           InformerEvents events);

  // Returns on a stop request. Throws base::Error(kNotFound) if the server does not serve the
  // resource (any more). Before that, all known objects are reported as deleted.
  void Run(const std::stop_token& stop);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  // The last version of an object, hashed, and its name if there was memory for it.
  struct Known {
    std::size_t version;
    std::unique_ptr<const Key> key;
  };
  // Objects by the hash of their key. If two objects have the same hash, by chance or on purpose,
  // both are reported, because their versions differ.
  using Hashes = std::unordered_set<std::size_t>;

  void List(const std::stop_token& stop);
  std::string ReadPages(Hashes& found, const std::stop_token& stop);
  json::Value Page(Call& call, const std::stop_token& stop);
  // Returns whether a list that is too long ends here.
  bool Cut(const Hashes& found);
  // Throws base::Error(kInvalid) for too many objects.
  void GiveUpUnlessCut();
  void DropOthersThan(const Hashes& found);
  void Watch(const std::stop_token& stop);
  bool OnEvent(const std::string& type, const json::Value& object);
  void Put(const json::Value& object);
  void Remember(Key key, std::size_t hash, std::size_t version);
  void Drop(const Key& key);
  // Forgets an object and returns its name if that is stored.
  std::unique_ptr<const Key> Erase(std::size_t hash);
  void Forget();

  Transport& transport_;
  host::Clock& clock_;
  InformerOptions options_;
  InformerEvents events_;
  std::unordered_map<std::size_t, Known> known_;
  std::string version_;  // "": list first
  std::size_t changes_ = 0;
  std::size_t names_ = 0;  // bytes, of all stored names
};

}  // namespace kube
