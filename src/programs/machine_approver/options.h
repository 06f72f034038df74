// SPDX-License-Identifier: Apache-2.0
// Flags and environment of the controller (reference: approver.md §12) and what they mean.
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

// PolicyFlags say how requests are judged; PolicyOf reads them. Throws base::Error(kUsage).
std::vector<cli::Flag> PolicyFlags();
judgement::Policy PolicyOf(const cli::Parsed& flags);

// WorldFlags say where machines, nodes and requests are; shared by the controller and `explain`.
std::vector<cli::Flag> WorldFlags();

// ControllerFlags are the controller's own.
std::vector<cli::Flag> ControllerFlags();

// GroupsOf reads --api-group-version and --apigroup. Throws base::Error(kInvalid) for both at once,
// for a value with two slashes and for a group that is neither machine.openshift.io nor
// cluster.x-k8s.io.
std::vector<inventories::GroupVersion> GroupsOf(const cli::Parsed& flags);

// ConfigOf reads the file of --config; without that flag, the default. A file that is not there
// means the default only where an optional ConfigMap that does not exist is mounted, as OpenShift's
// Deployment does: an empty directory that is a mount point. Else throws base::Error(kNotFound):
// who mistypes the path must not leave approvals on. Throws base::Error(kInvalid) for a file that
// cannot be understood.
controller::Config ConfigOf(const host::Host& host, const cli::Parsed& flags);

// MetricsOptions are where metrics are served, from --metrics-bind-address, METRICS_BIND_ADDRESS
// and METRICS_PORT, and how, from --metrics-secure and --metrics-cert-dir. MetricsOptionsOf throws
// base::Error(kInvalid) for a port that is not a number, and kUsage for a directory of certificates
// that would not be used.
struct MetricsOptions {
  std::string host;  // "" for all addresses
  int port = 0;
  bool secure = false;  // TLS, and only for who may
  // The directory with tls.crt and tls.key; nothing: a certificate of its own.
  std::optional<std::string> cert_dir;
};
MetricsOptions MetricsOptionsOf(const host::Host& host, const cli::Parsed& flags);

// InventoriesOf reads --inventory and what belongs to it. Throws base::Error.
inventories::InventoryOptions InventoriesOf(const host::Host& host, const cli::Parsed& flags);

// RenewalCaOf reads --renewal-ca-configmap. Without it the ConfigMap of OpenShift where Machines of
// its API vouch, and none elsewhere: there anybody who may make that namespace could write it.
// Throws base::Error(kUsage).
std::optional<inventories::ConfigMapRef> RenewalCaOf(
    const cli::Parsed& flags, const inventories::InventoryOptions& inventories);

// WorldSettings are what the flags of WorldFlags say, ControllerSettings those of ControllerFlags
// and the environment. Throw base::Error.
controller::Settings WorldSettings(const host::Host& host, const cli::Parsed& flags);
controller::Settings ControllerSettings(const host::Host& host, const cli::Parsed& flags);

}  // namespace machine_approver
