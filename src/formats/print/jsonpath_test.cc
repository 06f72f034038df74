// SPDX-License-Identifier: Apache-2.0
#include "print/jsonpath.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "json/value.h"

namespace print {
namespace {

using testing::HasSubstr;

const char* const kObject = R"({
  "kind": "Foo", "metadata": {"name": "a", "labels": {"a.b/c": "dot", "x y": "blank"}},
  "its": [{"name": "n1", "v": 1, "f": 1.5, "t": true, "e": null, "tags": ["p", "q"],
           "sub": {"k": "z"}},
          {"name": "n2", "v": 2, "f": 2.0, "t": false, "tags": ["r"], "sub": {"k": "y"}},
          {"name": "n3", "v": 30, "tags": []}],
  "big": 12345678901, "flt": 1e21, "mil": 1234567.5, "empty": {}, "el": [], "q": "a\"<&>é\n",
  "nul": null, "nums": [3, 1, 2]})";

std::string Printed(std::string_view text, MissingKeys missing = MissingKeys::kAllowed) {
  return JsonPath(text).Text(json::Parse(kObject), missing);
}

std::string Failure(std::string_view text, MissingKeys missing = MissingKeys::kAllowed) {
  try {
    return "no failure: " + Printed(text, missing);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    return error.message();
  }
}

struct Case {
  std::string text;
  std::string want;
};

TEST(JsonPath, FollowsFields) {
  const Case cases[] = {
      {"", ""},
      {"hello {.kind} world", "hello Foo world"},
      {"{.metadata.name}", "a"},
      {"{ .kind }", "Foo"},
      {"{.metadata .name}", "a"},
      {"{['metadata']['name']}", "a"},
      {"{.metadata['name']}", "a"},
      {"{['metadata'].name}", "a"},
      {"{['metadata.name']}", "a"},
      {R"({.metadata.labels.a\.b/c})", "dot"},
      {R"({.metadata.labels['a\.b/c']})", "dot"},
      {"{.metadata.labels['a.b/c']}", ""},
      {R"({.metadata.labels.x\ y})", "blank"},
      {"{.metadata.labels['x y']}", "blank"},
      {"{$.kind}{@.kind}", "FooFoo"},
      {"{.nope}{.nope.x}{.kind.x}{.its.name}{.nul.x}{.}", ""},
      {"{.kind}}", "Foo}"},
      {"{.nums}{.empty}{.el}", "[3,1,2]{}[]"},
      {"{.its[0].sub}", R"({"k":"z"})"},
      {"{}", json::Compact(json::Parse(kObject))},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Printed(text), want) << text;
  }
}

TEST(JsonPath, PrintsValuesAsGoDoes) {
  EXPECT_EQ(Printed("{.big} {.flt} {.mil} {.its[*].f} {.nul} {.its[*].t}"),
            "12345678901 1e+21 1.2345675e+06 1.5 2 null true false");
  EXPECT_EQ(Printed("{.q}"), "a\"<&>é\n");
}

TEST(JsonPath, IndexesAndSlicesLists) {
  const Case cases[] = {
      {"{.its[0].name} {.its[-1].name}", "n1 n3"},
      {"{.its[01].name}", "n2"},
      {"{.its[*].name}", "n1 n2 n3"},
      {"{.its[0:2].name}", "n1 n2"},
      {"{.its[:2].name}", "n1 n2"},
      {"{.its[1:].name}", "n2 n3"},
      {"{.its[-2:].name}", "n2 n3"},
      {"{.its[-3:-1].name}", "n1 n2"},
      {"{.its[::2].name}", "n1 n3"},
      {"{.its[0:3:5].name}", "n1"},
      {"{.its[1:1].name}{.its[3:].name}", ""},
      {"{.its[].name}", "n1"},
      {"{.its[0,2].name}", "n1 n3"},
      {"{.its[0:1,2].name}", "n1 n3"},
      {"{.its[*,0].name}", "n1 n2 n3 n1"},
      {"{.its[*]['name','v']}", "n1 n2 n3 1 2 30"},
      {"{.its[*]['name' , 'v' ]}", "n1 n2 n3 1 2 30"},
      {"{.its[0].sub['k','k']}", "z z"},
      {"{.its[*].tags[*]}", "p q r"},
      {"{.el[*]}{.el[0:]}{.nul[0]}{.nope[0]}", ""},
      {"{.its.*.name}", "n1 n2 n3"},
      {"{.metadata.*}", R"({"a.b/c":"dot","x y":"blank"} a)"},
      {"{.metadata['*']}", R"({"a.b/c":"dot","x y":"blank"} a)"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Printed(text), want) << text;
  }
}

TEST(JsonPath, SelectsRecursively) {
  const Case cases[] = {
      {"{..name}", "n1 n2 n3 a"},
      {"{$..name}", "n1 n2 n3 a"},
      {"{.its..name}", "n1 n2 n3"},
      {"{..['name']}", "n1 n2 n3 a"},
      {"{.its[0]..k}", "z"},
      {"{.its[1]..}", R"({"f":2,"name":"n2","sub":{"k":"y"},"t":false,"tags":["r"],"v":2} n2 )"
                      R"({"k":"y"} y ["r"] r)"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Printed(text), want) << text;
  }
}

TEST(JsonPath, FiltersByComparisonAndExistence) {
  const Case cases[] = {
      {"{.its[?(@.name==\"n1\")].v}", "1"},
      {"{.its[?(@.name=='n2')].v}", "2"},
      {"{.its[?( @.v == 1 )].name}", "n1"},
      {"{.its[?(@.v>1)].name}", "n2 n3"},
      {"{.its[?(@.v>=2)].name}", "n2 n3"},
      {"{.its[?(@.v<2)].name}", "n1"},
      {"{.its[?(@.v<=2)].name}", "n1 n2"},
      {"{.its[?(@.v!=2)].name}", "n1 n3"},
      {"{.its[?(@.f>1)].name}", "n1 n2"},
      {"{.its[?(@.name>\"n1\")].name}", "n2 n3"},
      {"{.its[?(@.t==true)].name}", "n1"},
      {"{.its[?(@.t!=false)].name}", "n1"},
      {"{.its[?(@.t)].name}", "n1 n2"},
      {"{.its[?(@.e)].name}", "n1"},
      {"{.its[?(@.sub.k==\"z\")].name}", "n1"},
      {"{.its[?(@.x==1)].name}", ""},
      {"{.its[?(@.e==\"x\")].name}", ""},
      {"{.nums[?(@>1)]}", "3 2"},
      {"{.nums[?(@==-1)]}", ""},
      {"{.its[?(.v==1)].name}", "n1"},
      {"{.its[?(@['name']==\"n1\")].v}", "1"},
      {"{.its[?(1==1)].name}", "n1 n2 n3"},
      {"{.its[?(@.name==@.name)].v}", "1 2 30"},
      {"{.its[?(@.name==\"a]b)\")].v}", ""},
      {R"({.its[?(@.name=="n\u0031")].v})", "1"},
      {"{.its[?(@.tags[?(@==\"q\")])].name}", "n1"},
      {"{.nul[?(@.a)]}", ""},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Printed(text), want) << text;
  }
}

TEST(JsonPath, PrintsRangesAndTexts) {
  const Case cases[] = {
      {"{range .its[*]}{.name}={.v}{\"\\n\"}{end}", "n1=1\nn2=2\nn3=30\n"},
      {"{range .its[*]}[{.name},{.tags}] {end}", "[n1,[\"p\",\"q\"]] [n2,[\"r\"]] [n3,[]] "},
      {"{range .its[*]}{.name}{range .tags[*]}<{@}>{end};{end}", "n1<p><q>;n2<r>;n3;"},
      {"{range .its[?(@.v>1)]}{@.name}{'x'}{end}b", "n2xn3xb"},
      {"{  range   .its[*] }{.name}{  end  }", "n1n2n3"},
      {"{range .nope[*]}x{end}{range .nul}x{end}", "x"},
      {"{range .its[*]}{.nope}{.name},{end}", "n1,n2,n3,"},
      {R"({"a\tb\"c"}{'a\'b'}{'}'}{"x\u0041"}{"\\"})", "a\tb\"ca'b}xA\\"},
      {"{1} {-1} {1.5} {1.0} {true}{false}", "1 -1 1.5 1 truefalse"},
      {"a\\nb", "a\\nb"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Printed(text), want) << text;
  }
}

TEST(JsonPath, RefusesInvalidTemplates) {
  const Case cases[] = {
      {"{.kind", "unclosed action"},
      {"{\"x}", "unterminated quoted string"},
      {"x{end}", "not in range, nothing to end"},
      {"{range .its[*]}x", "a range lacks its {end}"},
      {"{.its[}", "unterminated array"},
      {"{.its[a]}", "invalid array index a"},
      {"{.its[1:2:3:4]}", "invalid array index 1:2:3:4"},
      {"{.its[+1]}", "invalid array index +1"},
      {"{[\"kind\"]}", "invalid array index \"kind\""},
      {"{.its[?(]}", "unterminated filter"},
      {"{.its[?(@.v)==1].v}", "unclosed array expect ]"},
      {"{.its[?(@.v=1)].v}", "unrecognized filter operator ="},
      {"{.its[?(@.name=~\"n\")].v}", "unrecognized filter operator ="},
      {"{.its[?(@.v==1 && @.t)].name}", "unrecognized character in action: \"&\""},
      {"{.kind,}", "unrecognized character in action: \",\""},
      {"{{.kind}}", "unrecognized character in action: \"{\""},
      {"{foo}", "unrecognized identifier foo"},
      {"{\"\\q\"}", "unknown escape \\q"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_THAT(Failure(text), HasSubstr(want)) << text;
  }
}

TEST(JsonPath, ReportsExpressionsThatDoNotFitTheValue) {
  const Case cases[] = {
      {"{.its[5].name}", "array index out of bounds: index 5, length 3"},
      {"{.its[-9].name}", "array index out of bounds: index -6, length 3"},
      {"{.its[5:].name}", "array index out of bounds: index 5, length 3"},
      {"{.its[0:9].name}", "array index out of bounds: index 8, length 3"},
      {"{.its[:-4].name}", "array index out of bounds: index -2, length 3"},
      {"{.its[2:1].name}", "starting index 2 is greater than ending index 1"},
      {"{.its[0:3:0].name}", "step must be > 0"},
      {"{.kind[0]}", "a string is not array or slice"},
      {"{.metadata[*]}", "a object is not array or slice"},
      {"{.metadata[?(@.a)]}", "cannot be filtered"},
      {"{.its[?(@.v==\"1\")].name}", "incompatible types for comparison: number and string"},
      {"{.its[?(@.tags==\"p\")].name}", "invalid type for comparison"},
      {"{.its[?(@.t>false)].name}", "invalid type for comparison"},
      {"{.its[?(@.tags[*]==\"p\")].name}", "can only compare one element at a time"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_THAT(Failure(text), HasSubstr(want)) << text;
  }
}

TEST(JsonPath, RefusesMissingKeysOnRequest) {
  for (const std::string text : {"{.nope}", "{.its[*].nope}", "{range .nope[*]}x{end}", "{..nope}",
                                 "{.its[?(@.nope==\"x\")].v}"}) {
    EXPECT_EQ(Failure(text, MissingKeys::kRefused), "nope is not found") << text;
  }
  EXPECT_EQ(Printed("{.its[*].sub.k}", MissingKeys::kRefused), "z y");
  EXPECT_EQ(Printed("{.its[?(@.nope)].v}", MissingKeys::kRefused), "");
}

TEST(JsonPath, BoundsRecursiveDescent) {
  std::string text = "{";
  for (int i = 0; i < 60; ++i) {
    text += "..";
  }
  EXPECT_THAT(Failure(text + "}"), HasSubstr("too many values"));
}

TEST(JsonPath, OutputIsBounded) {
  // Every value is printed once more for each of its parents.
  json::Value value = std::string(100'000, 'x');
  for (int i = 0; i < 900; ++i) {
    value = json::Value::array({std::move(value)});
  }
  const JsonPath all("{..}");
  for (const auto form : {&JsonPath::Text, &JsonPath::JsonText}) {
    const base::Error error = base::Thrown([&] { (all.*form)(value, MissingKeys::kAllowed); });
    EXPECT_THAT(error.message(), HasSubstr("MiB"));
  }
}

TEST(JsonPath, TemplatesAreBounded) {
  EXPECT_THAT(Failure(std::string(300'000, ' ')), HasSubstr("longer than 256 KiB"));
  std::string filters = "{";
  for (int i = 0; i < 1000; ++i) {
    filters += "[?(@";
  }
  for (int i = 0; i < 1000; ++i) {
    filters += ")]";
  }
  EXPECT_THAT(Failure(filters + "}"), HasSubstr("filters are nested too deeply"));
}

TEST(JsonPath, JsonTextPrintsOneListForEachPart) {
  const Case cases[] = {
      {"a{.kind}", "[\n    \"a\"\n]\n[\n    \"Foo\"\n]\n"},
      {"{.its[0:2].name}", "[\n    \"n1\",\n    \"n2\"\n]\n"},
      {"{.nope}", "[]\n"},
      {"{.el}{.mil}", "[\n    []\n]\n[\n    1234567.5\n]\n"},
      {"{range .nums[*]}{@}{end}", "[\n    3\n]\n[\n    1\n]\n[\n    2\n]\n"},
      {"{.q}", "[\n    \"a\\\"\\u003c\\u0026\\u003eé\\n\"\n]\n"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(JsonPath(text).JsonText(json::Parse(kObject), MissingKeys::kAllowed), want) << text;
  }
}

}  // namespace
}  // namespace print
