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
    kLocal,          // certificate and key are here
    kNoCertificate,  // the certificate is missing or unreadable
    kExternal,       // the key is elsewhere, and all required leaves are here
    kIncomplete      // the key is elsewhere, and a required leaf is missing
  } state = State::kLocal;
  std::string reason;  // of kNoCertificate and kIncomplete

  bool external() const { return state == State::kExternal; }
};

// Judges the row `ca_name` ("ca", "front-proxy-ca", "etcd-ca") in the directory. The required
// leaves of an external CA: ca → the API server's serving and kubelet client certificate,
// front-proxy-ca → front-proxy-client, etcd-ca → etcd's own three and the API server's client of
// etcd; all of it valid at `now`.
ExternalCa DetectExternalCa(const host::Files& files, const host::fs::path& dir,
                            std::string_view ca_name, std::chrono::sys_seconds now);

// Returns whether the CA is external, for a run that needs a complete CA. Throws
// base::Error(kInvalid) with the reason if the required leaves of an external CA are incomplete.
bool IsExternalCa(const host::Files& files, const host::fs::path& dir, std::string_view ca_name,
                  std::chrono::sys_seconds now);

}  // namespace certs
