// SPDX-License-Identifier: Apache-2.0
#include "print/printer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"

namespace print {
namespace {

json::Ordered Images() {
  json::Ordered images;
  images["kind"] = "Images";
  images["apiVersion"] = "v1";
  images["images"] = {"b", "a"};
  return images;
}

std::string ReadFile(const std::string& path) {
  if (path == "/nope") {
    throw base::Error(base::Error::Kind::kNotFound, "no such file or directory");
  }
  return path == "/jsonpath" ? "{.kind}\n" : "{{.kind}}\n";
}

std::string Printed(std::string_view flag) { return ParsePrinter(flag, ReadFile).Print(Images()); }

std::string Failure(std::string_view flag,
                    print::MissingKeys missing = print::MissingKeys::kAllowed) {
  try {
    return "no failure: " + ParsePrinter(flag, ReadFile, missing).Print(Images());
  } catch (const base::Error& error) {
    return error.message();
  }
}

TEST(Printer, LeavesTextOutputToTheCommand) {
  EXPECT_TRUE(ParsePrinter("text", ReadFile).IsText());
  EXPECT_EQ(Printed("text"), "");
  EXPECT_FALSE(ParsePrinter("json", ReadFile).IsText());
}

TEST(Printer, PrintsAnObjectInEveryFormat) {
  const std::string json =
      "{\n    \"kind\": \"Images\",\n    \"apiVersion\": \"v1\",\n    \"images\": [\n        "
      "\"b\",\n"
      "        \"a\"\n    ]\n}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"json", json},
      {"JSON", json},
      {"yaml", "apiVersion: v1\nimages:\n- b\n- a\nkind: Images\n"},
      {"Kyaml",
       "---\n{\n  kind: \"Images\",\n  apiVersion: \"v1\",\n  images: [\n    \"b\",\n    \"a\",\n  "
       "],\n}\n"},
      {"jsonpath={.images[0]}", "b"},
      {"jsonpath={.kind}={.kind}", "Images=Images"},
      {"jsonpath={}", "{\"apiVersion\":\"v1\",\"images\":[\"b\",\"a\"],\"kind\":\"Images\"}"},
      {"jsonpath-as-json={.images[*]}", "[\n    \"b\",\n    \"a\"\n]\n"},
      {"jsonpath-file=/jsonpath", "Images\n"},
      {"go-template={{range .images}}{{.}};{{end}}", "b;a;"},
      {"template={{.}}", "map[apiVersion:v1 images:[b a] kind:Images]"},
      {"go-template-file=/template", "Images\n"},
      {"templatefile=/template", "Images\n"},
      {"go-template={{.nope}}", "<no value>"},
  };
  for (const auto& [flag, want] : cases) {
    EXPECT_EQ(Printed(flag), want) << flag;
  }
}

TEST(Printer, SeparatesYamlDocuments) {
  const Printer yaml = ParsePrinter("yaml", ReadFile);
  EXPECT_EQ(yaml.Print({{"a", 1}}), "a: 1\n");
  EXPECT_EQ(yaml.Print({{"a", 2}}), "---\na: 2\n");
  const Printer json = ParsePrinter("json", ReadFile);
  EXPECT_EQ(json.Print({{"a", 1}}), "{\n    \"a\": 1\n}\n");
  EXPECT_EQ(json.Print({{"a", 2}}), "{\n    \"a\": 2\n}\n");
}

TEST(Printer, RefusesAnUnknownFormatAndListsTheKnownOnes) {
  for (const std::string flag :
       {"bogus", "", "Text", "text=x", "json=x", "yaml=", "JsonPath={.kind}", " json", "name"}) {
    EXPECT_EQ(Failure(flag),
              "could not construct output printer: unable to match a printer suitable for the "
              "output format \"" +
                  flag +
                  "\", allowed formats are: go-template,go-template-file,json,jsonpath,"
                  "jsonpath-as-json,jsonpath-file,kyaml,template,templatefile,text,yaml");
  }
}

TEST(Printer, ChecksTemplatesBeforeOutput) {
  const std::string prefix = "could not construct output printer: ";
  for (const std::string flag :
       {"jsonpath", "jsonpath=", "go-template", "go-template-file=", "template", "templatefile",
        "jsonpath-file", "jsonpath-as-json="}) {
    EXPECT_EQ(Failure(flag), prefix + "template format specified but no template given") << flag;
  }
  EXPECT_EQ(Failure("jsonpath={"), prefix + "error parsing jsonpath {: unclosed action");
  EXPECT_EQ(Failure("template={{"), prefix + "error parsing template {{: line 1: unclosed action");
  EXPECT_EQ(Failure("templatefile=/nope"),
            prefix + "error reading template file /nope: no such file or directory");
}

TEST(Printer, NamesTheTemplateThatFailed) {
  EXPECT_EQ(Failure("jsonpath={.kind[0]}"),
            "error executing jsonpath \"{.kind[0]}\": a string is not array or slice");
  EXPECT_EQ(Failure("jsonpath={.nope}", print::MissingKeys::kRefused),
            "error executing jsonpath \"{.nope}\": nope is not found");
  EXPECT_EQ(Failure("go-template={{.nope}}", print::MissingKeys::kRefused),
            "error executing template \"{{.nope}}\": line 1: map has no entry for key \"nope\"");
}

TEST(Printer, ErrorsQuoteOnlyAShortExcerptOfATemplate) {
  for (const std::string form : {"go-template={{", "jsonpath={"}) {
    const base::Error error = base::Thrown(
        [&] { ParsePrinter(form + std::string(100'000, 'x'), {}, print::MissingKeys::kAllowed); });
    EXPECT_LT(error.message().size(), 5000);
  }
}

}  // namespace
}  // namespace print
