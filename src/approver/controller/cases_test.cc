// SPDX-License-Identifier: Apache-2.0
// Replays upstream's recorded decisions. Skipped if the records are not next to the checkout.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "controller/judge_input.h"
#include "http/fake_server.h"
#include "inventories/machine_source.h"
#include "json/rfc3339.h"
#include "judgement/hopeless.h"
#include "judgement/names.h"
#include "judgement/renewal.h"
#include "reports/objects.h"
#include "requests/store.h"

namespace controller {
namespace {

using evidence::CurrentOf;
using evidence::DecodeCsr;
using evidence::DecodedCsr;
using evidence::DecodeHostSubnet;
using evidence::DecodeNode;
using evidence::InternalIpOf;
using evidence::KubeletDialer;
using evidence::TimeOf;
using judgement::Contains;
using judgement::CurrentCertificate;
using judgement::DecisionText;
using judgement::Egress;
using judgement::EgressProblem;
using judgement::Holds;
using judgement::HopelessVerdict;
using judgement::RenewalProblem;
using judgement::SameMultiset;
using judgement::Verdict;
using reports::OperatorStatus;
using requests::CountsAt;
using requests::MaxPending;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'790'000'000)};

std::string Text(const json::Value& value, const char* name) { return json::TextAt(value, {name}); }

std::vector<std::string> Texts(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list) {
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

// Serves the case's certificate on a free port, and sets this port in the case's nodes.
class Kubelet {
 public:
  explicit Kubelet(json::Value& inputs) {
    const json::Value& kubelet = json::At(inputs, {"kubelet"});
    if (kubelet.is_null()) {
      return;
    }
    server_ = std::make_unique<http::FakeServer>(
        [](const http::FakeRequest&) { return http::FakeReply{}; },
        http::FakeTls{.certificate_pem = Text(kubelet, "certPEM"),
                      .key_pem = Text(kubelet, "keyPEM"),
                      .client_ca_pem = {}});
    const std::string listen = Text(kubelet, "listen");
    const int port = std::stoi(listen.substr(listen.rfind(':') + 1));
    for (json::Value& node : inputs["nodes"]) {
      json::Value& given = node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"];
      given = given == port ? server_->port() : 1;
    }
  }

 private:
  std::unique_ptr<http::FakeServer> server_;
};

std::string AuthorizeCsr(json::Value inputs) {
  const Kubelet kubelet(inputs);
  const Verdict verdict =
      JudgeInput(inputs, {.policy = {}, .now = kNow, .dial_timeout = std::chrono::seconds(10)});
  return fmt::format("{} {}", DecisionText(verdict.decision), NameOf(verdict.reason));
}

// Returns whether the request is terminal, so that the controller would evict it.
bool IsHopeless(const json::Value& inputs) {
  const DecodedCsr decoded = DecodeCsr(inputs.at("csr"));
  return HopelessVerdict(decoded.csr, pki::ReadRequest(decoded.request_pem), true).has_value();
}

std::string Wanted(const json::Value& expected) {
  return Text(expected, "decision") + " " + Text(expected, "reason");
}

std::optional<CurrentCertificate> Current(const json::Value& inputs) {
  const std::string pem = Text(inputs, "currentCertPEM");
  const json::Value& time = json::At(inputs, {"verifyTime"});
  if (pem.empty()) {
    return {};
  }
  return CurrentOf(pki::Certificate::FromPem(pem), pki::LenientChain(Text(inputs, "caBundle")),
                   time.is_null() ? kNow : *json::ParseRfc3339(time.get<std::string>()));
}

bool RenewalHolds(const json::Value& inputs, bool with_egress) {
  const auto current = Current(inputs);
  const auto request = pki::ReadRequest(Text(inputs, "csrPEM"));
  if (!current || !request) {
    return false;
  }
  const std::string node = Text(inputs, "nodeName");
  if (!with_egress) {
    return !RenewalProblem(*request, *current, node);
  }
  const json::Value& subnets = inputs.at("hostSubnets");
  const judgement::Known<Egress> egress = subnets.empty()
                                              ? judgement::Known<Egress>(std::unexpect, "none")
                                              : DecodeHostSubnet(subnets.front());
  return !EgressProblem(*request, *current, node, egress);
}

std::size_t PendingOf(const json::Value& inputs) {
  const auto now = TimeOf(inputs.at("now"));
  return static_cast<std::size_t>(std::ranges::count_if(
      inputs.at("csrs"),
      [&](const json::Value& csr) { return CountsAt(DecodeCsr(csr).csr, false, now); }));
}

std::string ServingCertificate(json::Value inputs) {
  const Kubelet kubelet(inputs);
  const auto bundle = pki::LenientChain(Text(inputs, "caBundle"));
  if (bundle.empty() || inputs["nodes"].empty()) {
    return "";
  }
  const KubeletDialer dialer{
      .bundle = bundle, .now = kNow, .stop = {}, .rules = {.loopback = true}};
  const auto dialled = dialer.Dial(DecodeNode(inputs["nodes"].front()));
  return dialled ? dialled->common_name : "";
}

bool IsSubset(const json::Value& inputs) {
  const auto allowed = Texts(inputs.at("super"));
  const auto cidrs = Texts(inputs.at("cidrs"));
  return std::ranges::all_of(Texts(inputs.at("sub")), [&](const std::string& ip) {
    return Contains(allowed, ip) || std::ranges::any_of(cidrs, [&](const std::string& cidr) {
             return Holds(net::Cidr::Parse(cidr).value(), net::IpAddress::Parse(ip).value());
           });
  });
}

json::Value WithoutTimes(json::Value status) {
  for (json::Value& condition : status["conditions"]) {
    condition.erase("lastTransitionTime");
  }
  status.erase("extension");
  return status;
}

json::Value OperatorStatusOf(const json::Value& inputs) {
  return WithoutTimes(OperatorStatus(json::At(inputs, {"clusterOperator", "status"}),
                                     json::TextAt(inputs, {"env", "RELEASE_VERSION"}), kNow));
}

// Returns whether a case passes; std::nullopt for a function that is tested elsewhere.
std::optional<bool> Holds(const std::string& function, const json::Value& inputs,
                          const json::Value& expected) {
  if (function == "authorizeCSR") {
    return AuthorizeCsr(inputs) == Wanted(expected) &&
           (Text(expected, "decision") != "approve" || !IsHopeless(inputs));
  }
  if (function == "authorizeServingRenewal" || function == "authorizeServingRenewalWithEgressIPs") {
    return RenewalHolds(inputs, function.ends_with("IPs")) == expected.at("ok");
  }
  if (function == "getServingCert") {
    return ServingCertificate(inputs).empty() != expected.at("ok").get<bool>();
  }
  if (function == "recentlyPendingNodeCSRs") {
    return PendingOf(inputs) == expected.at("pending");
  }
  if (function == "getMaxPending") {
    return MaxPending(inputs.at("machines").size(), inputs.at("nodes").size()) ==
           expected.at("maxPending");
  }
  if (function == "nodeInternalIP") {
    return InternalIpOf(DecodeNode(inputs.at("node"))).value_or("") ==
           expected.at("ip").get<std::string>();
  }
  if (function.starts_with("equal")) {
    return SameMultiset(Texts(inputs.at("a")), Texts(inputs.at("b"))) == expected.at("equal");
  }
  if (function == "subsetIPAddresses") {
    return IsSubset(inputs) == expected.at("subset");
  }
  if (function == "clusterOperatorStatus") {
    // In upstream's status, an Available message without a version ends in a space.
    return OperatorStatusOf(inputs) == WithoutTimes(expected.at("status"));
  }
  return {};
}

// Functions that other tests cover: machine_source_test tests listMachines, and pki's request_test
// tests how names are collected.
const std::map<std::string, int> kElsewhere = {
    {"listMachines", 2}, {"csrSANs", 2}, {"certSANs", 2}};

TEST(RecordedCases, AreJudgedAsRecorded) {
  const auto path = std::filesystem::path(PROJECT_DIR).parent_path() / "shared/approver/cases.json";
  std::ifstream file(path);
  if (!file) {
    GTEST_SKIP() << "no recorded cases beside this checkout";
  }
  const json::Value cases = json::Parse(std::string{std::istreambuf_iterator<char>(file), {}});
  std::map<std::string, int> elsewhere;
  for (const json::Value& one : cases.at("cases")) {
    const std::string function = Text(one, "function");
    const auto holds = Holds(function, one.at("inputs"), one.at("expected"));
    if (!holds) {
      ++elsewhere[function];
      continue;
    }
    EXPECT_TRUE(*holds) << Text(one, "id") << "\nwant " << json::Compact(one.at("expected"))
                        << "\ngot "
                        << (function == "authorizeCSR" ? AuthorizeCsr(one.at("inputs")) : "");
  }
  EXPECT_EQ(elsewhere, kElsewhere);
}

}  // namespace
}  // namespace controller
