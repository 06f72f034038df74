// SPDX-License-Identifier: Apache-2.0
#include "config_change/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "addons/corefile.h"
#include "base/error.h"
#include "base/strings.h"
#include "json/texts.h"
#include "kube/client.h"
#include "stored_config/config_hash.h"

namespace config_change {
namespace {

// A default of the API. In any object, a field with this name and this value may be left out.
struct Default {
  std::string_view name;
  std::string_view value;  // as compact JSON
};
constexpr std::array kDefaults = std::to_array<Default>({
    {"apiVersion", R"("v1")"},  // of a fieldRef
    {"dnsPolicy", R"("ClusterFirst")"},
    {"enableServiceLinks", "true"},
    {"imagePullPolicy", R"("IfNotPresent")"},
    {"preemptionPolicy", R"("PreemptLowerPriority")"},
    {"progressDeadlineSeconds", "600"},
    {"protocol", R"("TCP")"},
    {"restartPolicy", R"("Always")"},
    {"revisionHistoryLimit", "10"},
    {"scheme", R"("HTTP")"},
    {"schedulerName", R"("default-scheduler")"},
    {"successThreshold", "1"},
    {"terminationGracePeriodSeconds", "30"},
    {"terminationMessagePath", R"("/dev/termination-log")"},
    {"terminationMessagePolicy", R"("File")"},
    {"failureThreshold", "3"},
    {"periodSeconds", "10"},
    {"timeoutSeconds", "1"},
    {"defaultMode", "420"},
    {"hostIPC", "false"},
    {"hostNetwork", "false"},
    {"hostPID", "false"},
    {"optional", "false"},
    {"paused", "false"},
    {"privileged", "false"},
    {"readOnly", "false"},
    {"stdin", "false"},
    {"tty", "false"},
});

// Defaults of a rollout, which depend on the object's kind. For example, maxSurge is "25%" for a
// Deployment and 0 for a DaemonSet.
struct RolloutDefault {
  std::string_view holder;
  Default row;
};
constexpr std::array kRolloutDefaults = std::to_array<RolloutDefault>({
    {"strategy", {"maxSurge", R"("25%")"}},
    {"strategy", {"maxUnavailable", R"("25%")"}},
    {"updateStrategy", {"maxSurge", "0"}},
    {"updateStrategy", {"maxUnavailable", "1"}},
});
constexpr std::array kServiceDefaults = std::to_array<Default>({
    {"spec.internalTrafficPolicy", R"("Cluster")"},
    {"spec.sessionAffinity", R"("None")"},
    {"spec.type", R"("ClusterIP")"},
});

// Annotations of controllers and of kubectl apply, and kubeadm's own annotation about an object's
// creation.
constexpr std::array<std::string_view, 4> kNotedByOthers{
    "deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation",
    "kubectl.kubernetes.io/last-applied-configuration", stored_config::kHashAnnotation};

bool IsEmpty(const json::Value& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

bool IsDefault(std::string_view name, const json::Value& value) {
  return std::ranges::any_of(kDefaults, [&](const Default& row) {
    return row.name == name && json::Compact(value) == row.value;
  });
}

void EraseRolloutDefaults(std::string_view holder, json::Value& kept) {
  if (!kept.is_object() || !kept.contains("rollingUpdate")) {
    return;
  }
  json::Value& rollout = kept["rollingUpdate"];
  for (const RolloutDefault& each : kRolloutDefaults) {
    const std::string name(each.row.name);
    if (each.holder == holder && rollout.contains(name) &&
        json::Compact(rollout[name]) == each.row.value) {
      rollout.erase(name);
    }
  }
  if (rollout.empty()) {
    kept.erase("rollingUpdate");
  }
}

// Adds the leaves below `value` under their paths.
void Leaves(const std::string& path, const json::Value& value, Fields& fields) {
  if (!value.is_object()) {
    fields[path] = value;
    return;
  }
  for (const auto& [name, member] : value.items()) {
    Leaves(path.empty() ? name : path + "." + name, member, fields);
  }
}

void EraseDefaults(std::span<const Default> defaults, Fields& fields) {
  for (const Default& row : defaults) {
    const auto found = fields.find(std::string(row.name));
    if (found != fields.end() && json::Compact(found->second) == row.value) {
      fields.erase(found);
    }
  }
}

// Returns an empty object if the value is not an object.
json::Value ObjectWithoutDefaults(const json::Value& value) {
  json::Value kept = WithoutDefaults(value);
  return kept.is_object() ? kept : json::Value::object();
}

// Sorts all lists in the value. Removes the field apiGroup, which the API adds to subjects.
json::Value Sorted(const json::Value& value) {
  json::Value sorted = value;
  if (sorted.is_object()) {
    sorted.erase("apiGroup");
  }
  if (sorted.is_structured()) {
    for (json::Value& each : sorted) {
      each = Sorted(each);
    }
  }
  if (sorted.is_array()) {
    std::ranges::sort(sorted.get_ref<json::Value::array_t&>(), {},
                      [](const json::Value& each) { return json::Compact(each); });
  }
  return sorted;
}

// Adds each element of the list as the field "KIND NAME". The member `key` of an element is its
// name; the other members are the field's value.
void Named(std::string_view kind, std::string_view key, const json::Value& list, Fields& fields) {
  for (const json::Value& item : list.is_array() ? list : json::Value::array()) {
    json::Value rest = ObjectWithoutDefaults(item);
    const std::string name = json::TextAt(item, {key});
    rest.erase(std::string(key));
    fields[fmt::format("{} {}", kind, name)] = std::move(rest);
  }
}

// Adds a field for each environment variable. The field of a plain variable has its text as the
// value.
void AddEnvironment(const json::Value& list, Fields& fields) {
  for (const json::Value& item : list.is_array() ? list : json::Value::array()) {
    const std::string name = json::TextAt(item, {"name"});
    fields["env " + name] = json::At(item, {"valueFrom"}).is_null()
                                ? json::Value(json::TextAt(item, {"value"}))
                                : WithoutDefaults(json::At(item, {"valueFrom"}));
  }
}

void AddTexts(std::string_view kind, const json::Value& object, Fields& fields) {
  static const json::Value kNothing = json::Value::object();
  for (const auto& [name, value] : (object.is_object() ? object : kNothing).items()) {
    fields[fmt::format("{} {}", kind, name)] = value;
  }
}

void AddOwnMetadata(const std::string& lead, const json::Value& object, Fields& fields) {
  const json::Value own = OwnMetadata(object);
  AddTexts(lead + "label", json::At(own, {"labels"}), fields);
  AddTexts(lead + "annotation", json::At(own, {"annotations"}), fields);
}

void AddFirstContainer(const json::Value& container, Fields& fields) {
  std::vector<std::string> words = json::TextsIn(json::At(container, {"command"}));
  if (!words.empty()) {
    fields["program"] = words.front();
    words.erase(words.begin());
  }
  std::ranges::copy(json::TextsIn(json::At(container, {"args"})), std::back_inserter(words));
  fields.merge(FlagFields(words));
  AddEnvironment(json::At(container, {"env"}), fields);
  Named("mount", "mountPath", json::At(container, {"volumeMounts"}), fields);
  Named("port", "name", json::At(container, {"ports"}), fields);
  json::Value rest = ObjectWithoutDefaults(container);
  for (const char* done : {"name", "command", "args", "env", "volumeMounts", "ports"}) {
    rest.erase(done);
  }
  Leaves("", rest, fields);
}

void AddPodSpec(const json::Value& spec, Fields& fields) {
  const json::Value& containers = json::At(spec, {"containers"});
  for (std::size_t i = 0; containers.is_array() && i < containers.size(); ++i) {
    if (i == 0) {
      AddFirstContainer(containers[0], fields);
    } else {
      fields["container " + json::TextAt(containers[i], {"name"})] = WithoutDefaults(containers[i]);
    }
  }
  Named("initContainer", "name", json::At(spec, {"initContainers"}), fields);
  Named("volume", "name", json::At(spec, {"volumes"}), fields);
  json::Value rest = ObjectWithoutDefaults(spec);
  for (const char* done : {"containers", "initContainers", "volumes", "serviceAccount"}) {
    rest.erase(done);
  }
  Leaves("spec", rest, fields);
}

std::string DirectiveText(const addons::Directive& directive, std::size_t first_word) {
  const std::vector<std::string> words(
      directive.words.begin() + static_cast<std::ptrdiff_t>(first_word), directive.words.end());
  std::string text = base::Join(words, " ");
  if (directive.block.empty()) {
    return text;
  }
  std::vector<std::string> options;
  for (const addons::Directive& option : directive.block) {
    options.push_back(DirectiveText(option, 0));
  }
  return fmt::format("{}{}{{ {} }}", text, text.empty() ? "" : " ", base::Join(options, "; "));
}

void AddDirective(const std::string& name, const std::string& value, Fields& fields) {
  json::Value& field = fields[name];
  if (field.is_null()) {
    field = value;
    return;
  }
  field = field.is_array() ? field : json::Value::array({field});
  field.push_back(value);
}

}  // namespace

json::Value WithoutDefaults(const json::Value& value) {
  if (value.is_array()) {
    json::Value list = json::Value::array();
    std::ranges::transform(value, std::back_inserter(list), WithoutDefaults);
    return list;
  }
  if (!value.is_object()) {
    return value;
  }
  json::Value object = json::Value::object();
  for (const auto& [name, member] : value.items()) {
    json::Value kept = WithoutDefaults(member);
    EraseRolloutDefaults(name, kept);
    if (!IsEmpty(kept) && !IsDefault(name, kept)) {
      object[name] = std::move(kept);
    }
  }
  return object;
}

Fields FlagFields(const std::vector<std::string>& arguments) {
  Fields fields;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with('-')) {
      fields[fmt::format("word {}", i + 1)] = word;
      continue;
    }
    const std::size_t sign = word.find('=');
    const bool takes_next =
        sign == std::string::npos && i + 1 < arguments.size() && !arguments[i + 1].starts_with('-');
    const std::string value = sign != std::string::npos ? word.substr(sign + 1)
                              : takes_next              ? arguments[++i]
                                                        : "true";
    json::Value& field = fields[word.substr(0, sign)];
    if (field.is_null()) {
      field = value;
    } else {
      field = field.is_array() ? field : json::Value::array({field});
      field.push_back(value);
    }
  }
  return fields;
}

Fields KubeletFlagFields(const std::vector<std::string>& arguments) {
  Fields fields = FlagFields(arguments);
  for (const char* of_service : {"--bootstrap-kubeconfig", "--kubeconfig", "--config"}) {
    fields.erase(of_service);
  }
  return fields;
}

Fields PodFields(const json::Value& pod) {
  Fields fields;
  AddTexts("label", json::At(pod, {"metadata", "labels"}), fields);
  AddTexts("annotation", json::At(pod, {"metadata", "annotations"}), fields);
  AddPodSpec(json::At(pod, {"spec"}), fields);
  return fields;
}

Fields WorkloadFields(const json::Value& workload) {
  Fields fields = PodFields(json::At(workload, {"spec", "template"}));
  json::Value rest = WithoutDefaults(json::At(workload, {"spec"}));
  if (rest.is_object()) {
    rest.erase("template");
    Leaves("spec", rest, fields);
  }
  AddOwnMetadata("own ", workload, fields);
  return fields;
}

Fields ObjectFields(const json::Value& object) {
  Fields fields;
  AddOwnMetadata("", object, fields);
  json::Value rest = ObjectWithoutDefaults(object);
  for (const char* done : {"apiVersion", "kind", "metadata", "status", "secrets"}) {
    rest.erase(done);
  }
  for (const char* unordered : {"rules", "subjects"}) {
    if (rest.contains(unordered)) {
      rest[unordered] = Sorted(rest[unordered]);
    }
  }
  Leaves("", rest, fields);
  const std::string kind = json::TextAt(object, {"kind"});
  if (kind == kube::resources::kService.kind) {
    EraseDefaults(kServiceDefaults, fields);
    for (const char* of_server : {"spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"}) {
      fields.erase(of_server);
    }
  }
  Fields named;
  for (auto& [field, value] : fields) {
    named[fmt::format("{} {} {}", kind, json::TextAt(object, {"metadata", "name"}), field)] =
        std::move(value);
  }
  return named;
}

json::Value OwnMetadata(const json::Value& object) {
  json::Value own = json::Value::object();
  for (const char* member : {"labels", "annotations"}) {
    if (const json::Value& texts = json::At(object, {"metadata", member}); texts.is_object()) {
      own[member] = texts;
    }
  }
  if (own.contains("annotations")) {
    for (const std::string_view noted : kNotedByOthers) {
      own["annotations"].erase(std::string(noted));
    }
  }
  return WithoutDefaults(own);
}

Fields SettingFields(const json::Value& settings) {
  Fields all;
  Leaves("", settings, all);
  std::erase_if(all, [](const auto& field) {
    const json::Value& value = field.second;
    return field.first.empty() || value.is_null() || value == "0s" || value == "" ||
           (value.is_array() && value.empty()) ||
           (field.first.starts_with("logging.") && (value == 0 || value == "0"));
  });
  return all;
}

Fields CorefileFields(const std::string& text) {
  Fields fields;
  try {
    for (const addons::ServerBlock& block : addons::Corefile::Parse(text).blocks) {
      for (const addons::Directive& plugin : block.plugins) {
        AddDirective(base::Join(block.keys, " ") + " " + plugin.name(), DirectiveText(plugin, 1),
                     fields);
      }
    }
  } catch (const base::Error&) {
    return {{"Corefile", text}};
  }
  return fields;
}

}  // namespace config_change
