// SPDX-License-Identifier: Apache-2.0
// The steps from a request to a verdict: judge, look up the wanted facts, judge again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "evidence/decode.h"
#include "evidence/dial_rules.h"
#include "judgement/judge.h"
#include "pki/certificate.h"

namespace evidence {

// Functions that look up facts over the network. Each function is called at most once per verdict.
struct Lookups {
  std::function<judgement::Dialled(const std::string& node)> dial;
  std::function<judgement::Known<std::string>()> network;
  std::function<judgement::Known<judgement::Egress>(const std::string& node)> host_subnet;
  std::function<judgement::Known<judgement::Egress>(const std::string& node)> egress_ips;
  std::function<judgement::Known<judgement::Reserved>()> reserved;
  // Returns the binding of the node, and other owners of its addresses (canonical).
  std::function<judgement::Known<judgement::NodeBinding>(const std::string& node,
                                                         const std::vector<std::string>& ips)>
      binding;
};

judgement::Verdict Settle(judgement::Facts& facts, const judgement::Policy& policy,
                          judgement::Detail detail, const Lookups& lookups);

// Queries kubelets for their serving certificate.
struct KubeletDialer {
  std::vector<pki::Certificate> bundle;
  std::chrono::sys_seconds now;
  std::chrono::milliseconds timeout{5'000};
  std::stop_token stop;
  DialRules rules;

  // Connects to the node's first InternalIP and the kubelet's port. Returns the certificate that
  // the kubelet serves. Returns an error if the rules forbid the connection, if it fails, or if the
  // certificate is not valid. A valid certificate is signed by a certificate of the bundle, and is
  // valid now for this address and for server authentication.
  judgement::Dialled Dial(const judgement::Node& node) const;
};

// Returns a kubelet's certificate in the judgement's form.
judgement::CurrentCertificate CurrentOf(const pki::Certificate& certificate,
                                        const std::vector<pki::Certificate>& bundle,
                                        std::chrono::sys_seconds now);

}  // namespace evidence
