// SPDX-License-Identifier: Apache-2.0
#include "controller/judge_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "controller/config.h"
#include "json/budget.h"
#include "json/lines.h"
#include "judgement/machines.h"
#include "judgement/names.h"
#include "requests/in_flight.h"
#include "requests/newest.h"
#include "requests/store.h"

namespace controller {
namespace {

using base::Error;
using controller::ReadConfig;
using evidence::DecodeCsr;
using evidence::DecodedCsr;
using evidence::DecodeHostSubnet;
using evidence::DecodeMachine;
using evidence::DecodeNode;
using evidence::KubeletDialer;
using evidence::Settle;
using evidence::TimeOf;
using judgement::DecisionText;
using judgement::Detail;
using judgement::Dialled;
using judgement::Egress;
using judgement::Facts;
using judgement::FoldedName;
using judgement::Judge;
using judgement::Known;
using judgement::MachineIndex;
using judgement::MachinePtr;
using judgement::Node;
using judgement::NodeLookup;
using judgement::NodeOf;
using judgement::ParsedRequest;
using judgement::Policy;
using judgement::Rule;
using judgement::SameName;
using judgement::Verdict;
using requests::InFlight;
using requests::Newest;

// The maximum number of copies of an object in an input.
constexpr int kMostCopies = 1'000'000;

constexpr std::array<std::string_view, 2> kGroups = {"machine.openshift.io", "cluster.x-k8s.io"};

// Returns a list of the input with its repeated objects ("machines", "machinesRepeat").
std::vector<json::Value> Items(const json::Value& input, const std::string& list) {
  std::vector<json::Value> items;
  if (const json::Value& given = json::At(input, {list}); given.is_array()) {
    items.assign(given.begin(), given.end());
  }
  const json::Value& repeats = json::At(input, {list + "Repeat"});
  for (const json::Value& repeat : repeats.is_array() ? repeats : json::Value::array({repeats})) {
    const json::Value& count = json::At(repeat, {"count"});
    const int copies = count.is_number_integer() ? std::min(count.get<int>(), kMostCopies) : 0;
    for (int i = 0; i < copies; ++i) {
      json::Value object = json::At(repeat, {"object"});
      if (!object.is_object()) {
        object = json::Value::object();
      }
      if (!json::At(object, {"metadata"}).is_object()) {
        object["metadata"] = json::Value::object();
      }
      object["metadata"]["name"] = json::TextAt(repeat, {"namePrefix"}) + std::to_string(i);
      items.push_back(std::move(object));
    }
  }
  return items;
}

// Returns the HTTP status with which a GET of the path fails; std::nullopt if the GET succeeds.
std::optional<int> FaultOf(const json::Value& input, const std::string& path) {
  const json::Value& faults = json::At(input, {"faults"});
  for (const json::Value& fault : faults.is_array() ? faults : json::Value::array()) {
    const std::string method = json::TextAt(fault, {"method"});
    const json::Value& status = json::At(fault, {"status"});
    if ((method.empty() || base::ToLower(method) == "get") &&
        json::TextAt(fault, {"path"}) == path) {
      return status.is_number_integer() ? status.get<int>() : 500;
    }
  }
  return {};
}

std::string GroupOf(const json::Value& machine) {
  const std::string version = json::TextAt(machine, {"apiVersion"});
  return version.substr(0, version.find('/'));
}

// Returns whether the API group is served. Without the member "discovery", both groups are served.
bool GroupIsServed(const json::Value& input, std::string_view group) {
  const json::Value& discovery = json::At(input, {"discovery"});
  return !discovery.is_object() || discovery.contains(std::string(group));
}

// A decoded input, with the lookups that it answers.
class InputWorld {
 public:
  InputWorld(const json::Value& input, const JudgeOptions& options)
      : input_(input), options_(options) {
    if (!input.is_object()) {
      throw Error(Error::Kind::kInvalid, "an input must be a JSON object");
    }
    const json::Value& csr = json::At(input, {"csr"});
    if (csr.is_object()) {
      decoded_ = DecodeCsr(csr);
      request_ = pki::ReadRequest(decoded_.request_pem);
      facts_.csr = &decoded_.csr;
      facts_.request = &*request_;
    }
    ReadPolicy();
    ReadMachines();
    for (const json::Value& node : Items(input, "nodes")) {
      nodes_.push_back(DecodeNode(node));
    }
    bundle_ = pki::LenientChain(json::TextAt(input, {"caBundle"}));
    facts_.has_ca = !bundle_.empty();
    if (request_ && *request_) {
      FillFacts();
    }
  }

  Verdict Judge() {
    return Settle(facts_, policy_, Detail::kAll,
                  {.dial = [this](const std::string& node) { return Dial(node); },
                   .network = [this] { return FindNetwork(); },
                   .host_subnet = [this](const std::string& node) { return FindSubnet(node); },
                   .egress_ips =
                       [](const std::string&) {
                         return Known<Egress>(std::unexpect, "no EgressIPs in the input");
                       },
                   .reserved = {},  // Nodes of an input do not attest themselves
                   .binding = {}});
  }

 private:
  void ReadPolicy() {
    policy_ = options_.policy;
    const json::Value& config = json::At(input_, {"config"});
    try {
      policy_.client_disabled = ReadConfig(json::Compact(config)).client_disabled;
    } catch (const Error&) {
      policy_.client_disabled = true;  // a malformed configuration disables client approvals
    }
  }

  void ReadMachines() {
    const json::Value& management = json::At(input_, {"managementCluster"});
    const std::vector<json::Value> items =
        Items(management.contains("machines") ? management : input_, "machines");
    try {
      int at = 0;
      for (const json::Value& item : items) {
        AddMachine(item, at++);
      }
    } catch (const Error& error) {
      facts_.machines_problem = error.message();
    }
    for (const std::string_view group : kGroups) {
      for (const std::string_view version : {"v1beta1", "v1beta2", "v1"}) {
        if (const auto fault =
                FaultOf(input_, fmt::format("/apis/{}/{}/machines", group, version))) {
          facts_.machines_problem = fmt::format("listing the machines of {}: {}", group, *fault);
        }
      }
    }
  }

  // Adds a Machine. Within each group, Machines keep the order of the input.
  void AddMachine(const json::Value& item, int position) {
    const std::string group = GroupOf(item);
    const auto* known = std::ranges::find(kGroups, group);
    const int rank = static_cast<int>(known - kGroups.begin());
    if (GroupIsServed(input_, group)) {
      machines_.Put({.rank = rank, .name_space = fmt::format("{:010}", position), .name = {}},
                    DecodeMachine(item, group));
    }
  }

  void FillFacts() {
    const std::string node = NodeOf(decoded_.csr, **request_);
    held_ = machines_.Named(node);
    for (const MachinePtr& machine : held_) {
      facts_.named.push_back(machine.get());
    }
    for (const MachinePtr& machine : machines_.Owning(node)) {
      facts_.owning.push_back(machine.get());
      held_.push_back(machine);
    }
    const bool there =
        std::ranges::any_of(nodes_, [&](const Node& known) { return SameName(known.name, node); });
    FillOtherRequests(FoldedName(node));
    facts_.node = there ? NodeLookup::kPresent : NodeLookup::kAbsent;
    if (const auto fault = FaultOf(input_, "/api/v1/nodes/" + node)) {
      facts_.node = *fault == 404 ? NodeLookup::kAbsent : NodeLookup::kFailed;
      facts_.node_problem = fmt::format("looking up node {}: {}", node, *fault);
    }
  }

  void FillOtherRequests(const std::string& node) {
    InFlight in_flight;
    Newest newest;
    for (const json::Value& other : Items(input_, "csrs")) {
      in_flight.Put(other, policy_.bootstrap_tokens);
      const auto pending = requests::ReadPending(other, policy_.bootstrap_tokens);
      if (pending && !pending->hopeless) {
        newest.Add(pending->csr, pending->node);
      }
    }
    facts_.in_flight = in_flight.Others({decoded_.csr, *request_, node}, options_.now);
    facts_.newer = newest.After(decoded_.csr, node);
  }

  Dialled Dial(const std::string& name) const {
    const auto node = std::ranges::find(nodes_, name, &Node::name);
    const auto fault = FaultOf(input_, "/api/v1/nodes/" + name);
    if (node == nodes_.end() || fault) {
      return std::unexpected(fmt::format("there is no node {}", name));
    }
    const json::Value& verify_time = json::At(input_, {"verifyTime"});
    const KubeletDialer dialer{.bundle = bundle_,
                               .now = verify_time.is_null() ? options_.now : TimeOf(verify_time),
                               .timeout = options_.dial_timeout,
                               .stop = {},
                               .rules = {.loopback = true}};
    return dialer.Dial(*node);
  }

  const json::Value* FindObject(const std::string& list, const std::string& name) const {
    const json::Value& absent = json::At(input_, {"noOpenShiftAPIs"});
    const json::Value& items = json::At(input_, {list});
    if (!items.is_array() || (absent.is_boolean() && absent.get<bool>())) {
      return nullptr;
    }
    const auto found = std::ranges::find_if(items, [&](const json::Value& item) {
      return json::TextAt(item, {"metadata", "name"}) == name;
    });
    return found == items.end() ? nullptr : &*found;
  }

  Known<std::string> FindNetwork() const {
    const json::Value* network = FindObject("networks", "cluster");
    const auto fault = FaultOf(input_, "/apis/config.openshift.io/v1/networks/cluster");
    if (network == nullptr || fault) {
      return std::unexpected(
          fmt::format("the cluster's network is not known: {}", fault.value_or(404)));
    }
    return json::TextAt(*network, {"status", "networkType"});
  }

  Known<Egress> FindSubnet(const std::string& node) const {
    const json::Value* subnet = FindObject("hostSubnets", node);
    const auto fault = FaultOf(input_, "/apis/network.openshift.io/v1/hostsubnets/" + node);
    if (subnet == nullptr || fault) {
      return std::unexpected(
          fmt::format("there is no HostSubnet {}: {}", node, fault.value_or(404)));
    }
    return DecodeHostSubnet(*subnet);
  }

  const json::Value& input_;
  const JudgeOptions& options_;
  Policy policy_;
  DecodedCsr decoded_;
  std::optional<ParsedRequest> request_;
  MachineIndex machines_;
  std::vector<MachinePtr> held_;  // keeps the objects that the facts point to
  std::vector<Node> nodes_;
  std::vector<pki::Certificate> bundle_;
  Facts facts_;
};

}  // namespace

Verdict JudgeInput(const json::Value& input, const JudgeOptions& options) {
  const bool wrapped = input.is_object() && input.contains("inputs");
  return InputWorld(wrapped ? input["inputs"] : input, options).Judge();
}

std::string VerdictLine(const Verdict& verdict) {
  json::Ordered line;
  line["decision"] = DecisionText(verdict.decision);
  line["reason"] = NameOf(verdict.reason);
  line["rules"] = json::Ordered::array();
  for (const Rule& rule : verdict.rules) {
    json::Ordered row;
    row["rule"] = rule.rule;
    row["passed"] = rule.passed;
    row["compared"] = json::WithValidUtf8(rule.compared);
    line["rules"].push_back(std::move(row));
  }
  return json::Compact(line);
}

// The maximum size of an input in bytes. A record of ten thousand requests needs half of it.
constexpr std::size_t kMostInput = std::size_t{128} << 20;

std::vector<json::Value> SplitInputs(std::string_view text) {
  if (base::Trim(text).empty()) {
    return {};
  }
  std::optional<Error> whole_error;
  try {
    json::Budget budget(kMostInput);
    json::Value whole = json::Parse(text, budget);
    return whole.is_array() ? std::move(whole.get_ref<json::Value::array_t&>())
                            : std::vector<json::Value>{std::move(whole)};
  } catch (const Error& error) {
    whole_error = error;
  }
  std::vector<json::Value> inputs;
  json::Budget budget(kMostInput);
  json::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    if (number == 1 && base::Trim(line) == "{") {
      throw *whole_error;  // the input is one multi-line object
    }
    inputs.push_back(base::WithContext(fmt::format("input line {}", number),
                                       [&] { return json::Parse(line, budget); }));
  });
  return inputs;
}

}  // namespace controller
