// SPDX-License-Identifier: Apache-2.0
#include "patch/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/fake_error.h"
#include "yaml/yaml.h"

namespace patch {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Parses YAML, which keeps the tables below short.
json::Value FromYaml(std::string_view text) { return yaml::Parse(text).value; }

struct Case {
  std::string patch;
  std::string want;
};

const char* const kDocument = "{l: [1, 2, 3], o: {a/b: 1, m~n: 2}, u: null, s: x}";

TEST(JsonPatch, AppliesEveryOperation) {
  const Case cases[] = {
      {"[]", "{l: [1, 2, 3], o: {a/b: 1, m~n: 2}, u: null, s: x}"},
      {"[{op: add, path: /l/-, value: 4}]",
       "{l: [1, 2, 3, 4], o: {a/b: 1, m~n: 2}, u: null, s: x}"},
      {"[{op: add, path: /l/1, value: 4}, {op: remove, path: /o}]",
       "{l: [1, 4, 2, 3], u: null, s: x}"},
      {"[{op: add, path: /l/3, value: 4}, {op: remove, path: /o}]",
       "{l: [1, 2, 3, 4], u: null, s: x}"},
      {"[{op: remove, path: /l/-1}, {op: remove, path: /o/a~1b}]",
       "{l: [1, 2], o: {m~n: 2}, u: null, s: x}"},
      {"[{op: remove, path: /o/m~0n}, {op: replace, path: /u, value: 1}]",
       "{l: [1, 2, 3], o: {a/b: 1}, u: 1, s: x}"},
      {"[{op: replace, path: /new, value: 1}, {op: replace, path: /l/0, value: z}]",
       "{l: [z, 2, 3], o: {a/b: 1, m~n: 2}, u: null, s: x, new: 1}"},
      {"[{op: copy, from: /s, path: /t}, {op: move, from: /l, path: /o}]",
       "{o: [1, 2, 3], u: null, s: x, t: x}"},
      {"[{op: move, from: /l, path: /l}, {op: copy, from: /s, path: /s}]",
       "{l: [1, 2, 3], o: {a/b: 1, m~n: 2}, u: null, s: x}"},
      {"[{op: test, path: /s, value: x}, {op: test, path: /none, value: null}, "
       "{op: test, path: /l, value: [1, 2, 3]}, {op: replace, path: '', value: 5}]",
       "5"},
      {"[{op: add, path: /x}, {op: remove, path: /l}, {op: remove, path: /o}]",
       "{u: null, s: x, x: null}"},
      {"[{op: copy, from: /none, path: /l/+1}, {op: remove, path: /o}]",
       "{l: [1, null, 2, 3], u: null, s: x}"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(ApplyJsonPatch(FromYaml(kDocument), FromYaml(patch)), FromYaml(want)) << patch;
  }
}

TEST(JsonPatch, NamesTheFailedOperation) {
  const Case cases[] = {
      {"{}", "a JSON patch has to be a list of operations"},
      {"[1]", "operation 0: an operation has to be an object"},
      {"[{op: test, path: /s, value: x}, {op: remove, path: /zz}]",
       "operation 1 (remove /zz): \"zz\" is missing"},
      {"[{op: remove, path: /l/7}]", "operation 0 (remove /l/7): the list has no index 7"},
      {"[{op: add, path: /l/4, value: 1}]", "operation 0 (add /l/4): the list has no index 4"},
      {"[{op: add, path: /l/x, value: 1}]", "operation 0 (add /l/x): \"x\" is not a list index"},
      {"[{op: remove, path: /l/-}]", "operation 0 (remove /l/-): \"-\" is not a list index"},
      {"[{op: add, path: /q/r, value: 1}]", "operation 0 (add /q/r): \"q\" is missing"},
      {"[{op: add, path: /s/x, value: 1}]",
       "operation 0 (add /s/x): nothing can be added to a string"},
      {"[{op: remove, path: /s/x}]",
       "operation 0 (remove /s/x): nothing can be removed from a string"},
      {"[{op: add, path: /s/x/y, value: 1}]",
       "operation 0 (add /s/x/y): \"x\" is in a string, which has no members"},
      {"[{op: test, path: /s, value: y}]", "operation 0 (test /s): the value is another one"},
      {"[{op: move, from: /zz, path: /t}]", "operation 0 (move /t): \"zz\" is missing"},
      {"[{op: copy, from: /zz/a, path: /t}]", "operation 0 (copy /t): \"zz\" is missing"},
      {"[{op: remove, path: /l/+-1}]", "operation 0 (remove /l/+-1): \"+-1\" is not a list index"},
      {"[{op: move, from: /o, path: /o/c}]",
       "operation 0 (move /o/c): a value cannot be moved into itself"},
      {"[{op: copy, from: '', path: /t}]",
       "operation 0 (copy /t): an empty path names the whole document"},
      {"[{op: add, path: '', value: 1}]",
       "operation 0 (add ): an empty path names the whole document"},
      {"[{op: remove, path: ''}]", "operation 0 (remove ): an empty path names the whole document"},
      {"[{op: copy, path: /t}]", "operation 0 (copy /t): \"from\" has to be a text"},
      {"[{op: bogus, path: /s}]",
       "operation 0 (bogus /s): no such operation: it is one of add, remove, replace, move, copy, "
       "test"},
      {"[{path: /s}]", "operation 0 ( /s): \"op\" has to be a text"},
      {"[{op: add, path: s, value: 1}]", "operation 0 (add s): the path has to begin with \"/\""},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(base::MessageOf([&] { ApplyJsonPatch(FromYaml(kDocument), FromYaml(patch)); },
                              base::Error::Kind::kInvalid),
              want);
  }
}

TEST(JsonPatch, BoundsCopiesThatDouble) {
  json::Value operations = json::Value::array();
  for (int i = 0; i < 64; ++i) {
    operations.push_back({{"op", "copy"}, {"from", "/o"}, {"path", "/o/" + std::to_string(i)}});
  }
  EXPECT_THAT(base::MessageOf([&] { ApplyJsonPatch(FromYaml(kDocument), operations); }),
              testing::HasSubstr("the result would take more than 64 MiB of memory"));
  operations = json::Value::array();
  for (int i = 0; i < 10'001; ++i) {
    operations.push_back({{"op", "test"}, {"path", "/s"}, {"value", "x"}});
  }
  EXPECT_EQ(base::MessageOf([&] { ApplyJsonPatch(FromYaml(kDocument), operations); }),
            "a JSON patch has at most 10000 operations");
}

TEST(MergePatch, MergesObjectsAndReplacesTheRest) {
  const Case cases[] = {
      {"{l: null, new: {a: null, b: 1}}", "{o: {a/b: 1, m~n: 2}, u: null, s: x, new: {b: 1}}"},
      {"{l: [4], s: {a: null}, o: {m~n: null}}", "{l: [4], o: {a/b: 1}, u: null, s: {}}"},
      {"{l: [{a: null, b: {c: null}}, null], o: null}", "{l: [{b: {}}, null], u: null, s: x}"},
      {"x", "x"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(ApplyMergePatch(FromYaml(kDocument), FromYaml(patch)), FromYaml(want)) << patch;
  }
}

const char* const kPod = R"(
metadata: {name: a, finalizers: [x, u], labels: {q: w}}
spec:
  containers:
  - {name: A, image: i, env: [{name: X, value: "1"}, {name: W, value: "2"}], command: [a, b],
     ports: [{containerPort: 80, name: p}]}
  - {name: B}
  - {name: C}
  volumes: [{name: v, hostPath: {path: /a}}]
  tolerations: [{key: t}])";

json::Value Patched(std::string_view patch, std::string_view pod = kPod) {
  return ApplyStrategicPatch(FromYaml(pod), FromYaml(patch), Schema::kPod);
}

std::string Names(const json::Value& pod) {
  std::string names;
  for (const json::Value& container : json::At(pod, {"spec", "containers"})) {
    names += json::TextAt(container, {"name"});
  }
  return names;
}

TEST(StrategicMergePatch, MergesListsByTheirKey) {
  const json::Value pod = Patched(R"(
      spec:
        containers:
        - name: A
          image: new
          env: [{name: W, value: null}, {name: Z, value: "3"}]
          ports: [{containerPort: 80, name: q}, {containerPort: 81}]
          command: [z]
        hostAliases: [{ip: 1.1.1.1, hostnames: [h]}]
        tolerations: [{key: u}])");
  EXPECT_EQ(pod.at("spec").at("containers").at(0),
            FromYaml("{name: A, image: new, command: [z], env: [{name: X, value: '1'}, {name: W}, "
                     "{name: Z, value: '3'}], ports: [{containerPort: 80, name: q}, "
                     "{containerPort: 81}]}"));
  EXPECT_EQ(Names(pod), "ABC");
  EXPECT_EQ(pod.at("spec").at("tolerations"), FromYaml("[{key: u}]"));
  EXPECT_EQ(pod.at("spec").at("hostAliases"), FromYaml("[{ip: 1.1.1.1, hostnames: [h]}]"));
}

TEST(StrategicMergePatch, ElementsComeInThePatchsOrder) {
  const Case cases[] = {
      {"{spec: {containers: [{name: M}]}}", "MABC"},
      {"{spec: {containers: [{name: M}, {name: A}]}}", "MABC"},
      {"{spec: {containers: [{name: C}, {name: M}, {name: A}]}}", "BCMA"},
      {"{spec: {containers: [{name: A}, {name: M}]}}", "AMBC"},
      {"{spec: {containers: []}}", "ABC"},
      {"{spec: {$setElementOrder/containers: [{name: C}, {name: A}]}}", "BCA"},
      {"{spec: {$setElementOrder/containers: [{name: C}, {name: M}, {name: A}], "
       "containers: [{name: M}]}}",
       "BCMA"},
      {"{spec: {$setElementOrder/containers: [{name: C}, {name: X}, {name: B}], "
       "containers: [{name: A, $patch: delete}]}}",
       "CB"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(Names(Patched(patch)), want) << patch;
  }
}

TEST(StrategicMergePatch, DirectivesReplaceAndDelete) {
  EXPECT_EQ(Names(Patched("{spec: {containers: [{name: A, $patch: delete}]}}")), "BC");
  EXPECT_EQ(Names(Patched("{spec: {containers: [{name: M, $patch: delete}]}}")), "ABC");
  EXPECT_EQ(Names(Patched("{spec: {containers: [{$patch: replace}, {name: M}]}}")), "M");
  EXPECT_EQ(Names(Patched(
                "{spec: {containers: [{name: M, $patch: replace}, {name: A, $patch: delete}]}}")),
            "");
  EXPECT_EQ(Names(Patched("{spec: {containers: [{name: A}, {name: A, $patch: delete}]}}")), "ABC")
      << "what is deleted goes first";
  EXPECT_EQ(Patched("{spec: {$patch: replace, hostNetwork: true, a: [{$patch: x}]}}").at("spec"),
            FromYaml("{hostNetwork: true, a: [{$patch: x}]}"));
  EXPECT_EQ(Patched("{spec: {$patch: delete}}").at("spec"), json::Value::object());
  EXPECT_EQ(Patched("{spec: null}").contains("spec"), false);
  EXPECT_EQ(Patched("{metadata: {labels: {q: null, z: '1'}}}").at("metadata").at("labels"),
            FromYaml("{z: '1'}"));
  EXPECT_EQ(Patched("{spec: {containers: x}}").at("spec").at("containers"), "x");
}

// The expected results are those of upstream's kubeadm, without members that no Pod has.
TEST(StrategicMergePatch, IgnoresDirectivesInNewContent) {
  const Case cases[] = {
      // Targets that are missing, or have another type.
      {"{d: {$patch: any, a: 1}}", "{t: [1, 2]}"},
      {"{d: {$patch: null, a: null, b: {$patch: x}, c: [{$patch: x}, {e: null}, null]}}",
       "{t: [1, 2], d: {c: [{}, null]}}"},
      {"{t: {$patch: any}}", "{}"},
      {"{d: {$retainKeys: x, $other: 1}}", "{t: [1, 2], d: {$retainKeys: x, $other: 1}}"},
      {"{finalizers: [a, a, {$patch: x}]}", "{t: [1, 2], finalizers: [a, a]}"},
      // Lists that are not merged.
      {"{t: [{$patch: x, a: null}]}", "{t: [{$patch: x, a: null}]}"},
      {"{$deleteFromPrimitiveList/t: [1]}", "{t: [2]}"},
      {"{$setElementOrder/t: [2, 3]}", "{t: [1, 2]}"},
      {"{$setElementOrder/t: [2, 1]}", "{t: [2, 1]}"},
      {"{$setElementOrder/t: [8, 9], t: [8, 9]}", "{t: [8, 9]}"},
      {"{$deleteFromPrimitiveList/t: null}", "{}"},
      {"{$deleteFromPrimitiveList/t: x, $deleteFromPrimitiveList/none: [1]}", "{t: [1, 2]}"},
      {"{$setElementOrder/none: [{}]}", "{t: [1, 2]}"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(ApplyStrategicPatch(FromYaml("{metadata: {t: [1, 2]}}"),
                                  FromYaml("{metadata: " + patch + "}"), Schema::kPod)
                  .at("metadata"),
              FromYaml(want))
        << patch;
  }
}

TEST(StrategicMergePatch, RetainKeysRemovesOtherFieldsOfAUnion) {
  const Case cases[] = {
      {"[{name: v, emptyDir: {}}]", "[{name: v, emptyDir: {}, hostPath: {path: /a}}]"},
      {"[{name: v, emptyDir: {}, $retainKeys: [name, emptyDir]}]", "[{name: v, emptyDir: {}}]"},
      {"[{name: w, emptyDir: {}, $retainKeys: [x]}]",
       "[{name: w, emptyDir: {}, $retainKeys: [x]}, {name: v, hostPath: {path: /a}}]"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(Patched("{spec: {volumes: " + patch + "}}").at("spec").at("volumes"), FromYaml(want))
        << patch;
  }
}

TEST(StrategicMergePatch, MergesListsOfScalarsAsSets) {
  const Case cases[] = {
      {"{finalizers: [z, x]}", "[z, x, u]"},
      {"{finalizers: [u, q, q]}", "[x, u, q]"},
      {"{$deleteFromPrimitiveList/finalizers: [x]}", "[u]"},
      {"{$deleteFromPrimitiveList/finalizers: [x], finalizers: [w], "
       "$setElementOrder/finalizers: [w, u]}",
       "[w, u]"},
      {"{$setElementOrder/finalizers: [u, x]}", "[u, x]"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(Patched("{metadata: " + patch + "}").at("metadata").at("finalizers"), FromYaml(want))
        << patch;
  }
}

TEST(StrategicMergePatch, RefusesInvalidPatches) {
  const Case cases[] = {
      {"[]", "a strategic merge patch has to be an object, not a list"},
      {"{spec: {containers: [{image: x}]}}",
       "spec.containers: an element of the list lacks its merge key \"name\": {\"image\":\"x\"}"},
      {"{spec: {containers: [x]}}",
       "spec.containers: elements of two kinds cannot be merged, here object and string"},
      {"{spec: {$deleteFromPrimitiveList/containers: [x]}}",
       "spec.containers: elements of two kinds cannot be merged, here object and string"},
      {"{spec: {$patch: bogus}}", "spec: $patch has to be replace or delete, not \"bogus\""},
      {"{spec: {containers: [{name: A, $patch: merge}]}}",
       "spec.containers: $patch has to be replace or delete, not \"merge\""},
      {"{spec: {volumes: [{name: v, emptyDir: {}, $retainKeys: [name]}]}}",
       "spec.volumes: $retainKeys lacks \"emptyDir\", which the patch sets"},
      {"{spec: {$setElementOrder/containers: x}}",
       "spec.containers.$setElementOrder/containers: expected a list, got a string"},
      {"{spec: {$setElementOrder/containers: [{name: C}, {name: A}], containers: [{name: A}, "
       "{name: C}]}}",
       "spec.containers: \"$setElementOrder/containers\" lacks \"C\", or has it in another order "
       "than the "
       "patch"},
      {"{spec: {$setElementOrder/tolerations: [{key: t}]}}",
       "spec.tolerations: an order of a list without a merge key may name only plain values"},
  };
  for (const auto& [patch, want] : cases) {
    EXPECT_EQ(base::MessageOf([&] { Patched(patch); }, base::Error::Kind::kInvalid), want);
  }
}

TEST(StrategicMergePatch, SchemaDecidesWhichListsMerge) {
  struct SchemaCase {
    Schema schema;
    std::string value;
    std::string patch;
    std::string want;
  };
  const SchemaCase cases[] = {
      {Schema::kNode, "{spec: {taints: [{key: a}], podCIDRs: [x]}}",
       "{spec: {taints: [{key: b}], podCIDRs: [u]}}",
       "{spec: {taints: [{key: b}], podCIDRs: [u, x]}}"},
      {Schema::kNode, "{status: {conditions: [{type: Ready, status: 'True'}]}}",
       "{status: {conditions: [{type: Ready, status: 'False'}], addresses: [{type: A}]}}",
       "{status: {conditions: [{type: Ready, status: 'False'}], addresses: [{type: A}]}}"},
      {Schema::kDeployment,
       "{spec: {strategy: {type: R, rollingUpdate: {maxSurge: 1}}, template: {spec: {containers: "
       "[{name: A}, {name: B}]}}}}",
       "{spec: {strategy: {$retainKeys: [type], type: Recreate}, template: {spec: {containers: "
       "[{name: B, image: q}]}}}}",
       "{spec: {strategy: {type: Recreate}, template: {spec: {containers: [{name: A}, {name: B, "
       "image: q}]}}}}"},
      {Schema::kKubeletConfiguration, "{clusterDNS: [a], metadata: {finalizers: [x]}}",
       "{clusterDNS: [b], metadata: {finalizers: [u]}}",
       "{clusterDNS: [b], metadata: {finalizers: [u]}}"},
      {Schema::kPod, "{spec: {containers: [{name: A, volumeMounts: [{mountPath: /a}]}]}}",
       "{spec: {containers: [{name: A, volumeMounts: [{mountPath: /a, name: v}]}]}}",
       "{spec: {containers: [{name: A, volumeMounts: [{mountPath: /a, name: v}]}]}}"},
  };
  for (const SchemaCase& c : cases) {
    EXPECT_EQ(ApplyStrategicPatch(FromYaml(c.value), FromYaml(c.patch), c.schema), FromYaml(c.want))
        << c.patch;
  }
}

TEST(StrategicMergeDiff, IsSmallAndProducesTheTarget) {
  struct DiffCase {
    std::string from;
    std::string to;
    std::string patch;
  };
  const DiffCase cases[] = {
      {"{a: 1}", "{a: 1}", "{}"},
      {"{metadata: {labels: {a: b, c: d}}}", "{metadata: {labels: {a: x, e: f}}}",
       "{metadata: {labels: {a: x, c: null, e: f}}}"},
      {"{spec: {taints: [{key: a}]}}", "{spec: {taints: [{key: a}, {key: b}]}}",
       "{spec: {taints: [{key: a}, {key: b}]}}"},
      {"{spec: {taints: [{key: a}]}}", "{spec: {}}", "{spec: {taints: null}}"},
      {"{metadata: {finalizers: [x, u]}}", "{metadata: {finalizers: [z, u]}}",
       "{metadata: {$deleteFromPrimitiveList/finalizers: [x], finalizers: [z], "
       "$setElementOrder/finalizers: [z, u]}}"},
      {"{status: {conditions: [{type: A, s: 1}, {type: B}]}}",
       "{status: {conditions: [{type: C}, {type: A, s: 2}]}}",
       "{status: {$setElementOrder/conditions: [{type: C}, {type: A}], conditions: [{type: C}, "
       "{type: A, s: 2}, {type: B, $patch: delete}]}}"},
      {"{status: {conditions: [{type: A}]}}", "{status: {conditions: [{type: B}, {type: B}]}}",
       "{status: {conditions: [{$patch: replace}, {type: B}, {type: B}]}}"},
  };
  for (const DiffCase& c : cases) {
    const json::Value patch = StrategicDiff(FromYaml(c.from), FromYaml(c.to), Schema::kNode);
    EXPECT_EQ(patch, FromYaml(c.patch)) << json::Compact(patch);
    EXPECT_EQ(ApplyStrategicPatch(FromYaml(c.from), patch, Schema::kNode), FromYaml(c.to));
  }
}

// Returns a random Pod. It has few names, so that two random Pods have much in common.
json::Value RandomPod(std::mt19937& random) {
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto some = [&](std::vector<json::Value> all) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(static_cast<std::size_t>(one_of(static_cast<int>(all.size()) + 1)));
    return json::Value(all);
  };
  json::Value pod;
  pod["metadata"]["finalizers"] = some({"x", "y", "z"});
  std::vector<json::Value> containers;
  for (const char* name : {"a", "b", "c"}) {
    json::Value container = {{"name", name}, {"image", one_of(2)}};
    if (one_of(2) == 0) {
      container["env"] = some({{{"name", "A"}, {"value", one_of(2)}}, {{"name", "B"}}});
    }
    containers.push_back(container);
  }
  pod["spec"]["containers"] = some(containers);
  const json::Value volume = one_of(2) == 0 ? json::Value{{"emptyDir", {{"medium", "M"}}}}
                                            : json::Value{{"hostPath", {{"path", one_of(2)}}}};
  std::vector<json::Value> volumes = {{{"name", "v"}}, {{"name", "w"}}};
  volumes[0].update(volume);
  pod["spec"]["volumes"] = some(volumes);
  pod["spec"]["nodeSelector"] =
      one_of(2) == 0 ? json::Value{{"a", one_of(2)}} : json::Value::object();
  return pod;
}

TEST(StrategicMergeDiff, ProducesTheTargetForRandomPods) {
  std::mt19937 random(17);
  for (int i = 0; i < 500; ++i) {
    const json::Value from = RandomPod(random);
    const json::Value to = RandomPod(random);
    const json::Value patch = StrategicDiff(from, to, Schema::kPod);
    ASSERT_EQ(ApplyStrategicPatch(from, patch, Schema::kPod), to) << json::Compact(from) << "\n"
                                                                  << json::Compact(to) << "\n"
                                                                  << json::Compact(patch);
  }
}

}  // namespace
}  // namespace patch
