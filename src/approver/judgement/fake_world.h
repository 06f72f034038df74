// SPDX-License-Identifier: Apache-2.0
// A world in which a request is approved, for tests that change one fact at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judgement/judge.h"
#include "judgement/machines.h"
#include "pki/fake_request.h"

namespace judgement {

// Parses networks.
std::vector<net::Cidr> Networks(const std::vector<std::string>& texts);

// The facts around one request. Change its members, then judge.
struct FakeWorld {
  Csr csr;
  pki::FakeRequestSpec request;
  std::string pem;  // if not empty, used instead of `request`
  std::vector<Machine> machines;
  std::vector<std::string> nodes;
  Policy policy;
  Problem machines_problem;
  std::vector<ApprovedRequest> in_flight;
  std::optional<std::string> newer;
  bool has_ca = false;
  std::optional<Dialled> current;
  std::optional<Known<std::string>> network = "";
  std::optional<Known<Egress>> host_subnet;
  std::optional<Known<Egress>> egress_ips;
  std::vector<Claim> claims;
  std::optional<Known<Reserved>> reserved;
  std::optional<Known<NodeBinding>> binding;

  // Client: the machine bootstrapper requests a certificate for panda, a Machine without a node.
  static FakeWorld Client();
  // NodeItself: node panda requests panda, 10.0.0.1 and fd00::1, which its own Node attests.
  static FakeWorld NodeItself();
  // Serving: node panda requests panda, panda.local, 10.0.0.1 and fd00::1, which its Machine has.
  static FakeWorld Serving();

  Verdict Judged() const;
  // Returns the decision and the reason, for example "approve client-ok".
  std::string Outcome() const;
};

inline constexpr Time kMachineMade{std::chrono::seconds(1'700'000'000)};

}  // namespace judgement
