// SPDX-License-Identifier: Apache-2.0
// Flags and environment of the controller (reference: approver.md §12) and their meaning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "controller/config.h"
#include "controller/settings.h"
#include "host/host.h"
#include "inventories/options.h"

namespace machine_approver {

// PolicyFlags returns the flags that configure the judgement. PolicyOf reads these flags. Throws
// base::Error(kUsage).
std::vector<cli::Flag> PolicyFlags();
judgement::Policy PolicyOf(const cli::Parsed& flags);

// Returns the flags for the sources of machines, nodes and requests. The controller and `explain`
// share these flags.
std::vector<cli::Flag> WorldFlags();

// Returns the flags that only the controller has.
std::vector<cli::Flag> ControllerFlags();

// Reads --api-group-version and --apigroup. Throws base::Error(kInvalid) for both at once, for a
// value with two slashes and for a group that is neither machine.openshift.io nor cluster.x-k8s.io.
std::vector<inventories::GroupVersion> GroupsOf(const cli::Parsed& flags);

// Reads the file of --config; without --config, returns the default. If the file is missing,
// returns the default only if the file's directory is an empty mount point: then an optional
// ConfigMap is missing, as in OpenShift's Deployment. Otherwise throws base::Error(kNotFound),
// because a mistyped path must not enable approvals. Throws base::Error(kInvalid) for a malformed
// file.
controller::Config ConfigOf(const host::Host& host, const cli::Parsed& flags);

// The settings of the metrics server. The address comes from --metrics-bind-address,
// METRICS_BIND_ADDRESS and METRICS_PORT; the security from --metrics-secure and --metrics-cert-dir.
// MetricsOptionsOf throws base::Error(kInvalid) for a port that is not a number, and kUsage for a
// certificate directory that would be unused.
struct MetricsOptions {
  std::string host;  // "" for all addresses
  int port = 0;
  bool secure = false;  // TLS, and only for authorized clients
  // The directory with tls.crt and tls.key. std::nullopt for a self-signed certificate.
  std::optional<std::string> cert_dir;
  // The directory with the certificate of the endpoint for machines, whose end of validity is a
  // metric. std::nullopt without the endpoint.
  std::optional<std::string> identity_cert_dir = {};
};
MetricsOptions MetricsOptionsOf(const host::Host& host, const cli::Parsed& flags);

// Reads --inventory and the flags that belong to it. Throws base::Error: kUsage, kInvalid, or
// kNotFound for a file.
inventories::InventoryOptions InventoriesOf(const host::Host& host, const cli::Parsed& flags);

// Reads --renewal-ca-configmap. Without this flag, returns OpenShift's ConfigMap if Machines of
// OpenShift's API are an inventory. In all other cases returns std::nullopt, because any user who
// may create OpenShift's namespace could write this ConfigMap. Throws base::Error(kUsage).
std::optional<inventories::ConfigMapRef> RenewalCaOf(
    const cli::Parsed& flags, const inventories::InventoryOptions& inventories);

// WorldSettings reads the flags of WorldFlags. ControllerSettings reads the flags of
// ControllerFlags and the environment. Both throw base::Error: kUsage, kInvalid, or kNotFound for a
// file.
controller::Settings WorldSettings(const host::Host& host, const cli::Parsed& flags);
controller::Settings ControllerSettings(const host::Host& host, const cli::Parsed& flags);

}  // namespace machine_approver
