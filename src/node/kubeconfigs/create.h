// SPDX-License-Identifier: Apache-2.0
// Creates kubeconfig files, and keeps those of the user (reference: pki.md §5, §7).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/problems.h"
#include "certs/create.h"
#include "config/types.h"
#include "host/host.h"
#include "kubeconfigs/specs.h"

namespace kubeconfigs {

// The context of all kubeconfig files of one run. Functions that take it keep no other state;
// different files may be created concurrently.
struct Context {
  host::Files& files;
  const config::Init& config;
  host::fs::path dir;              // of the kubeconfig files: /etc/kubernetes
  host::fs::path ca_dir;           // of ca.crt and ca.key; in a dry run, the dry run's directory
  std::chrono::sys_seconds start;  // when this process started
  certs::KeySource new_key;
  certs::PeriodLog& periods;
};

// The action on a file.
enum class Action {
  kCreated,
  kReused,
  kReusedOtherServer,  // kept with a warning, although it has another server
};

// The result for one file.
struct Outcome {
  Action action = Action::kCreated;
  host::fs::path path;  // of the file; host::Files::Location returns its real path
};

// Keeps a file whose cluster trusts our CA, and creates a missing file (mode 0600). Throws
// base::Error: kInvalid if the CA or the file is unusable, kAlreadyExists if the file trusts
// another CA. Do not use it for an external CA: use ExternalCaProblems.
Outcome EnsureKubeconfig(const KubeconfigSpec& spec, const Context& context);

// Returns a problem for each kubeconfig file that an external CA requires and that is missing or
// does not trust the CA. Warns if a file has another server than expected.
base::Problems ExternalCaProblems(const Context& context);

// Returns how many keys EnsureKubeconfig of these rows will request.
std::size_t KeysToDraw(const host::Files& files, const host::fs::path& dir,
                       std::span<const KubeconfigSpec> specs);

// Options of `kubeconfig user`.
struct UserOptions {
  std::string client_name;
  std::vector<std::string> organizations;
  std::string token;                       // if not empty, used instead of a certificate
  std::optional<base::Duration> validity;  // if not set, the configured validity
};
// Returns a kubeconfig for one more user. Needs the CA and its key even if a token is given: throws
// base::Error(kNotFound or kInvalid) if they cannot be loaded.
std::string NewUserKubeconfig(const UserOptions& options, const Context& context);
// Uses the CA in the configured certificates directory. The validity begins now.
std::string NewUserKubeconfig(const UserOptions& options, const config::Init& config,
                              host::Host& host);

// Throws base::Error(kAlreadyExists) if a file of `init` or its request exists.
void RequireNoRequests(const Context& context);

// Writes each file of `init` with a new key and no certificate, and its certificate request
// <file>.csr (both 0600). Keeps an existing file and writes the request for its key. Returns the
// rows. Throws base::Error(kInvalid) for an existing file that is unreadable or has no key.
std::vector<const KubeconfigSpec*> WriteKubeconfigRequests(const Context& context);

}  // namespace kubeconfigs
