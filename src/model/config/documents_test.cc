// SPDX-License-Identifier: Apache-2.0
#include "config/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config/versions.h"

namespace config {
namespace {

using testing::HasSubstr;

TEST(Documents, ReadsGroupVersionAndKind) {
  const auto documents = ReadDocuments({.text = InitText() + "---\n" + ClusterText()});
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0].gvk.Text(), "kubeadm.k8s.io/v1beta4, Kind=InitConfiguration");
  EXPECT_EQ(FindDocument(documents, "ClusterConfiguration"), &documents[1]);
  EXPECT_EQ(FindDocument(documents, "JoinConfiguration"), nullptr);
}

TEST(Documents, AcceptsJson) {
  const auto documents =
      ReadDocuments({.text = R"({"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"X"})"});
  ASSERT_EQ(documents.size(), 1U);
  EXPECT_EQ(documents[0].gvk.kind, "X");
}

TEST(Documents, AcceptsFlowStyleYamlOfAnotherGroup) {
  EXPECT_EQ(ReadDocuments({.text = "{apiVersion: a/b, kind: X}"})[0].gvk.kind, "X");
}

// Go's encoding/json, which reads the type of an object, ignores the case, too.
TEST(Documents, IgnoresTheCaseOfApiVersionAndKind) {
  const auto gvk = [](const std::string& text) {
    return ReadDocuments({.text = text})[0].gvk.Text();
  };
  EXPECT_EQ(gvk("ApiVersion: a/b\nKIND: X\n"), "a/b, Kind=X");
  EXPECT_EQ(gvk("kind: Z\napiVersion: a/b\nKind: X\n"), "a/b, Kind=Z");
  EXPECT_EQ(gvk("apiversion: c/d\napiVersion: a/b\nkind: X\n"), "c/d, Kind=X");
  EXPECT_EQ(gvk("kind: null\nKind: X\napiVersion: a/b\n"), "a/b, Kind=X");
}

TEST(Documents, RequireJsonRefusesYamlThatBeginsAsJson) {
  struct Case {
    std::string text;
    bool is_json;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"{apiVersion: kubeadm.k8s.io/v1beta4, kind: X}\n", false},
                                   {"\n {\"apiVersion\": \"a/b\", \"kind\": \"X\",}", false},
                                   {R"({"apiVersion": "a/b", "kind": "X"})", true},
                                   {InitText(), true}}) {
    const Source source{.text = c.text, .name = "kubeadm.yaml"};
    const Document document = ReadDocuments(source).front();
    EXPECT_THAT(base::MessageOf([&] { RequireJson(source, document); }),
                c.is_json ? testing::Matcher<std::string>(testing::IsEmpty())
                          : testing::Matcher<std::string>(HasSubstr("kubeadm.yaml as JSON")))
        << c.text;
  }
}

TEST(Documents, AcceptsScalarsForStrings) {
  const auto documents = ReadDocuments({.text = "apiVersion: x/5\nkind: 7\n"});
  EXPECT_EQ(documents[0].gvk, (GroupVersionKind{"x", "5", "7"}));
}

TEST(Documents, RefusesDocumentsThatAreNotApiObjects) {
  struct Case {
    std::string name, text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"comment", "# nothing\n", "kind and apiVersion"},
           {"comments and separators", "# a\n---\n# b\n---\n", "kind and apiVersion"},
           {"separators alone", "---\n---\n", "kubeadm.yaml:1: invalid configuration"},
           {"no kind", "apiVersion: kubeadm.k8s.io/v1beta4\n", "kind and apiVersion"},
           {"no group", "apiVersion: v1\nkind: Pod\n", "kind and apiVersion"},
           {"empty group", "apiVersion: /v1\nkind: Pod\n", "kind and apiVersion"},
           {"two slashes", "apiVersion: a/b/c\nkind: X\n", "\"a/b/c\""},
           {"number", "5\n", "cannot unmarshal"},
           {"list", "- a\n", "cannot unmarshal"},
           {"list for kind", "apiVersion: a/b\nkind: [x]\n", "cannot unmarshal kind"},
           {"no YAML", "a: [\n", "kubeadm.yaml as YAML"},
           {"twice", InitText() + "---\n" + InitText() + "---\n" + InitText(),
            "kind \"InitConfiguration\" is specified twice"}}) {
    EXPECT_THAT(base::MessageOf([&] { ReadDocuments({.text = c.text, .name = "kubeadm.yaml"}); }),
                HasSubstr(c.want))
        << c.name;
  }
}

// Rendered templates may contain documents with only comments, and separators without content.
TEST(Documents, SkipsEmptyDocuments) {
  const std::string text = InitText();
  for (const std::string& stream :
       {"# a\n---\n" + text, text + "---\n# a\n", text + "---\n", text + "---\n\n",
        "---\n# Source: a.yaml\n---\n# Source: b.yaml\n" + text, text + "---\n  # a\n \n---\n",
        "%YAML 1.2\n---\n" + text, text + "---\n...\n", "\xef\xbb\xbf# a\n---\n" + text}) {
    const auto documents = ReadDocuments({.text = stream, .name = "kubeadm.yaml"});
    ASSERT_EQ(documents.size(), 1U) << stream;
    EXPECT_EQ(documents[0].gvk.kind, "InitConfiguration");
  }
}

TEST(Documents, RefusesBlankFilesAndAcceptsAnEmptyFile) {
  EXPECT_THAT(ReadDocuments({.text = "", .name = "kubeadm.yaml"}), testing::IsEmpty());
  for (const char* text : {"\n", "\n\n\n", " \n", "---\n", "---\n\n", "# a\n"}) {
    EXPECT_THAT(base::MessageOf([&] { ReadDocuments({.text = text, .name = "kubeadm.yaml"}); }),
                HasSubstr("kind and apiVersion is mandatory"))
        << text;
  }
}

TEST(Documents, NamesTheKubeadmThatReadsAnOldVersion) {
  struct Case {
    std::string version, kubeadm;
  };
  for (const Case& c : std::initializer_list<Case>{{"v1beta2", "v1.22"},
                                                   {"v1beta1", "v1.15"},
                                                   {"v1alpha3", "v1.14"},
                                                   {"v1alpha2", "v1.12"},
                                                   {"v1alpha1", "v1.11"}}) {
    const GroupVersionKind gvk{"kubeadm.k8s.io", c.version, "ClusterConfiguration"};
    EXPECT_THAT(base::MessageOf([&] { RequireCurrentVersion(gvk); }),
                HasSubstr("kubeadm " + c.kubeadm));
    EXPECT_TRUE(IsOldVersion(gvk));
    EXPECT_EQ(KubeadmVersionBit(gvk), 0U);
  }
  EXPECT_FALSE(IsOldVersion({"example.org", "v1beta2", "X"}));
}

TEST(Documents, RecognizesKubeadmKinds) {
  EXPECT_TRUE(IsKnown({"kubeadm.k8s.io", "v1beta4", "ResetConfiguration"}));
  EXPECT_FALSE(IsKnown({"kubeadm.k8s.io", "v1beta3", "ResetConfiguration"}));
  EXPECT_TRUE(IsKnown({"kubelet.config.k8s.io", "v1beta1", "KubeletConfiguration"}));
  EXPECT_EQ(KubeadmVersionBit({"kubeadm.k8s.io", "v1beta3", "X"}), kV1beta3);
  EXPECT_EQ(KubeadmVersionBit({"example.org", "v1beta4", "X"}), 0U);
}

}  // namespace
}  // namespace config
