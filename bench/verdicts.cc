// SPDX-License-Identifier: Apache-2.0
// Measures the approver's throughput: verdicts a second on one thread, among 100, 1,000 and 10,000
// machines. `bench/approver --verdicts` builds and runs it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "judgement/fake_world.h"
#include "requests/store.h"

namespace {

using judgement::FakeWorld;
using requests::Store;
using Clock = std::chrono::steady_clock;

constexpr int kRequests = 500;
constexpr std::chrono::milliseconds kRound{300};
constexpr int kRounds = 5;

std::string NodeName(int number) { return fmt::format("node-{}.example.com", number); }

// Machines, every other of which has its node, and requests of both kinds.
void Fill(Store& store, int machines) {
  const FakeWorld client = FakeWorld::Client();
  const FakeWorld serving = FakeWorld::Serving();
  for (int i = 0; i < machines; ++i) {
    const bool has_node = i % 2 == 1;
    judgement::Machine machine = (has_node ? serving : client).machines.front();
    machine.name = fmt::format("machine-{}", i);
    machine.addresses[0] = {"InternalDNS", NodeName(i)};
    if (has_node) {
      machine.node_ref = NodeName(i);
      store.PutNode({{"metadata", {{"name", NodeName(i)}}}});
    }
    store.PutMachine({.rank = 0, .name_space = "machines", .name = machine.name}, machine);
  }
}

json::Value RequestOf(FakeWorld world, int machine) {
  const std::string user = "system:node:" + NodeName(machine);
  const bool serving = machine % 2 == 1;
  if (serving) {
    world.csr.username = user;
    world.request.names.erase(world.request.names.begin() + 1);
    world.request.names.push_back({0x82, NodeName(machine)});
  }
  world.request.subject = {{pki::kFakeOrganization, "system:nodes"}, {pki::kFakeCommonName, user}};
  return {{"metadata",
           {{"name", fmt::format("csr-{}", machine)},
            {"creationTimestamp", json::FormatRfc3339(world.csr.created)}}},
          {"spec",
           {{"username", world.csr.username},
            {"groups", world.csr.groups},
            {"usages", world.csr.usages},
            {"signerName", world.csr.signer},
            {"request", base::Base64Encode(pki::FakeRequestPem(world.request))}}}};
}

// Returns the highest rate of several rounds, since other processes can only slow a round down.
template <typename Once>
double Best(Once once) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    std::size_t count = 0;
    while (Clock::now() - begin < kRound) {
      count += once();
    }
    best = std::max(best, static_cast<double>(count) /
                              std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

struct Rates {
  double judged;    // with the facts collected
  double gathered;  // with a lookup in the store
};

Rates Measure(int machines) {
  Store store;
  Fill(store, machines);
  std::vector<std::string> names;
  for (int i = 0; i < kRequests; ++i) {
    const int machine = static_cast<int>(std::int64_t{i} * machines / kRequests);
    const json::Value csr =
        RequestOf(machine % 2 == 1 ? FakeWorld::Serving() : FakeWorld::Client(), machine);
    store.PutCsr(csr, false);
    names.push_back(csr["metadata"]["name"].get<std::string>());
  }
  const judgement::Policy policy{.order = judgement::Policy::Order::kCheapest};
  std::vector<requests::Gathered> gathered;
  for (const std::string& name : names) {
    gathered.push_back(*store.Collect(name));
  }
  const auto judge = [&](const judgement::Facts& facts) {
    const auto verdict = judgement::Judge(facts, policy, judgement::Detail::kDecision);
    if (verdict.decision != judgement::Decision::kApprove) {
      fmt::print(stderr, "{} is not approved: {}\n", facts.csr->name, verdict.message);
      std::exit(1);
    }
  };
  return {.judged = Best([&] {
            std::ranges::for_each(gathered, [&](const auto& one) { judge(one.facts); });
            return gathered.size();
          }),
          .gathered = Best([&] {
            std::ranges::for_each(names,
                                  [&](const auto& name) { judge(store.Collect(name)->facts); });
            return names.size();
          })};
}

}  // namespace

int main() {
  json::Value rows = json::Value::array();
  for (const int machines : {100, 1'000, 10'000}) {
    const Rates rates = Measure(machines);
    rows.push_back({{"machines", machines},
                    {"verdicts_per_second", static_cast<std::int64_t>(rates.judged)},
                    {"with_lookup_per_second", static_cast<std::int64_t>(rates.gathered)}});
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ratio = [&](const char* what) {
    return rows[0][what].get<double>() / rows[2][what].get<double>();
  };
  fmt::print("{}\n", json::Compact(json::Value{
                         {"rows", rows},
                         {"cost_at_10000_over_100", ratio("verdicts_per_second")},
                         {"with_lookup_10000_over_100", ratio("with_lookup_per_second")},
                         {"peak_mib", usage.ru_maxrss / 1024}}));
}
