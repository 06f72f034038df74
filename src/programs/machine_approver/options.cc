// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "machine_approver/query_options.h"
#include "net/cidr.h"
#include "net/host_port.h"

namespace machine_approver {
namespace {

using base::Error;
using cli::Flag;
using cli::FlagType;
using judgement::Policy;

constexpr std::string_view kClusterApiGroup = "cluster.x-k8s.io";
constexpr std::string_view kDefaultGroup = "machine.openshift.io";
constexpr std::array<std::string_view, 2> kGroups = {kClusterApiGroup, kDefaultGroup};
constexpr std::array<std::string_view, 8> kInventories = {"machines",  "nodes", "tokens", "file",
                                                          "configmap", "http",  "exec",   "dns"};
constexpr std::string_view kDefaultMetricsHost = "127.0.0.1";
constexpr int kDefaultMetricsPort = 9191;
constexpr int kSecureMetricsPort = 9192;
constexpr std::string_view kVar = "/var";
constexpr std::string_view kVarRun = "/var/run/";
constexpr std::size_t kMountPointField = 4;  // of a line of mountinfo, proc(5)
const inventories::ConfigMapRef kOpenShiftCa{.name_space = "openshift-config-managed",
                                             .name = "csr-controller-ca"};

struct RenewalRow {
  std::string_view text;
  Policy::Renewal renewal;
};
constexpr RenewalRow kRenewals[] = {{"fallback", Policy::Renewal::kFallback},
                                    {"without-machine", Policy::Renewal::kWithoutMachine},
                                    {"off", Policy::Renewal::kOff}};

[[noreturn]] void Wrong(const std::string& text) { throw Error(Error::Kind::kInvalid, text); }

int Port(std::string_view text, const std::string& where) {
  const std::optional<int> port = text == "0" ? 0 : base::ParsePort(text);
  if (!port) {
    Wrong(fmt::format("{} must be a port number, is {}", where, base::Quoted(text)));
  }
  return *port;
}

inventories::GroupVersion ParseGroup(const std::string& text) {
  const std::vector<std::string> parts = base::Split(text, '/');
  if (parts.size() > 2) {
    Wrong(fmt::format("Invalid API Group Version value: {}", text));
  }
  if (std::ranges::find(kGroups, parts.front()) == kGroups.end()) {
    Wrong(
        fmt::format("unsupported APIGroup {}, allowed values cluster.x-k8s.io, "
                    "machine.openshift.io",
                    parts.front()));
  }
  return {.group = parts.front(), .version = parts.size() > 1 ? parts[1] : ""};
}

bool Has(const std::vector<std::string>& list, std::string_view what) {
  return std::ranges::find(list, what) != list.end();
}

std::chrono::milliseconds Milliseconds(const cli::Parsed& flags, std::string_view name) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(flags.Duration(name));
}

// Sets the address of --metrics-bind-address, or else of METRICS_BIND_ADDRESS and METRICS_PORT. If
// neither is given, sets the default, which depends on --metrics-secure.
void SetAddress(const host::Host& host, const std::string& flag, MetricsOptions& options) {
  if (!flag.empty()) {
    const auto address = net::HostPort::Parse(flag);
    if (!address) {
      Wrong("--metrics-bind-address must be host:port, is " + base::Quoted(flag));
    }
    options.host = address->host;
    options.port = Port(address->port, "the port of --metrics-bind-address");
    return;
  }
  const std::map<std::string, std::string> environment = host.environment.All();
  if (const auto port = environment.find("METRICS_PORT"); port != environment.end()) {
    options.host = host.environment.Get("METRICS_BIND_ADDRESS");
    options.port = Port(port->second, "environment variable METRICS_PORT");
  } else {
    options.host = options.secure ? "" : kDefaultMetricsHost;
    options.port = options.secure ? kSecureMetricsPort : kDefaultMetricsPort;
  }
}

std::vector<net::Cidr> NetworksOf(const cli::Parsed& flags) {
  std::vector<net::Cidr> networks;
  for (const std::string& text : flags.List("nodes-allowed-cidrs")) {
    const auto network = net::Cidr::Parse(text);
    if (!network) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--nodes-allowed-cidrs must be networks such as 10.0.0.0/24, is {}",
                              base::Quoted(text)));
    }
    if (network->PrefixLength() == 0) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--nodes-allowed-cidrs: {} would allow every address; leave the flag "
                              "out, and each node keeps its first addresses",
                              text));
    }
    networks.push_back(*network);
  }
  return networks;
}

// Returns whether the directory is the mount of a missing optional ConfigMap. In this case the
// kubelet mounts a directory that contains only its own links, which begin with "..".
bool IsAbsentConfigMap(const host::Host& host, const std::filesystem::path& directory) {
  const std::string mounts = host.files.Find("/proc/self/mountinfo").value_or("");
  std::string place = directory.string();
  if (place.starts_with(kVarRun)) {
    place.erase(0, kVar.size());  // /var/run is a link on most systems
  }
  const bool mounted = std::ranges::any_of(base::Lines(mounts), [&](const std::string& line) {
    const std::vector<std::string> fields = base::Fields(line);
    return fields.size() > kMountPointField &&
           (fields[kMountPointField] == directory || fields[kMountPointField] == place);
  });
  return mounted && std::ranges::all_of(host.files.List(directory), [](const std::string& name) {
           return name.starts_with("..");
         });
}

// Parses NAMESPACE/NAME; std::nullopt for another form.
std::optional<inventories::ConfigMapRef> ConfigMapIn(const std::string& text) {
  const std::vector<std::string> parts = base::Split(text, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return {};
  }
  return inventories::ConfigMapRef{.name_space = parts[0], .name = parts[1]};
}

// Returns the text of a flag; std::nullopt if it is empty.
std::optional<std::string> TextIn(const cli::Parsed& flags, std::string_view name) {
  const std::string& text = flags.Text(name);
  return text.empty() ? std::nullopt : std::optional(text);
}

// Returns the flags of the inventory `nodes`.
std::vector<Flag> NodesFlags() {
  return {
      {.name = "nodes-client-allow",
       .type = FlagType::kList,
       .help = "Names of nodes that may get their first certificate with a bootstrap token. Used "
               "with the inventory `nodes`.",
       .value_name = "name,..."},
      {.name = "nodes-allowed-cidrs",
       .type = FlagType::kList,
       .help = "With the inventory `nodes`: the networks of all nodes' addresses. A node may "
               "change its addresses within them. Without it: the node keeps its first addresses.",
       .value_name = "cidr,..."},
      {.name = "nodes-subdomains",
       .type = FlagType::kBool,
       .help = "With the inventory `nodes`: a node may also have DNS names that begin with its own "
               "and a dot."}};
}

// A flag of an inventory, and whether the command line selects this inventory.
struct OwnedFlag {
  const char* flag;
  const char* inventory;
  bool selected;
};

// Throws base::Error(kUsage) for settings that would be ignored, or that match no machine.
void RefuseWithoutEffect(const cli::Parsed& flags, const inventories::InventoryOptions& options) {
  const bool repeats = options.http || !options.exec.empty();
  for (const OwnedFlag& owned :
       {OwnedFlag{"nodes-client-allow", "`nodes`", options.nodes},
        OwnedFlag{"nodes-allowed-cidrs", "`nodes`", options.nodes},
        OwnedFlag{"nodes-subdomains", "`nodes`", options.nodes},
        OwnedFlag{"inventory-http-ca", "`http`", options.http.has_value()},
        OwnedFlag{"inventory-http-credentials", "`http`", options.http.has_value()},
        OwnedFlag{"inventory-exec-args", "`exec`", !options.exec.empty()},
        OwnedFlag{"inventory-dns-servers", "`dns`", options.dns.has_value()},
        OwnedFlag{"inventory-refresh", "`http` or `exec`", repeats},
        OwnedFlag{"inventory-timeout", "`http`, `exec` or `dns`", repeats || options.dns}}) {
    if (!owned.selected && flags.Changed(owned.flag)) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--{} needs the inventory {}", owned.flag, owned.inventory));
    }
  }
  for (const char* flag : {"machine-namespace", "machine-cluster"}) {
    if (options.machines.empty() && !flags.Text(flag).empty()) {
      throw Error(Error::Kind::kUsage, fmt::format("--{} needs the inventory `machines`", flag));
    }
  }
  const bool has_clusters =
      std::ranges::find(options.machines, kClusterApiGroup, &inventories::GroupVersion::group) !=
      options.machines.end();
  if (!options.machine_cluster.empty() && !has_clusters) {
    throw Error(
        Error::Kind::kUsage,
        fmt::format("--machine-cluster needs --api-group-version={}: other Machines name no "
                    "cluster",
                    kClusterApiGroup));
  }
  for (const std::string& name : options.nodes_allowed) {
    if (!base::IsDns1123Subdomain(name)) {
      throw Error(
          Error::Kind::kUsage,
          fmt::format("--nodes-client-allow must be names of nodes, is {}", base::Quoted(name)));
    }
  }
}

}  // namespace

std::vector<Flag> PolicyFlags() {
  return {{.name = "serving-renewal",
           .default_text = "fallback",
           .help = "When the certificate that a kubelet serves now attests its next one: "
                   "fallback (always), without-machine (only where no machine has the node), off.",
           .value_name = "mode"},
          {.name = "ovn-egress-ips",
           .type = FlagType::kBool,
           .help = "With the network type OVNKubernetes, allow the addresses that EgressIP objects "
                   "have given to the node."}};
}

Policy PolicyOf(const cli::Parsed& flags) {
  Policy policy{.ovn_egress = flags.Bool("ovn-egress-ips")};
  const std::string& mode = flags.Text("serving-renewal");
  const auto* row = std::ranges::find(kRenewals, mode, &RenewalRow::text);
  if (row == std::end(kRenewals)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--serving-renewal must be fallback, without-machine or off, is {}",
                            base::Quoted(mode)));
  }
  policy.renewal = row->renewal;
  return policy;
}

std::vector<Flag> WorldFlags() {
  std::vector<Flag> flags = PolicyFlags();
  const std::vector<Flag> more = {
      {.name = "config",
       .help = "A file with nodeClientCert.disabled, which switches approving client certificates "
               "off.",
       .value_name = "file"},
      {.name = "api-group-version",
       .type = FlagType::kList,
       .help = "The API of the Machine objects, as group or group/version. May be given several "
               "times. Without it: machine.openshift.io.",
       .value_name = "group[/version],..."},
      {.name = "apigroup",
       .help = "The API group of the Machine objects. Use --api-group-version instead.",
       .value_name = "group"},
      {.name = "management-cluster-kubeconfig",
       .help = "The kubeconfig of the cluster that has the Machine objects. Without it: this "
               "Pod's cluster.",
       .value_name = "file"},
      {.name = "workload-cluster-kubeconfig",
       .help = "The kubeconfig of the cluster that has everything else. Without it: this Pod's "
               "cluster.",
       .value_name = "file"},
      {.name = "machine-namespace",
       .help = "The namespace of the Machine objects. Without it: all.",
       .value_name = "namespace"},
      {.name = "machine-cluster",
       .help = "The spec.clusterName of this cluster's Machines of cluster.x-k8s.io. Without it "
               "there must be Machines of one cluster only.",
       .value_name = "name"},
      {.name = "renewal-ca-configmap",
       .help = "The ConfigMap whose ca-bundle.crt has signed the certificates that kubelets serve "
               "now, or none. Without it: openshift-config-managed/csr-controller-ca where "
               "Machines of machine.openshift.io attest, else none.",
       .value_name = "namespace/name"},
      {.name = "inventory",
       .type = FlagType::kList,
       .default_text = "machines",
       .help = "Sources that attest machines: machines, nodes, tokens, file, configmap, http, "
               "exec, dns, or several.",
       .value_name = "name,..."},
      {.name = "inventory-file", .help = "The file of the inventory `file`.", .value_name = "file"},
      {.name = "inventory-configmap",
       .help = "The ConfigMap of the inventory `configmap`.",
       .value_name = "namespace/name"},
      {.name = "dial-timeout",
       .type = FlagType::kDuration,
       .default_text = "5s",
       .help = "How long to wait for a kubelet to show its certificate."},
      {.name = "leader-elect-resource-namespace",
       .default_text = "openshift-cluster-machine-approver",
       .help = "The namespace of the lease, of Events, and of the note of used entries."}};
  flags.insert(flags.end(), more.begin(), more.end());
  for (const std::vector<Flag>& group : {QueryFlags(), NodesFlags()}) {
    flags.insert(flags.end(), group.begin(), group.end());
  }
  return flags;
}

std::vector<inventories::GroupVersion> GroupsOf(const cli::Parsed& flags) {
  std::vector<std::string> texts;
  for (const std::string& text : flags.List("api-group-version")) {
    if (!text.empty()) {
      texts.push_back(text);
    }
  }
  if (const std::string& group = flags.Text("apigroup"); !group.empty()) {
    if (!texts.empty()) {
      Wrong("Cannot set both --apigroup and --api-group-version options together.");
    }
    if (group.find('/') != std::string::npos) {
      Wrong(
          fmt::format("unsupported APIGroup {}, allowed values cluster.x-k8s.io, "
                      "machine.openshift.io",
                      group));
    }
    texts.push_back(group);
  }
  if (texts.empty()) {
    texts.emplace_back(kDefaultGroup);
  }
  std::vector<inventories::GroupVersion> groups;
  for (const std::string& text : texts) {
    groups.push_back(ParseGroup(text));
  }
  return groups;
}

controller::Config ConfigOf(const host::Host& host, const cli::Parsed& flags) {
  const std::string& path = flags.Text("config");
  if (path.empty()) {
    return {};
  }
  const auto text = host.files.Find(path);
  if (!text && !IsAbsentConfigMap(host, std::filesystem::path(path).parent_path())) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("configuration file {} is not there: correct --config, or leave it out "
                            "for the defaults",
                            path));
  }
  return base::WithContext("configuration file " + path, [&] {
    return text ? controller::ReadConfig(*text) : controller::Config();
  });
}

MetricsOptions MetricsOptionsOf(const host::Host& host, const cli::Parsed& flags) {
  MetricsOptions options{.host = {},
                         .secure = flags.Bool("metrics-secure"),
                         .cert_dir = TextIn(flags, "metrics-cert-dir")};
  if (!options.secure && options.cert_dir) {
    throw Error(Error::Kind::kUsage, "--metrics-cert-dir needs --metrics-secure");
  }
  SetAddress(host, flags.Text("metrics-bind-address"), options);
  return options;
}

inventories::InventoryOptions InventoriesOf(const host::Host&, const cli::Parsed& flags) {
  const std::vector<std::string>& names = flags.List("inventory");
  if (names.empty()) {
    throw Error(Error::Kind::kUsage,
                "--inventory needs at least one of machines, nodes, tokens, file, configmap, "
                "http, exec and dns: without an inventory nothing is approved");
  }
  for (const std::string& name : names) {
    if (std::ranges::find(kInventories, name) == kInventories.end()) {
      throw Error(
          Error::Kind::kUsage,
          fmt::format("--inventory knows machines, nodes, tokens, file, configmap, http, exec and "
                      "dns, not {}",
                      base::Quoted(name)));
    }
  }
  inventories::InventoryOptions options{.nodes = Has(names, "nodes"),
                                        .tokens = Has(names, "tokens"),
                                        .nodes_allowed = flags.List("nodes-client-allow"),
                                        .file = TextIn(flags, "inventory-file"),
                                        .config_map = {}};
  const std::vector<inventories::GroupVersion> groups = GroupsOf(flags);
  if (Has(names, "machines")) {
    options.machines = groups;
    options.machine_namespace = flags.Text("machine-namespace");
    options.machine_cluster = flags.Text("machine-cluster");
  }
  options.config_map = ConfigMapIn(flags.Text("inventory-configmap"));
  if (Has(names, "file") != options.file.has_value()) {
    throw Error(Error::Kind::kUsage, "the inventory `file` and --inventory-file belong together");
  }
  if (Has(names, "configmap") != options.config_map.has_value()) {
    throw Error(Error::Kind::kUsage,
                "the inventory `configmap` and --inventory-configmap NAMESPACE/NAME belong "
                "together");
  }
  SetQueries(flags, options);
  RefuseWithoutEffect(flags, options);
  return options;
}

void SetRenewalCa(const cli::Parsed& flags, controller::Settings& settings) {
  const std::string& text = flags.Text("renewal-ca-configmap");
  settings.renewal_ca = ConfigMapIn(text);
  if (text.empty()) {
    const auto& apis = settings.inventories.machines;
    const auto api = std::ranges::find(apis, kDefaultGroup, &inventories::GroupVersion::group);
    if (api != apis.end()) {
      settings.renewal_ca = kOpenShiftCa;
      settings.renewal_ca_needs = *api;
    }
  } else if (!settings.renewal_ca && text != "none") {
    throw Error(Error::Kind::kUsage,
                fmt::format("--renewal-ca-configmap must be NAMESPACE/NAME or none, is {}",
                            base::Quoted(text)));
  }
}

controller::Settings WorldSettings(const host::Host& host, const cli::Parsed& flags) {
  controller::Settings settings{
      .policy = PolicyOf(flags),
      .inventories = InventoriesOf(host, flags),
      .leader = {.name_space = flags.Text("leader-elect-resource-namespace")},
      .release_version = {},
      .dial_timeout = Milliseconds(flags, "dial-timeout")};
  if (!base::IsDns1123Label(settings.leader.name_space)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--leader-elect-resource-namespace must be a namespace, is {}",
                            base::Quoted(settings.leader.name_space)));
  }
  if (settings.dial_timeout.count() <= 0) {
    Wrong("--dial-timeout must be at least 1ms");
  }
  settings.policy.client_disabled = ConfigOf(host, flags).client_disabled;
  settings.policy.node_cidrs = NetworksOf(flags);
  settings.policy.node_subdomains = flags.Bool("nodes-subdomains");
  SetRenewalCa(flags, settings);
  const auto& inventories = settings.inventories;
  // Requests of bootstrap tokens' owners are judged only with an inventory that has entries,
  // because no other inventory attests such owners.
  settings.policy.bootstrap_tokens =
      inventories.tokens || !inventories.nodes_allowed.empty() || inventories.file ||
      inventories.config_map || inventories.http || !inventories.exec.empty() || inventories.dns;
  settings.policy.bound_tokens = inventories.tokens;
  return settings;
}

}  // namespace machine_approver
