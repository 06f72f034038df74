// SPDX-License-Identifier: Apache-2.0
// Certificate authorities whose key is elsewhere (reference: pki.md §4, phases.md §7).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "config/types.h"
#include "host/files.h"

namespace certs {

// The verdict on one CA of the tree.
struct ExternalCa {
  enum class State {
    kLocal,          // certificate and key are on this node
    kNoCertificate,  // the certificate is missing or unreadable
    kExternal,       // the key is elsewhere, and all required leaves are on this node
    kIncomplete      // the key is elsewhere, and a required leaf is missing
  } state = State::kLocal;
  std::string reason;  // of kNoCertificate and kIncomplete

  bool external() const { return state == State::kExternal; }
};

// Judges the row `ca_name` ("ca", "front-proxy-ca", "etcd-ca") in the directory. An external CA
// requires these leaves, valid at `now`. "ca": the API server's serving and kubelet client
// certificates. "front-proxy-ca": front-proxy-client. "etcd-ca": etcd's own three certificates and
// the API server's etcd client certificate.
ExternalCa DetectExternalCa(const host::Files& files, const host::fs::path& dir,
                            std::string_view ca_name, std::chrono::sys_seconds now);

// Returns whether the CA is external. Throws base::Error(kInvalid) with the reason if the CA lacks
// its key and one of its required leaves is missing or unusable.
bool IsExternalCa(const host::Files& files, const host::fs::path& dir, std::string_view ca_name,
                  std::chrono::sys_seconds now);

}  // namespace certs
