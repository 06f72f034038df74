// SPDX-License-Identifier: Apache-2.0
// Compares our reading of requests with Go's: the API server and the signer are written in Go, and
// the signed request must be the judged one. For every PEM file Go also finds the same blocks, and
// the same key: files are shared with programs that are written in Go.
//
//   request_vs_go GOCSR replay DIRECTORY...        tricks, requests of Go's kubelets, and files
//   request_vs_go GOCSR mutate SEED COUNT DIR...   the same, changed at random COUNT times
//
// Prints counts, and each input in which the two differ; exits 1 when there is one.
#include <fmt/core.h>

#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

#include "base/error.h"
#include "base/strings.h"
#include "go_reader.h"
#include "judgement/judge.h"
#include "judgement/names.h"
#include "net/ip_address.h"
#include "pki/certificate.h"
#include "pki/fake_request.h"
#include "pki/key.h"
#include "pki/pem_block.h"
#include "pki/pem_text.h"
#include "pki/request.h"
#include "request_mutator.h"
#include "request_tricks.h"

namespace {

constexpr std::string_view kLabel = "CERTIFICATE REQUEST";

// The fields of a request, in gocsr's forms and order; without "SIGNED".
std::vector<std::string> Fields(const pki::Request& request) {
  std::vector<std::string> fields = {request.is_version_0 ? "VERSION=0" : "VERSION=other",
                                     "CN=" + request.common_name};
  const auto add = [&](const std::string& kind, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      fields.push_back(kind + value);
    }
  };
  add("O=", request.organizations);
  add("ATTRIBUTE=", request.other_attributes);
  add("DNS=", request.names.dns);
  add("MAIL=", request.names.emails);
  fields.insert(fields.end(), request.names.uris.size(), "URI");
  for (const std::string& ip : request.names.ips) {
    const net::IpAddress::Bytes address = net::IpAddress::Parse(ip).value().Mapped();
    fields.push_back(
        "IP=" + base::HexEncode({reinterpret_cast<const char*>(address.data()), address.size()}));
  }
  for (const std::string& extension : request.other_extensions) {
    if (!extension.starts_with("2.5.29.17 ")) {  // critical names: names for Go, no kubelet's here
      fields.push_back("EXTENSION=" + extension.substr(0, extension.find(' ')));
    }
  }
  return fields;
}

bool ApprovesWhateverItsMachineHas(const judgement::ParsedRequest& request, judgement::Csr csr,
                                   bool serving) {
  const std::string node = judgement::NodeNameOf(request->common_name).value_or("");
  judgement::Machine machine;
  machine.addresses = {{"InternalDNS", node}};
  for (const std::string& name : request->names.dns) {
    machine.addresses.push_back({"Hostname", name});
  }
  for (const std::string& ip : request->names.ips) {
    machine.addresses.push_back({"InternalIP", ip});
  }
  judgement::Facts facts;
  facts.csr = &csr;
  facts.request = &request;
  facts.network = "";
  if (serving) {
    machine.node_ref = node;
    facts.owning = {&machine};
  } else {
    facts.named = {&machine};
  }
  return judgement::Judge(facts, {}, judgement::Detail::kDecision).decision ==
         judgement::Decision::kApprove;
}

// Returns the public half of the file's private key; "" without one.
std::string PublicHalf(const std::string& text) {
  try {
    return pki::PrivateKey::FromPem(text).Public().Der();
  } catch (const base::Error&) {
    return "";
  }
}

bool HasCertificates(const std::string& text) {
  try {
    return !pki::Certificate::ChainFromPem(text).empty();
  } catch (const base::Error&) {
    return false;
  }
}

// Returns true if some cluster would approve the request: one whose Machine has all names.
bool CanBeApproved(const judgement::ParsedRequest& request) {
  judgement::Csr client;
  client.username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
  client.groups = {"system:serviceaccounts:openshift-machine-config-operator",
                   "system:serviceaccounts", "system:authenticated"};
  client.usages = {"digital signature", "client auth"};
  judgement::Csr serving;
  serving.username = request->common_name;
  serving.groups = {"system:nodes", "system:authenticated"};
  serving.usages = {"digital signature", "server auth"};
  return ApprovesWhateverItsMachineHas(request, client, false) ||
         ApprovesWhateverItsMachineHas(request, serving, true);
}

// Compares inputs with Go's reading and counts the results.
class Comparison {
 public:
  explicit Comparison(const std::string& gocsr) : go_(gocsr, "read"), go_blocks_(gocsr, "blocks") {}

  void Try(const std::string& name, const std::string& text) {
    ++counts_["texts"];
    CompareBlocks(name, text);
    const judgement::ParsedRequest request = pki::ReadRequest(text);
    if (!request) {
      ++counts_["refused"];
      return;
    }
    const bool approved = CanBeApproved(request);
    ++counts_[approved ? "approved" : "read and not approved"];
    Note(name, Difference(*request, approved, text), text);
  }

  std::size_t Count(const std::string& what) { return counts_[what]; }

  // Prints the results. Returns true without findings, if at least one request
  // was approved.
  bool Report() {
    for (const auto& [what, count] : counts_) {
      fmt::print("{}: {}\n", what, count);
    }
    return counts_["findings"] == 0 && counts_["approved"] > 0;
  }

 private:
  std::string Difference(const pki::Request& request, bool approved, const std::string& text) {
    fuzz::GoReading reading = go_.Read(text);
    if (reading.block != pki::OnlyPemBlock(text, kLabel).value_or("") ||
        (reading.kind != "bad" && reading.kind != "read")) {
      return "Go takes another block: " + reading.kind;
    }
    if (reading.kind == "bad") {
      return approved ? "Go cannot read what is approved here: " + base::Join(reading.fields, " ")
                      : "";
    }
    const bool holds = std::erase(reading.fields, "SIGNED") > 0;
    if (approved && !holds) {
      return "Go finds the signature of what is approved here wrong";
    }
    const std::vector<std::string> ours = Fields(request);
    // Go prints names in unusual places as words; such requests are never approved.
    const bool hides = !approved && !request.names.others.empty();
    return reading.fields == ours || hides
               ? ""
               : fmt::format("Go reads {}, here {} is read", base::QuotedList(reading.fields),
                             base::QuotedList(ours));
  }

  void CompareBlocks(const std::string& name, const std::string& text) {
    const fuzz::GoReading reading = go_blocks_.Read(text);
    std::vector<std::string> ours;
    pki::ForEachPemBlock(text, [&](const pki::PemBlock& block) {
      ours.insert(ours.end(), {std::string(block.label), block.has_headers ? "headers" : "",
                               std::string(block.bytes)});
      return true;
    });
    Note(name, ours == reading.fields ? "" : "Go finds other blocks of PEM", text);
    const std::string half = PublicHalf(text);
    Note(name, half.empty() || half == reading.block ? "" : "Go does not read this private key",
         text);
    Note(name, HasCertificates(text) ? reading.kind : "", text);
  }

  void Note(const std::string& name, const std::string& difference, const std::string& text) {
    if (!difference.empty()) {
      ++counts_["findings"];
      fmt::print("FINDING {}: {}\n{}\n", name, difference, base::Quoted(text));
    }
  }

  fuzz::GoReader go_;
  fuzz::GoReader go_blocks_;
  std::map<std::string, std::size_t> counts_;
};

// Returns all initial inputs, by name.
std::vector<fuzz::Trick> Pool(const std::string& gocsr, std::span<char*> directories) {
  std::vector<fuzz::Trick> pool = fuzz::RequestTricks();
  int number = 0;
  for (std::string& made : fuzz::GoReader::Made(gocsr, 32)) {
    pool.push_back({fmt::format("kubelet {}", number++), std::move(made)});
  }
  for (const char* directory : directories) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(file), {}};
      pool.push_back({entry.path().string() + ", wrapped", pki::PemOf(kLabel, text)});
      pool.push_back({entry.path().string(), std::move(text)});
    }
  }
  return pool;
}

std::uint64_t Number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int Replay(const std::string& gocsr, const std::vector<fuzz::Trick>& pool) {
  Comparison comparison(gocsr);
  bool all_kubelets = true;
  for (const fuzz::Trick& trick : pool) {
    const std::size_t before = comparison.Count("approved");
    comparison.Try(trick.name, trick.text);
    if (trick.name.starts_with("kubelet ") && comparison.Count("approved") == before) {
      fmt::print("FINDING {}: what Go's kubelets ask for is not approved\n", trick.name);
      all_kubelets = false;
    }
  }
  return comparison.Report() && all_kubelets ? 0 : 1;
}

int Mutate(const std::string& gocsr, const std::vector<fuzz::Trick>& pool, std::uint64_t seed,
           std::uint64_t count) {
  std::vector<std::string> texts;
  for (const fuzz::Trick& trick : pool) {
    texts.push_back(trick.text);
  }
  fuzz::RequestMutator mutator(seed, std::move(texts));
  Comparison comparison(gocsr);
  for (std::uint64_t i = 0; i < count; ++i) {
    comparison.Try(fmt::format("seed {} case {}", seed, i), mutator.Next());
  }
  return comparison.Report() ? 0 : 1;
}

int Run(std::span<char*> arguments) {
  const std::string_view mode = arguments.size() > 2 ? arguments[2] : "";
  const bool mutates = mode == "mutate" && arguments.size() >= 5;
  if (mode != "replay" && !mutates) {
    fmt::print(stderr,
               "usage: request_vs_go GOCSR replay DIRECTORY... | mutate SEED COUNT DIRECTORY...\n");
    return 2;
  }
  const std::string gocsr = arguments[1];
  const auto pool = Pool(gocsr, arguments.subspan(mutates ? 5 : 3));
  return mutates ? Mutate(gocsr, pool, Number(arguments[3]), Number(arguments[4]))
                 : Replay(gocsr, pool);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    fmt::print(stderr, "request_vs_go: {}\n", error.what());
    return 1;
  }
}
