// SPDX-License-Identifier: Apache-2.0
// The single checks of the lists in checks.h: the collection of their facts. verdicts.h has their
// judgements. Internal to this library.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "preflight/checks.h"
#include "preflight/verdicts.h"
#include "releases/releases.h"

namespace preflight {

// Runs `kubelet --version` once, however many checks need it.
class KubeletProgram {
 public:
  explicit KubeletProgram(host::Host& host) : host_(host) {}
  KubeletVersion Version();

 private:
  host::Host& host_;
  std::once_flag asked_;
  KubeletVersion version_;
};
// Shared: the checks of one list use it from different threads and outlive the list's builder.
using KubeletProgramPtr = std::shared_ptr<KubeletProgram>;

Check ProcessorsCheck(host::Host& host);
Check MemoryCheck(host::Host& host);
Check KubernetesVersionCheck(const std::string& requested);
Check FirewalldCheck(host::Host& host, std::vector<int> ports);
// `address` is the component's bind address, "" for all addresses.
Check PortCheck(host::Host& host, const std::string& address, int port);
Check FileAvailableCheck(host::Host& host, const std::string& path);
Check DirAvailableCheck(host::Host& host, const std::string& path);
// The check is called `name`: several files may share one name.
Check FileExistsCheck(host::Host& host, const std::string& name, const std::string& path);
Check SwitchCheck(host::Host& host, const std::string& path);
Check ExecutableCheck(host::Host& host, const std::string& name);
// For releases whose kubelet runs getent (releases::Release::wants_getent).
using FindRelease = std::function<const releases::Release&()>;
Check GetentCheck(host::Host& host, FindRelease release);
// Checks whether https connections to `host_name` (a name or an address) use a proxy.
Check ProxyCheck(host::Host& host, const std::string& host_name);
Check CidrProxyCheck(host::Host& host, const std::string& cidr);
Check RuntimeCheck(const Sources& sources, const std::string& endpoint);
// Applies the rules of the release that `release` returns: releases without such a check query
// nothing.
Check RuntimeVersionCheck(const Sources& sources, const std::string& endpoint, FindRelease release);
// Warns unless the configuration lets the kubelet run with swap.
Check SwapCheck(host::Host& host, KubeletSwap kubelet);
// `upgraded_to` is the control plane's version for a kubelet that will follow, one minor version
// newer than it is at most; "" for one that stays.
Check SystemCheck(host::Host& host, KubeletProgramPtr kubelet, const std::string& upgraded_to);
Check HostnameCheck(host::Host& host, const std::string& name);
// `kubernetes` is the control plane's version, "" if it is unknown.
Check KubeletVersionCheck(KubeletProgramPtr kubelet, const std::string& kubernetes);
Check ServiceCheck(host::Host& host, const std::string& name);
// `services` and `pods` are networks, in the order of the configuration.
Check FamiliesCheck(const config::Init& config, std::vector<std::string> services,
                    std::vector<std::string> pods);
// Refuses a local etcd whose certificates are, or would be, for ML-DSA keys.
Check EtcdKeyAlgorithmCheck(host::Host& host, const config::ClusterConfiguration& cluster);
Check SigningCertificateCheck(host::Host& host, const config::ClusterConfiguration& cluster);
Check ExternalEtcdCheck(host::Host& host, const config::ExternalEtcd& etcd);

}  // namespace preflight
