// Flags and environment of the controller (reference: approver.md §12) and what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "approver/settings.h"
#include "cli/flags.h"
#include "host/host.h"

namespace machine_approver {

// PolicyFlags say how requests are judged; PolicyOf reads them. Throws base::Error(kUsage).
std::vector<cli::Flag> PolicyFlags();
approver::Policy PolicyOf(const cli::Parsed& flags);

// WorldFlags say where machines, nodes and requests are; shared by the controller and `explain`.
std::vector<cli::Flag> WorldFlags();

// ControllerFlags are the controller's own.
std::vector<cli::Flag> ControllerFlags();

// GroupsOf reads --api-group-version and --apigroup. Throws base::Error(kInvalid) for both at once,
// for a value with two slashes and for a group that is neither machine.openshift.io nor
// cluster.x-k8s.io.
std::vector<approver::GroupVersion> GroupsOf(const cli::Parsed& flags);

// ConfigOf reads the file of --config; without one, or when there is no such file (the ConfigMap
// that it comes from is optional), the default. Throws base::Error(kInvalid) for a file that cannot
// be understood.
approver::Config ConfigOf(const host::Host& host, const cli::Parsed& flags);

// MetricsOptions are where metrics are served, from --metrics-bind-address, METRICS_BIND_ADDRESS
// and METRICS_PORT, and how, from --metrics-secure and --metrics-cert-dir. MetricsOptionsOf throws
// base::Error(kInvalid) for a port that is no number, and kUsage for a folder of certificates that
// would not be used.
struct MetricsOptions {
  std::string host;  // "" for all addresses
  int port = 0;
  bool secure = false;   // TLS, and only for who may
  std::string cert_dir;  // with tls.crt and tls.key; "" for a certificate of its own
};
MetricsOptions MetricsOptionsOf(const host::Host& host, const cli::Parsed& flags);

// InventoriesOf reads --inventory and what belongs to it.
approver::InventoryOptions InventoriesOf(const host::Host& host, const cli::Parsed& flags);

// WorldSettings are what the flags of WorldFlags say, ControllerSettings those of ControllerFlags
// and the environment. Throw base::Error.
approver::Settings WorldSettings(const host::Host& host, const cli::Parsed& flags);
approver::Settings ControllerSettings(const host::Host& host, const cli::Parsed& flags);

}  // namespace machine_approver
