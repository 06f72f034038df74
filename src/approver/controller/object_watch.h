// SPDX-License-Identifier: Apache-2.0
// One kind of object, watched while the controller runs.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "inventories/options.h"
#include "json/value.h"
#include "kube/client.h"

namespace controller {

// Reports the objects of one list, in the thread that calls Run. Logs and skips an object for which
// `put` throws, so that a malformed object attests no request. Retries after failures.
class ObjectWatch {
 public:
  struct Events {
    std::function<void(const json::Value& object)> put;
    std::function<void(const std::string& name)> gone;
    std::function<void()> synced = [] {};  // after each complete list
    bool may_cut = false;                  // as in kube::InformerOptions
  };

  // The transport, and the clock for its pauses after failures, must outlive the watch.
  ObjectWatch(kube::Transport& transport, host::Clock& clock, kube::Call list, Events events);

  // Returns on a stop request.
  void Run(const std::stop_token& stop) const;

 private:
  void Follow(const std::stop_token& stop) const;
  void Put(const json::Value& object) const;

  kube::Transport& transport_;
  host::Clock& clock_;
  kube::Call list_;
  Events events_;
};

// Returns the list call that selects only this ConfigMap.
kube::Call ListOfOne(const inventories::ConfigMapRef& map);

}  // namespace controller
