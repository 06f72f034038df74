// SPDX-License-Identifier: Apache-2.0
// Making kubeconfig files, or keeping what a user put in their place (reference: pki.md §5, §7).
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

// Context of all kubeconfig files of one run. Functions that take it keep no other state; different
// files may be made at the same time.
struct Context {
  host::Files& files;
  const config::Init& config;
  host::fs::path dir;              // of the kubeconfig files: /etc/kubernetes
  host::fs::path ca_dir;           // of ca.crt and ca.key; a dry run names its own directory
  std::chrono::sys_seconds start;  // of the process
  certs::KeySource new_key;
  certs::PeriodLog& periods;
};

// Action is what was done about a file.
enum class Action {
  kCreated,
  kReused,
  kReusedOtherServer,  // kept, but it points elsewhere; this was warned of
};

// Outcome is what became of one file.
struct Outcome {
  Action action = Action::kCreated;
  host::fs::path path;  // of the file; see host::Files::Location for where it lies
};

// EnsureKubeconfig keeps a file whose cluster trusts our CA and makes a missing one (mode 0600).
// Throws base::Error when the CA cannot be used, or the file cannot be read or trusts another CA.
// With an external CA there is nothing to call: see ExternalCaProblems.
Outcome EnsureKubeconfig(const KubeconfigSpec& spec, const Context& context);

// ExternalCaProblems says which of the files that the user of an external CA has to provide are
// missing or do not trust it. A file that points to another server than expected is warned of.
base::Problems ExternalCaProblems(const Context& context);

// KeysToDraw is how many keys EnsureKubeconfig of these rows will ask for.
std::size_t KeysToDraw(const host::Files& files, const host::fs::path& dir,
                       std::span<const KubeconfigSpec> specs);

// UserOptions of `kubeconfig user`.
struct UserOptions {
  std::string client_name;
  std::vector<std::string> organizations;
  std::string token;                       // instead of a certificate when not empty
  std::optional<base::Duration> validity;  // the configured one when not set
};
// NewUserKubeconfig is the text of a kubeconfig for one more user. Throws base::Error when the CA
// or its key cannot be loaded, even if a token is given.
std::string NewUserKubeconfig(const UserOptions& options, const Context& context);
// The same with the CA of the configuration's certificates directory, from now on.
std::string NewUserKubeconfig(const UserOptions& options, const config::Init& config,
                              host::Host& host);

// RefuseExistingRequests throws base::Error(kAlreadyExists) when a file of `init` or its request is
// there.
void RefuseExistingRequests(const Context& context);

// WriteKubeconfigRequests writes each file of `init` with a new key and no certificates, beside it
// its request <file>.csr (both 0600), and returns the rows. A file that is there is kept, and the
// request is of its key. Throws base::Error(kInvalid) for one that cannot be read or has no key.
std::vector<const KubeconfigSpec*> WriteKubeconfigRequests(const Context& context);

}  // namespace kubeconfigs
