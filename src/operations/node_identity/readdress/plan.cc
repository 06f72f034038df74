// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "certs/disk.h"
#include "certs/renewal.h"
#include "config/paths.h"
#include "kubelet/unit.h"
#include "yaml/yaml.h"

namespace readdress {
namespace {

namespace fs = std::filesystem;
using base::Error;

// The files with the kubelet's configuration and arguments on this node.
constexpr std::array<std::string_view, 3> kKubeletFiles = {"config.yaml", "instance-config.yaml",
                                                           "kubeadm-flags.env"};
constexpr std::string_view kKubeletPatches = "kubeadm-patches";

// The ConfigMaps that kubeadm has created, "NAMESPACE/NAME".
constexpr std::array<std::string_view, 5> kConfigMaps = {
    "kube-public/cluster-info", "kube-system/coredns", "kube-system/kube-proxy",
    "kube-system/kubeadm-config", "kube-system/kubelet-config"};

bool IsBelow(const fs::path& path, const fs::path& directory) {
  return std::ranges::mismatch(directory, path).in1 == directory.end();
}

const certs::Renewable* RowOf(const fs::path& path, const fs::path& certificates_dir) {
  const auto row = std::ranges::find_if(certs::Renewables(), [&](const certs::Renewable& each) {
    return each.spec != nullptr && certs::CertPath(certificates_dir, each.spec->base_name) == path;
  });
  return row == certs::Renewables().end() ? nullptr : &*row;
}

const components::Component* ComponentOf(const fs::path& path) {
  const auto found = std::ranges::find(components::kComponents, path, components::ManifestPath);
  return found == components::kComponents.end() ? nullptr : &*found;
}

bool IsPlainText(const fs::path& path) {
  const fs::path kubelet(config::kKubeletDir);
  if (std::ranges::contains(kubelet::kExtraArgsFiles, path.string())) {
    return true;
  }
  if (path.parent_path() == fs::path(config::kKubernetesDir)) {
    return path.extension() == ".conf";
  }
  return (path.parent_path() == kubelet &&
          std::ranges::contains(kKubeletFiles, path.filename().string())) ||
         IsBelow(path, kubelet / kKubeletPatches);
}

bool IsInCertificate(const std::string& text, const net::IpAddress& address) {
  try {
    return std::ranges::any_of(pki::Certificate::ChainFromPem(text),
                               [&](const auto& each) { return Names(each.alt_names(), address); });
  } catch (const base::Error&) {
    return false;  // not certificates: a key or a configuration
  }
}

// Returns why a file stays unchanged. It is not one of the files that kubeadm writes.
std::string WhyLeft(const fs::path& path) {
  if (IsBelow(path, fs::path(kubelet::kUserUnits))) {
    return "a part of the kubelet's unit: change it by hand, then 'systemctl daemon-reload'";
  }
  return IsBelow(path, fs::path(config::kTmpDir)) ? "a copy of what was"
                                                  : "not a file of kubeadm's: change it by hand";
}

void AddCertificate(const SearchedFile& file, const SearchedState& seen, MovePlan& plan) {
  Occurrence occurrence{.place = file.path.string()};
  if (const certs::Renewable* row = RowOf(file.path, seen.certificates_dir)) {
    plan.certificates.push_back(row->name);
    occurrence.handling = Handling::kReissued;
  } else if (IsBelow(file.path, fs::path(config::kKubeletDir) / "pki")) {
    occurrence.handling = Handling::kByItself;
    occurrence.why = "the kubelet asks for a new one";
  } else {
    occurrence.why = WhyLeft(file.path);
  }
  plan.occurrences.push_back(std::move(occurrence));
}

void AddText(const SearchedFile& file, const std::vector<int>& lines, const Move& move,
             MovePlan& plan) {
  Handling handling = Handling::kLeft;
  if (const components::Component* component = ComponentOf(file.path)) {
    plan.pods.push_back({*component, Replaced(yaml::Parse(file.text).value, move)});
    handling = Handling::kReplaced;
  } else if (IsPlainText(file.path)) {
    plan.files.push_back({file.path, Replaced(std::string_view(file.text), move)});
    handling = Handling::kReplaced;
  }
  for (const int line : lines) {
    plan.occurrences.push_back({.place = fmt::format("{}:{}", file.path.string(), line),
                                .handling = handling,
                                .why = handling == Handling::kLeft ? WhyLeft(file.path) : ""});
  }
}

constexpr std::string_view kNotOurs = "not an object of kubeadm's: change it by hand";

// The handling of an object.
struct Judged {
  Handling handling;
  std::string_view why;
};

// Judges Endpoints and EndpointSlices. A controller updates those that it has written. Endpoints of
// a Service without a selector are written manually, and stay unchanged.
Judged JudgeEndpoints(const json::Value& object, const std::string& name) {
  if (name == "default/kubernetes") {
    return {Handling::kByItself, "the API server writes it"};
  }
  const bool written_by_controller =
      !json::At(object, {"metadata", "labels", "endpointslice.kubernetes.io/managed-by"})
           .is_null() ||
      !json::At(object,
                {"metadata", "annotations", "endpoints.kubernetes.io/last-change-trigger-time"})
           .is_null();
  return written_by_controller ? Judged{Handling::kByItself, "follows from Pods and their nodes"}
                               : Judged{Handling::kLeft, kNotOurs};
}

Judged Judge(const json::Value& object, const std::string& name, const std::string& node) {
  const std::string kind = json::TextAt(object, {"kind"});
  if (kind == "ConfigMap" && std::ranges::contains(kConfigMaps, name)) {
    return {Handling::kReplaced, ""};
  }
  if (kind == "EndpointSlice" || kind == "Endpoints") {
    return JudgeEndpoints(object, name);
  }
  if (kind == "Node") {
    return {Handling::kByItself, "its kubelet writes it"};
  }
  if (kind == "Pod" && name.ends_with("-" + node)) {
    return {Handling::kByItself, "follows from its manifest"};
  }
  return {Handling::kLeft, kNotOurs};
}

// Returns "NAMESPACE/NAME"; for a cluster-scoped object, only its name.
std::string NameOf(const json::Value& object) {
  const std::string name_space = json::TextAt(object, {"metadata", "namespace"});
  const std::string name = json::TextAt(object, {"metadata", "name"});
  return name_space.empty() ? name : fmt::format("{}/{}", name_space, name);
}

void AddObject(json::Value object, const SearchedState& seen, const Move& move, MovePlan& plan) {
  const std::string kind = json::TextAt(object, {"kind"});
  if (kind == "Pod") {
    object.erase("status");  // follows from the Pod's specification
  }
  const std::vector<Line> places = Places(object, move.from);
  if (places.empty()) {
    return;
  }
  const std::string name = NameOf(object);
  const Judged judged = Judge(object, name, seen.node);
  for (const Line& place : places) {
    plan.occurrences.push_back(
        {.place = fmt::format("{} {}: {}:{}", kind, name, place.field, place.line),
         .handling = judged.handling,
         .why = std::string(judged.why)});
  }
  if (judged.handling == Handling::kReplaced) {
    plan.objects.push_back(Replaced(std::move(object), move));
  }
}

std::string_view WordOf(Handling handling) {
  constexpr std::array<std::string_view, 4> kWords{"replaced", "issued again", "changes by itself",
                                                   "left"};
  return kWords[static_cast<std::size_t>(handling)];
}

std::string Lines(const std::vector<Occurrence>& occurrences) {
  std::string text;
  for (const Occurrence& each : occurrences) {
    text += fmt::format("  {}: {}{}\n", base::Visible(each.place), WordOf(each.handling),
                        each.why.empty() ? "" : fmt::format(" ({})", each.why));
  }
  return text;
}

std::string Lines(const std::vector<SearchedFile>& unread) {
  std::string text;
  for (const SearchedFile& each : unread) {
    text +=
        fmt::format("  {}: {}\n", base::Visible(each.path.string()), base::Visible(each.unread));
  }
  return text;
}

}  // namespace

Move ChooseMove(const Request& request, const NodeFacts& node,
                const std::optional<Move>& interrupted) {
  std::optional<net::IpAddress> from =
      interrupted ? std::optional(interrupted->from) : node.address;
  if (request.from) {
    from = request.from;
  }
  if (!from) {
    throw Error(Error::Kind::kUsage,
                "nothing on this node says which address it had: give it with --from");
  }
  if (interrupted && (interrupted->from != *from || interrupted->to != request.to)) {
    throw Error(
        fmt::format("the change from {} to {} was interrupted here: finish it first, by "
                    "'kubeadm node readdress --to {}'",
                    interrupted->from.Text(), interrupted->to.Text(), interrupted->to.Text()));
  }
  if (*from == request.to && !interrupted) {
    throw Error(
        Error::Kind::kUsage,
        fmt::format("{} is the node's address already: if files still name another one, give "
                    "it with --from",
                    request.to.Text()));
  }
  return {.from = *from, .to = request.to};
}

MovePlan MakePlan(const SearchedState& seen, const Move& move) {
  MovePlan plan;
  for (const SearchedFile& file : seen.files) {
    if (!file.unread.empty()) {
      plan.unread.push_back(file);
    } else if (IsInCertificate(file.text, move.from)) {
      AddCertificate(file, seen, plan);
    } else if (const std::vector<int> lines = Lines(file.text, move.from); !lines.empty()) {
      AddText(file, lines, move, plan);
    }
  }
  std::ranges::sort(plan.pods, {}, &ManifestChange::component);
  for (const json::Value& object : seen.objects) {
    AddObject(object, seen, move, plan);
  }
  return plan;
}

std::string ToString(const MovePlan& plan, const Move& move) {
  std::string text = fmt::format("From {} to {}\n", move.from.Text(), move.to.Text());
  text += plan.occurrences.empty()
              ? std::string("Nothing names the old address\n")
              : "Occurrences of the old address, and their changes:\n" + Lines(plan.occurrences);
  if (!plan.unread.empty()) {
    text += "Not searched:\n" + Lines(plan.unread);
  }
  return text;
}

std::optional<std::string> FindNextStep(const NodeFacts& node, const MovePlan& plan,
                                        const Move& move) {
  const bool named = std::ranges::any_of(
      plan.files, [](const FileChange& change) { return change.path.filename() == "admin.conf"; });
  if (!node.control_plane || !named) {
    return std::nullopt;
  }
  return fmt::format(
      "On each node that reaches the API server at {}, run: kubeadm node readdress --from {} --to "
      "{}",
      move.from.Text(), move.from.Text(), move.to.Text());
}

bool MovesPods(const MovePlan& plan) {
  return !plan.pods.empty() || !plan.certificates.empty() ||
         std::ranges::any_of(plan.files, [](const FileChange& change) {
           return change.path.parent_path() == fs::path(config::kKubernetesDir);
         });
}

}  // namespace readdress
