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

// InformerEvents are called from the informer's thread. Deletions carry namespace and name.
struct InformerEvents {
  std::function<void(const json::Value& object)> on_put;
  std::function<void(const std::string& name_space, const std::string& name)> on_gone;
  // After each complete list; what is not known by then does not exist. Also after one that was cut
  // (InformerOptions::may_cut).
  std::function<void()> on_synced;
  // Something failed and will be tried again.
  std::function<void(const base::Error& error)> on_error;
};

// InformerOptions say what is listed and how patiently.
struct InformerOptions {
  Call list;  // verb, resource, namespace, selectors
  int page_size = 100;
  // A page has fewer objects than page_size where they are large: strangers make some of them (a
  // CertificateSigningRequest may have a megabyte), and all of a page is in memory at once. One
  // object alone may be as large as any (kLongestEvent): it must not hide those behind it.
  std::size_t page_bytes = std::size_t{4} << 20U;
  // So many objects are remembered at most.
  std::size_t most_objects = 100'000;
  // Where strangers make objects, of which none says anything about another one, a list of more is
  // cut, and what is beyond is told of by the watch alone: theirs must not keep others' from being
  // told of. Without it such a list fails, and everything known is reported as gone.
  bool may_cut = false;
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds longest_pause{10'000};
};

// Informer lists in pages, watches from there on, and lists again when the server has forgotten the
// history (410). Objects come without metadata.managedFields and metadata.ownerReferences. A list
// that has no end fails (kInvalid). An object is reported once a version, whatever way it came; one
// that vanished between two lists is reported as gone, unless the names of all have more than 8
// MiB. Objects with longer names than an API server takes do not count. Failures are tried again
// with growing pauses; a watch that ends, or has gone silent (Call::watch_idle), goes on where it
// was. The transport and the clock outlive it.
class Informer {
 public:
  Informer(Transport& transport, host::Clock& clock, InformerOptions options,
           InformerEvents events);

  // Run returns when asked to stop. Throws base::Error(kNotFound) when the server does not serve
  // the resource (any more); everything known is reported as gone before.
  void Run(const std::stop_token& stop);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  // Known is the last version of an object, hashed, and its name where there was room for it.
  struct Known {
    std::size_t version;
    std::unique_ptr<const Key> key;
  };
  // Objects by the hash of their key. Two that have the same one, by chance or on purpose, are told
  // of all the same, since their versions differ.
  using Hashes = std::unordered_set<std::size_t>;

  void List(const std::stop_token& stop);
  std::string ReadPages(Hashes& found, const std::stop_token& stop);
  json::Value Page(Call& call, const std::stop_token& stop);
  // Cut is whether a list that is too long ends here.
  bool Cut(const Hashes& found);
  // GiveUpUnlessCut throws base::Error when there are too many objects.
  void GiveUpUnlessCut();
  void DropOthersThan(const Hashes& found);
  void Watch(const std::stop_token& stop);
  bool OnEvent(const std::string& type, const json::Value& object);
  void Put(const json::Value& object);
  void Remember(Key key, std::size_t hash, std::size_t version);
  void Drop(const Key& key);
  // Erase forgets an object and returns its name where that is kept.
  std::unique_ptr<const Key> Erase(std::size_t hash);
  void Forget();

  Transport& transport_;
  host::Clock& clock_;
  InformerOptions options_;
  InformerEvents events_;
  std::unordered_map<std::size_t, Known> known_;
  std::string version_;  // "": list first
  std::size_t changes_ = 0;
  std::size_t names_ = 0;  // bytes, of all names that are kept
};

}  // namespace kube
