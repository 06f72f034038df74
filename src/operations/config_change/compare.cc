// SPDX-License-Identifier: Apache-2.0
#include "config_change/compare.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/duration.h"
#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "components/table.h"
#include "config/paths.h"
#include "config_change/fields.h"
#include "json/texts.h"
#include "kubelet/flags.h"
#include "static_pods/static_pod.h"

namespace config_change {
namespace {

using Value = std::optional<json::Value>;

// The fields and values of a component according to one source: the cluster's configuration, the
// files on disk or object in the cluster, or the running program.
struct View {
  Fields fields;
  std::function<bool(const std::string& field)> knows;

  bool Knows(const std::string& field) const { return !knows || knows(field); }
  Value At(const std::string& field) const {
    const auto found = fields.find(field);
    return found == fields.end() ? std::nullopt : Value(found->second);
  }
};

Fields FieldsOf(Kind kind, const json::Value& object) {
  switch (kind) {
    case Kind::kStaticPod:
      return PodFields(object);
    case Kind::kSettings:
    case Kind::kValues:
      return SettingFields(object);
    case Kind::kArguments:
      return KubeletFlagFields(json::TextsIn(json::At(object, {"args"})));
    case Kind::kCorefile:
      return CorefileFields(json::TextAt(object, {"Corefile"}));
    case Kind::kObject:
      return ObjectFields(object);
    case Kind::kDeployment:
    case Kind::kDaemonSet:
      break;
  }
  return WorkloadFields(object);
}

bool IsFlag(const std::string& field) { return field.starts_with("--"); }

// Returns whether the mirror Pod always has the manifest's value of the field: neither the API
// server nor the kubelet changes it.
bool IsMirrored(const std::string& field) {
  return IsFlag(field) || field == "image" || field.starts_with("env ") ||
         field.starts_with("volume ") || field.starts_with("resources.") ||
         field.starts_with("label ");
}

std::optional<View> ViewOf(Kind kind, const Value& object) {
  return object ? std::optional(View{.fields = FieldsOf(kind, *object), .knows = {}})
                : std::nullopt;
}

std::optional<View> Running(const Component& component, const std::optional<View>& written) {
  std::optional<View> view = ViewOf(component.kind, component.runs);
  if (!view) {
    return view;
  }
  switch (component.seen) {
    case Seen::kAll:
      break;
    case Seen::kArguments:
      view->knows = IsFlag;
      break;
    case Seen::kMirror:
      view->knows = IsMirrored;
      break;
    case Seen::kSettings: {
      // The running settings include the program's defaults in addition to the file's values.
      const Fields chosen = written ? written->fields : Fields();
      view->knows = [chosen, incomparable = component.incomparable](const std::string& field) {
        return chosen.contains(field) || (incomparable && !incomparable->contains(field));
      };
    }
  }
  return view;
}

// Returns whether the texts are equal or mean the same duration ("1m" and "60s").
bool SameText(const std::string& one, const std::string& other) {
  if (one == other) {
    return true;
  }
  try {
    return base::ParseDuration(one) == base::ParseDuration(other);
  } catch (const base::Error&) {
    return false;
  }
}

bool Same(const Value& one, const Value& other) {
  if (one && other && one->is_string() && other->is_string()) {
    return SameText(one->get<std::string>(), other->get<std::string>());
  }
  return one == other;
}

std::optional<base::Version> TagVersion(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  return colon == std::string::npos
             ? std::nullopt
             : base::Version::Parse(base::ReplaceAll(image.substr(colon + 1), "_", "+"));
}

bool OnlyTagsDiffer(const Value& one, const Value& other) {
  if (!one || !other || !one->is_string() || !other->is_string()) {
    return false;
  }
  const auto left = one->get<std::string>();
  const auto right = other->get<std::string>();
  return left.substr(0, left.rfind(':')) == right.substr(0, right.rfind(':')) && TagVersion(left) &&
         TagVersion(right);
}

// The host's directories of CAs are mounted if they exist at the time of kubeadm's run.
bool IsCaDirectory(const Value& volume) {
  const std::string path = volume ? json::TextAt(*volume, {"hostPath", "path"}) : "";
  return std::ranges::find(static_pods::kExtraCaDirectories, path) !=
         static_pods::kExtraCaDirectories.end();
}

bool IsCaMount(const std::string& field) {
  return std::ranges::any_of(static_pods::kExtraCaDirectories, [&](std::string_view path) {
    return field == "mount " + std::string(path);
  });
}

// Images whose tags depend on the kubeadm that wrote them, not only on the cluster's version.
constexpr std::array<std::string_view, 3> kTaggedByKubeadm{"etcd", "coredns", "kube-proxy"};

// Settings that depend on a single run or its host, and not on the cluster's configuration: the
// time limit of init, the host's name resolution, and a requested restart.
constexpr std::array<std::string_view, 3> kOfTheRun{"startupProbe.failureThreshold", "resolvConf",
                                                    "annotation kubectl.kubernetes.io/restartedAt"};

// Settings that releases add to the kubelet's arguments or remove.
bool IsOfTheRelease(const Difference& difference) {
  return difference.component == "kubelet" &&
         (difference.field == "--" + std::string(kubelet::kPodInfraImageFlag) ||
          difference.field == "--" + std::string(kubelet::kRuntimeEndpointFlag));
}

// This program's annotations of Pod templates that cause a rollout.
bool IsOwnAnnotation(const std::string& field) {
  return field.starts_with("annotation ") && field.find(".kubeadm.slipway/") != std::string::npos;
}

// Returns whether the difference is the controller manager's signing certificate of a CA rotation.
// Each control-plane node has this file from the first step of a rotation until the last.
bool IsOfARotation(const Difference& difference) {
  const auto is_its = [](const Value& value) {
    return value && value->is_string() &&
           value->get<std::string>().ends_with(config::kSigningCertificate);
  };
  return difference.component == components::Name(components::Component::kControllerManager) &&
         (is_its(difference.should) || is_its(difference.disk) || is_its(difference.runs));
}

bool DependsOnTheRun(const Difference& difference) {
  const std::string& field = difference.field;
  const Value& in_force = difference.disk ? difference.disk : difference.runs;
  if (field.starts_with("env ") && base::ToLower(field).ends_with("_proxy")) {
    return true;
  }
  if (IsOfTheRelease(difference) || IsOfARotation(difference) || IsOwnAnnotation(field) ||
      IsCaMount(field) || std::ranges::find(kOfTheRun, field) != kOfTheRun.end()) {
    return true;
  }
  if (field.starts_with("volume ")) {
    return IsCaDirectory(difference.should ? difference.should : in_force) &&
           !(difference.should && in_force);
  }
  if (difference.component == "etcd" &&
      (field == "--initial-cluster" || field == "--initial-cluster-state")) {
    return true;
  }
  return field == "image" &&
         std::ranges::find(kTaggedByKubeadm, difference.component) != kTaggedByKubeadm.end() &&
         OnlyTagsDiffer(difference.should, in_force);
}

// One field according to each source that knows it.
struct Three {
  std::optional<View> should, disk, runs;

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const std::optional<View>* view : {&should, &disk, &runs}) {
      for (const auto& [name, value] : *view ? (*view)->fields : Fields()) {
        names.insert(name);
      }
    }
    return names;
  }
};

// Returns whether upgrades keep the field's present value, as they do for a number of replicas.
bool IsLeft(const Component& component, const std::string& field) {
  return component.at_upgrade == AtUpgrade::kLeft ||
         (component.kind == Kind::kDeployment && field == "spec.replicas");
}

// The sources that differ.
struct Where {
  bool on_disk = false;  // the file exists and has the field
  bool disk = false;     // the file differs from the wanted value
  bool runs = false;     // the running value differs from the written value
};

Outcome OutcomeOf(const Component& component, const Difference& difference, const Where& differs) {
  const bool left = IsLeft(component, difference.field);
  // Arguments that only the process has come from the kubelet's service. No restart removes them.
  if (component.kind == Kind::kArguments && !difference.disk && !difference.should) {
    return Outcome::kKept;
  }
  if (differs.on_disk && differs.runs && (left || !differs.disk)) {
    return Outcome::kWaits;
  }
  if (left) {
    return Outcome::kKept;
  }
  return component.patches_known ? Outcome::kLost : Outcome::kUnknown;
}

std::optional<Difference> At(const std::string& field, const Component& component,
                             const Three& three) {
  const bool on_disk = three.disk && three.disk->Knows(field);
  const bool running = three.runs && three.runs->Knows(field);
  Difference found{.component = component.name,
                   .node = component.node,
                   .field = field,
                   .should = three.should ? three.should->At(field) : std::nullopt,
                   .disk = on_disk ? three.disk->At(field) : std::nullopt,
                   .runs = running ? three.runs->At(field) : std::nullopt};
  const bool disk_differs = three.should && on_disk && !Same(found.should, found.disk);
  const Value& written = on_disk ? found.disk : found.should;
  const bool runs_differ = running && (on_disk || three.should) && !Same(written, found.runs);
  if (!disk_differs && !runs_differ) {
    return std::nullopt;
  }
  found.outcome =
      OutcomeOf(component, found, {.on_disk = on_disk, .disk = disk_differs, .runs = runs_differ});
  found.origin = DependsOnTheRun(found) ? Origin::kRun : Origin::kEdit;
  return found;
}

// Returns the differences that concern the whole file or object. A missing or second manifest
// blocks upgrades. A missing object does not block them, because the next upgrade recreates it.
std::vector<Difference> OfTheWhole(const Component& component) {
  std::vector<Difference> whole;
  const auto add = [&](const std::string& field, Outcome outcome) -> Difference& {
    return whole.emplace_back(Difference{
        .component = component.name, .node = component.node, .field = field, .outcome = outcome});
  };
  if (component.missing) {
    add("manifest", Outcome::kBlocks).should = "present";
  }
  for (const std::string& stray : component.strays) {
    add("second manifest " + stray, Outcome::kBlocks).disk = "present";
  }
  if (component.deleted) {
    add(component.place, Outcome::kLost).should = "present";
  }
  return whole;
}

}  // namespace

json::Value PodOfCommand(const std::vector<std::string>& words) {
  return {{"spec", {{"containers", json::Value::array({{{"command", words}}})}}}};
}

std::vector<Difference> Compare(const Component& component) {
  std::vector<Difference> differences = OfTheWhole(component);
  if (component.missing || component.deleted) {
    return differences;
  }
  const std::optional<View> disk = ViewOf(component.kind, component.disk);
  std::optional<View> should = ViewOf(component.kind, component.should);
  if (should) {
    should->fields.insert(component.usual.begin(), component.usual.end());
  }
  const Three three{
      .should = should, .disk = disk, .runs = Running(component, disk ? disk : should)};
  for (const std::string& field : three.Names()) {
    if (std::optional<Difference> found = At(field, component, three)) {
      differences.push_back(std::move(*found));
    }
  }
  return differences;
}

bool IsEdit(const Difference& difference) {
  return difference.origin == Origin::kEdit && difference.outcome != Outcome::kKept;
}

}  // namespace config_change
