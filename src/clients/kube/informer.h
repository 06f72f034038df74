// SPDX-License-Identifier: Apache-2.0
// Informer: a list of objects kept up to date by a watch (Kubernetes API concepts, "Efficient
// detection of changes").
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "host/clock.h"
#include "kube/client.h"

namespace kube {

// InformerEvents are called from the informer's thread. Deletions carry namespace and name.
struct InformerEvents {
  std::function<void(const json::Value& object)> on_put;
  std::function<void(const std::string& name_space, const std::string& name)> on_gone;
  // After each complete list; what is not known by then does not exist.
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
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds longest_pause{10'000};
};

// Informer lists in pages, watches from there on, and lists again when the server has forgotten the
// history (410). Objects come without metadata.managedFields and metadata.ownerReferences. A list
// that has no end fails (kInvalid). An object is reported once a version,
// whatever way it came; one that vanished between two lists is reported as gone. Failures are tried
// again with growing pauses; a watch that ends, or has gone silent (Call::watch_idle), goes on
// where it was. The transport and the clock outlive it.
class Informer {
 public:
  Informer(Transport& transport, host::Clock& clock, InformerOptions options,
           InformerEvents events);

  // Run returns when asked to stop. Throws base::Error(kNotFound) when the server does not serve
  // the resource (any more); everything known is reported as gone before.
  void Run(const std::stop_token& stop);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name

  void List(const std::stop_token& stop);
  std::string ReadPages(std::set<Key>& found, const std::stop_token& stop);
  json::Value Page(Call& call, const std::stop_token& stop);
  void Watch(const std::stop_token& stop);
  bool OnEvent(const std::string& type, const json::Value& object);
  void Put(const json::Value& object);
  void Drop(const Key& key);
  void Forget();

  Transport& transport_;
  host::Clock& clock_;
  InformerOptions options_;
  InformerEvents events_;
  std::map<Key, std::string> known_;  // → resourceVersion
  std::string version_;               // "": list first
  std::size_t changes_ = 0;
  std::size_t remembered_ = 0;  // bytes, of all keys that are known
};

}  // namespace kube
