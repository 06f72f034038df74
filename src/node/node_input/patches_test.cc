// SPDX-License-Identifier: Apache-2.0
#include "node_input/patches.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace node_input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = PatchFileName::Kind;

constexpr const char* kDirectory = "/patches";

TEST(PatchFileName, HasTargetAndType) {
  struct Case {
    std::string name;
    Kind kind;
    std::string target;
    PatchType type;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"kube-scheduler.yaml", Kind::kPatch, "kube-scheduler", PatchType::kStrategic},
           {"etcd0+json.json", Kind::kPatch, "etcd", PatchType::kJson},
           {"kube-apiserver-a+merge.yaml", Kind::kPatch, "kube-apiserver", PatchType::kMerge},
           {"kubeletconfiguration+strategic.yaml", Kind::kPatch, "kubeletconfiguration",
            PatchType::kStrategic},
           {"corednsdeployment.json", Kind::kPatch, "corednsdeployment", PatchType::kStrategic},
           {"kube-scheduler+json+merge.yaml", Kind::kPatch, "kube-scheduler", PatchType::kJson},
           {"kube-scheduler.x+merge.yaml", Kind::kPatch, "kube-scheduler", PatchType::kStrategic},
           {"kube-schedulerjson.yaml", Kind::kPatch, "kube-scheduler", PatchType::kStrategic},
           {"kube-scheduler+.yaml", Kind::kUnknownType, "kube-scheduler", PatchType::kStrategic},
           {"kube-scheduler++json.yaml", Kind::kUnknownType, "kube-scheduler",
            PatchType::kStrategic},
           {"kube-scheduler+magic.yaml", Kind::kUnknownType, "kube-scheduler",
            PatchType::kStrategic},
           {"kube-proxy.yaml", Kind::kUnknownTarget, "", PatchType::kStrategic},
           {".hidden.yaml", Kind::kUnknownTarget, "", PatchType::kStrategic},
           {"kube-scheduler.YAML", Kind::kWrongExtension, "", PatchType::kStrategic},
           {"kube-scheduler", Kind::kWrongExtension, "", PatchType::kStrategic},
           {"README.md", Kind::kWrongExtension, "", PatchType::kStrategic}}) {
    const PatchFileName name = ParsePatchFileName(c.name);
    EXPECT_EQ(name.kind, c.kind) << c.name;
    EXPECT_EQ(name.target, c.target) << c.name;
    EXPECT_EQ(name.type, c.type) << c.name;
  }
}

// Writes files below the directory and reads them.
class Patches : public testing::Test {
 protected:
  Patches() { fake_.files.MakeDirectories(kDirectory, 0755); }
  void Write(const std::string& name, const std::string& text) {
    fake_.files.Write(fs::path(kDirectory) / name, text, {});
  }
  PatchSet Read() { return ReadPatches(fake_.files, kDirectory); }
  json::Value Applied(json::Value value = {{"spec", json::Value::object()}}) {
    return ApplyPatches(Read(), "kube-scheduler", std::move(value), patch::Schema::kPod).value;
  }
  host::FakeHost fake_;
};

TEST_F(Patches, AreReadInLexicalOrderOfTheWholeTree) {
  Write("b/kube-scheduler.yaml", "a: b\n---\n\n---\nc: d\n");
  Write("a/etcd1.yaml", "a: b\n");
  Write("Z/kube-scheduler+json.json", "[]");
  Write("empty/etcd.yaml", "");
  Write("kube-proxy.yaml", "x: y");
  Write("notes.md", "x");
  const PatchSet set = Read();
  EXPECT_THAT(set.found,
              ElementsAre("kube-scheduler+json.json", "etcd1.yaml", "kube-scheduler.yaml"));
  std::vector<std::string> ignored;
  for (const auto& file : set.ignored) {
    ignored.push_back(file.file);
  }
  EXPECT_THAT(ignored, ElementsAre("etcd.yaml", "kube-proxy.yaml", "notes.md"));
  ASSERT_EQ(set.patches.size(), 4U);
  EXPECT_EQ(set.patches[2].document, (json::Value{{"a", "b"}}));
  EXPECT_EQ(set.patches[3].document, (json::Value{{"c", "d"}}));
}

TEST_F(Patches, ApplyToTheirTargetOnly) {
  Write("etcd.yaml", "spec: {x: 1}");
  Write("kube-scheduler1+merge.yaml", "spec: {a: 1, b: 2}");
  Write("kube-scheduler2+json.yaml", "[{op: remove, path: /spec/a}]");
  Write("kube-scheduler3.yaml", "spec: {containers: [{name: c, image: i}]}\n---\n# nothing\n");
  const Patched patched = ApplyPatches(Read(), "kube-scheduler", {{"spec", json::Value::object()}},
                                       patch::Schema::kPod);
  EXPECT_EQ(patched.value.dump(), R"({"spec":{"b":2,"containers":[{"image":"i","name":"c"}]}})");
  std::vector<std::string> types;
  for (const AppliedPatch& applied : patched.applied) {
    EXPECT_EQ(applied.target, "kube-scheduler");
    types.emplace_back(MimeType(applied.type));
  }
  EXPECT_THAT(types, ElementsAre("application/merge-patch+json", "application/json-patch+json",
                                 "application/strategic-merge-patch+json",
                                 "application/strategic-merge-patch+json"));
}

TEST_F(Patches, DirectoryMustBeADirectory) {
  EXPECT_THAT(base::MessageOf([&] { ReadPatches(fake_.files, "/none"); }),
              HasSubstr("/none: no such file or directory"));
  Write("file", "x");
  EXPECT_THAT(base::MessageOf([&] { ReadPatches(fake_.files, "/patches/file"); }),
              HasSubstr("not a directory"));
  fs::create_directory_symlink(fake_.directory.path() / "patches", fake_.directory.path() / "link");
  EXPECT_THAT(base::MessageOf([&] { ReadPatches(fake_.files, "/link"); }),
              HasSubstr("not a directory"));
}

TEST_F(Patches, RefusesAnUnknownType) {
  Write("kube-scheduler+magic.yaml", "x: y");
  EXPECT_THAT(base::MessageOf([&] { Read(); }), HasSubstr("must be one of [json merge strategic]"));
}

TEST_F(Patches, RefusesInvalidYaml) {
  Write("kube-scheduler.yaml", "a: [");
  EXPECT_THAT(base::MessageOf([&] { Read(); }), HasSubstr("/patches/kube-scheduler.yaml: "));
  Write("kube-scheduler.yaml", "a: b\n---x\nc: d\n");
  EXPECT_THAT(base::MessageOf([&] { Read(); }), HasSubstr("separator"));
}

TEST_F(Patches, NamesTheTargetOfAConflict) {
  struct Case {
    std::string name, text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"kube-scheduler.yaml", "- a"},
           {"kube-scheduler+merge.yaml", "text"},
           {"kube-scheduler+merge.yaml", "# only a comment"},
           {"kube-scheduler+json.yaml", "a: b"},
           {"kube-scheduler+json.yaml", "[{op: remove, path: /none/at/all}]"},
           {"kube-scheduler.yaml", "spec: {containers: [{image: nameless}]}"}}) {
    Write(c.name, c.text);
    EXPECT_THAT(base::MessageOf([&] { Applied({{"spec", {{"containers", {{{"name", "c"}}}}}}}); }),
                HasSubstr("to target \"kube-scheduler\""))
        << c.name << " " << c.text;
    fake_.files.Remove(fs::path(kDirectory) / c.name);
  }
}

TEST(Decoded, IsOfTheKindAndVersionThatWasPatched) {
  const json::Value pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", {{"hostIPC", true}}}};
  EXPECT_EQ(Decoded(pod, "v1", "Pod")["spec"]["hostIPC"], true);
  for (const char* field : {"apiVersion", "kind"}) {
    json::Value other = pod;
    other[field] = "v2";
    EXPECT_THAT(base::MessageOf([&] { Decoded(other, "v1", "Pod"); }),
                HasSubstr("the patched object is not a Pod"))
        << field;
  }
}

TEST_F(Patches, AcceptSeparatorsWithCommentsAndTrimTheLastLineEnd) {
  Write("kube-scheduler.yaml", "--- # one\na: |\n  x\n--- # two\nb: |+\n  y\n\n");
  EXPECT_EQ(Applied().dump(), R"({"a":"x","b":"y","spec":{}})");
}

TEST_F(Patches, WhiteSpaceBeforeADocumentIsNotPartOfIt) {
  Write("kube-scheduler.yaml", "\t\n \n  a: x\n---\n\tb: z\n---\n \t\n");
  EXPECT_EQ(Applied().dump(), R"({"a":"x","b":"z","spec":{}})");
  Write("kube-scheduler.yaml", "\n\n  a: x\n  b: [\n");
  EXPECT_THAT(base::MessageOf([&] { Applied(); }), HasSubstr("line 4"));
}

}  // namespace
}  // namespace node_input
