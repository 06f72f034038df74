// SPDX-License-Identifier: Apache-2.0
// Certificate authorities whose key stays elsewhere (reference: pki.md §4, phases.md §7).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "config/types.h"
#include "host/files.h"

namespace certs {

// ExternalCa is the verdict on one CA of the tree.
struct ExternalCa {
  enum class State {
    kLocal,          // certificate and key are here
    kNoCertificate,  // the certificate is missing or cannot be read
    kExternal,       // the key is not here, and everything the CA must have signed is
    kIncomplete      // the key is not here, nor is something it must have signed
  } state = State::kLocal;
  std::string reason;  // of kNoCertificate and kIncomplete

  bool external() const { return state == State::kExternal; }
};

// DetectExternalCa judges the row `ca_name` ("ca", "front-proxy-ca", "etcd-ca") in the directory.
// What an external CA must have signed: ca → the API server's serving and kubelet client
// certificate, front-proxy-ca → front-proxy-client, etcd-ca → etcd's own three and the API server's
// client of etcd; all of it valid at `now`.
ExternalCa DetectExternalCa(const host::Files& files, const host::fs::path& dir,
                            std::string_view ca_name, std::chrono::sys_seconds now);

// IsExternalCa is its verdict for a run that cannot go on with half of one: throws base::Error
// (kInvalid) with the reason when what an external CA must have signed is not complete.
bool IsExternalCa(const host::Files& files, const host::fs::path& dir, std::string_view ca_name,
                  std::chrono::sys_seconds now);

}  // namespace certs
