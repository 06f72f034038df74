// SPDX-License-Identifier: Apache-2.0
#include "print/gotemplate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "json/value.h"

namespace print {
namespace {

using testing::HasSubstr;

const char* const kObject = R"({
  "kind": "Foo", "metadata": {"name": "a", "labels": {"a": "b", "a.b/c": "dot"}},
  "its": [{"name": "n1", "v": 1, "tags": ["p", "q"]}, {"name": "n2", "v": 2}, {"name": "n3"}],
  "big": 12345678901, "flt": 1e21, "mil": 1234567.5, "small": 1e-7, "el": [], "empty": {},
  "nul": null, "nums": [3, 1, 2], "q": "a\"<&>é\n"})";

std::string Executed(std::string_view text, MissingKeys missing = MissingKeys::kAllowed) {
  return GoTemplate(text).Execute(json::Parse(kObject), missing);
}

std::string Failure(std::string_view text, MissingKeys missing = MissingKeys::kAllowed) {
  try {
    return "no failure: " + Executed(text, missing);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    return error.message();
  }
}

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

struct Case {
  std::string text;
  std::string want;
};

void ExpectAll(std::initializer_list<Case> cases) {
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Executed(text), want) << text;
  }
}

TEST(GoTemplate, PrintsFields) {
  ExpectAll({
      {"", ""},
      {"x {{.kind}} y", "x Foo y"},
      {"{{ .metadata.name }}{{$.kind}}", "aFoo"},
      {"{{.big}} {{.flt}} {{.mil}} {{.small}}", "12345678901 1e+21 1.2345675e+06 1e-07"},
      {"{{.its}}", "[map[name:n1 tags:[p q] v:1] map[name:n2 v:2] map[name:n3]]"},
      {"{{.metadata.labels}} {{.el}} {{.empty}}", "map[a:b a.b/c:dot] [] map[]"},
      {"{{.nope}} {{.nope.x}} {{.nul}}", "<no value> <no value> <no value>"},
      {"{{.q}}", "a\"<&>é\n"},
      {"{{(index .its 0).name}} {{(.metadata).labels.a}}", "n1 b"},
  });
}

TEST(GoTemplate, PrintsLiteralsAndVariables) {
  ExpectAll({
      {"{{\"q\\n\\\"x\"}} {{`raw\\n`}} {{'a'}}", "q\n\"x raw\\n 97"},
      {"{{true}} {{1}} {{-1}} {{1.5}} {{0x10}} {{1e3}} {{1.0}}", "true 1 -1 1.5 16 1000 1"},
      {"{{$x := .kind}}{{$x}}{{$x = 2}}{{$x}}", "Foo2"},
      {"{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"},
      {"{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"},
      {"{{$m := .metadata}}{{$m.labels.a}}", "b"},
      {"{{/* c */}}a{{- /* d */ -}} b", "ab"},
      {"a {{- .kind -}} b", "aFoob"},
      {"{{\"a\" }}  {{- \"b\" -}}\n c", "abc"},
      {"{{.kind -}}\n\n x", "Foox"},
  });
}

TEST(GoTemplate, EvaluatesIfAndWith) {
  ExpectAll({
      {"{{if .kind}}a{{else}}b{{end}}", "a"},
      {"{{if .nope}}a{{else if .kind}}c{{else}}b{{end}}", "c"},
      {"{{if .nope}}a{{else if .nul}}c{{else}}b{{end}}", "b"},
      {"{{if .el}}a{{end}}{{if .empty}}b{{end}}{{if 0}}c{{end}}{{if 0.5}}d{{end}}", "d"},
      {"{{if $x := .kind}}{{$x}}{{end}}", "Foo"},
      {"{{with .metadata}}{{.name}}{{end}}", "a"},
      {"{{with .nope}}a{{else}}b{{end}}", "b"},
      {"{{with .nope}}a{{else with .kind}}{{.}}{{end}}", "Foo"},
      {"{{with $m := .metadata}}{{$m.name}}{{end}}", "a"},
  });
}

TEST(GoTemplate, IteratesWithRange) {
  ExpectAll({
      {"{{range .its}}{{.name}},{{end}}", "n1,n2,n3,"},
      {"{{range $i, $x := .its}}{{$i}}={{$x.name}} {{end}}", "0=n1 1=n2 2=n3 "},
      {"{{range $x := .nums}}{{$x}}{{end}}", "312"},
      {"{{range $k, $v := .metadata.labels}}{{$k}}:{{$v}};{{end}}", "a:b;a.b/c:dot;"},
      {"{{range .el}}x{{else}}none{{end}}{{range .nope}}x{{else}}none{{end}}", "nonenone"},
      {"{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}", "01201"},
      {"{{range .its}}{{if eq .name \"n2\"}}{{break}}{{end}}{{.name}}{{end}}", "n1"},
      {"{{range .its}}{{if eq .name \"n2\"}}{{continue}}{{end}}{{.name}}{{end}}", "n1n3"},
      {"{{range .its}}{{$.kind}}{{range .tags}}{{.}}{{end}}{{end}}", "FoopqFooFoo"},
  });
}

TEST(GoTemplate, CallsBuiltInFunctions) {
  ExpectAll({
      {"{{eq .kind \"Foo\"}} {{eq .kind \"A\" \"Foo\"}} {{ne .kind \"Foo\"}}", "true true false"},
      {"{{lt 1 2}} {{lt \"a\" \"b\"}} {{le 1 1}} {{gt 1 2}} {{ge 2 2}} {{lt 1 1.5}}",
       "true true true false true true"},
      {"{{eq .nul nil}} {{eq true true}} {{eq .big 12345678901}}", "true true true"},
      {"{{and .kind .el}} {{and .kind \"d\"}} {{or .nope \"d\"}} {{or 0 \"\" .kind}}",
       "[] d d Foo"},
      {"{{or .kind (index .its 9)}}", "Foo"},
      {"{{not .kind}} {{not 0}}", "false true"},
      {"{{len .its}} {{len .kind}} {{len .metadata.labels}} {{len \"é\"}}", "3 3 2 2"},
      {"{{index .its 0 \"tags\" 1}} {{index .metadata.labels \"a.b/c\"}} {{index .kind 0}}",
       "q dot 70"},
      {"{{index .metadata \"zz\"}}", "<no value>"},
      {"{{slice .kind 1 2}} {{slice .nums 1}} {{slice .nums 0 1}}", "o [1 2] [3]"},
      {"{{print 1 2 \"a\" \"b\" 3}} {{print .nul}}", "1 2ab3 <nil>"},
      {"{{println \"a\" 1}}", "a 1\n"},
      {"{{base64decode \"aGk=\"}} {{\"aGk=\" | base64decode | len}}", "hi 2"},
      {"{{exists . \"metadata\" \"name\"}} {{exists . \"nope\"}} {{exists .its 1 \"v\"}}",
       "true false true"},
      {"{{\"a\" | printf \"%s-%s\" \"b\"}} {{.kind | print \"x\" | len}}", "b-a 4"},
      {"{{if not (eq .kind \"Fo\")}}p{{end}}", "p"},
  });
}

TEST(GoTemplate, FormatsWithPrintf) {
  ExpectAll({
      {"{{printf \"%s-%v %q %d\" .kind .big .kind 3}}", "Foo-12345678901 \"Foo\" 3"},
      {"{{printf \"%5s|%-5s|%05d|%x|%X|%o|%b|%c\" \"a\" \"b\" 42 255 255 8 5 65}}",
       "    a|b    |00042|ff|FF|10|101|A"},
      {"{{printf \"%t %v %T %T %%\" true 1.0 .kind .its}}", "true 1 string []interface {} %"},
      {"{{printf \"%.2f|%8.3f|%e|%g|%+d|% d|%+d\" 1.5 1.5 1.5 1.5 1 2 -3}}",
       "1.50|   1.500|1.500000e+00|1.5|+1| 2|-3"},
      {"{{printf \"%.2s|%x|%05d|%v\" \"éab\" \"hi\" -42 .nul}}", "éa|6869|-0042|<nil>"},
      {"{{printf \"%s\"}} {{printf \"%d\" \"x\"}} {{printf \"%s\" 1}} {{printf \"%s\" nil}}",
       "%!s(MISSING) %!d(string=x) %!s(int=1) %!s(<nil>)"},
      {"{{printf \"a\" 1 \"b\"}}", "a%!(EXTRA int=1, string=b)"},
      {"{{printf \"%v\" .nums}} {{printf \"%t\" 1.5}}", "[3 1 2] %!t(float64=1.5)"},
  });
  EXPECT_THAT(Failure("{{printf \"%z\" 1}}"), HasSubstr("%z is not supported"));
  EXPECT_THAT(Failure("{{printf \"%*d\" 1 2}}"), HasSubstr("%* is not supported"));
  EXPECT_THAT(Failure("{{printf \"%\"}}"), HasSubstr("NOVERB"));
  EXPECT_THAT(Failure("{{printf \"%9999999d\" 1}}"), HasSubstr("the width is too large"));
}

TEST(GoTemplate, RefusesInvalidTemplates) {
  const Case cases[] = {
      {"{{.kind", "line 1: unclosed action"},
      {"a\nb{{", "line 2: unclosed action"},
      {"{{if}}", "line 1: missing value for if"},
      {"{{}}", "line 1: missing value for command"},
      {"{{end}}", "line 1: unexpected {{end}}"},
      {"{{else}}", "line 1: unexpected {{else}}"},
      {"{{if .kind}}", "line 1: unexpected EOF"},
      {"{{if .a}}{{else}}{{else}}{{end}}", "line 1: unexpected {{else}}"},
      {"{{if .a}}{{else}}", "line 1: unexpected EOF"},
      {"{{range .a}}{{else if .b}}{{end}}", "line 1: unexpected text behind else"},
      {"{{end x}}", "line 1: unexpected text behind end"},
      {"{{foo}}", "line 1: function \"foo\" not defined"},
      {"{{html .a}}", "line 1: function \"html\" is not supported"},
      {"{{define \"T\"}}x{{end}}", "line 1: \"define\" is not supported"},
      {"{{template \"T\"}}", "line 1: \"template\" is not supported"},
      {"{{break}}", "line 1: {{break}} outside {{range}}"},
      {"{{$y}}", "line 1: undefined variable \"$y\""},
      {"{{$y = 1}}", "line 1: undefined variable \"$y\""},
      {"{{if true}}{{$x := 1}}{{end}}{{$x}}", "line 1: undefined variable \"$x\""},
      {"{{range $i, $x, $z := .nums}}{{end}}", "line 1: too many declarations in range"},
      {"{{range $x = .nums}}{{end}}", "undefined variable"},
      {"{{1 2}}", "line 1: can't give argument to non-function"},
      {"{{.kind | .x}}", "line 1: can't give argument to non-function"},
      {"{{nil}}", "line 1: nil is not a command"},
      {"{{\"x}}", "line 1: unterminated quoted string"},
      {"{{'ab'}}", "line 1: malformed character constant"},
      {"{{(.kind}}", "line 1: unclosed left paren"},
      {"{{.kind)}}", "line 1: unexpected \")\" in command"},
      {"{{(print ($x := 1))}}", "line 1: variables cannot be set in parentheses"},
      {"{{.a..b}}", "line 1: unexpected \".\" in operand"},
      {"{{print\"a\"}}", "line 1: unexpected \"\\\"a\\\"\" in operand"},
      {"{{ /* c */ }}", "line 1: unexpected \"/\" in an action"},
      {"{{/* c}}", "line 1: unclosed comment"},
      {"{{/* c */ x}}", "line 1: comment ends before closing delimiter"},
      {"{{1x}}", "line 1: bad number syntax: \"1x\""},
      {"{{.a |}}", "line 1: missing value for command"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_THAT(Failure(text), HasSubstr(want)) << text;
  }
  std::string deep;
  for (int i = 0; i < 500; ++i) {
    deep += "{{if true}}";
  }
  EXPECT_THAT(Failure(deep), HasSubstr("nested too deep"));
  EXPECT_THAT(Failure("{{" + std::string(500, '(') + "}}"), HasSubstr("nested too deep"));
}

TEST(GoTemplate, ReportsFailedOperations) {
  const Case cases[] = {
      {"{{.kind.x}}", "line 1: can't evaluate field x in a string"},
      {"\n{{.its.name}}", "line 2: can't evaluate field name in a list"},
      {"{{range .kind}}x{{end}}", "line 1: range can't iterate over Foo"},
      {"{{index .its 7}}", "line 1: error calling index: index out of range: 7"},
      {"{{index .its 3}}", "line 1: error calling index: index out of range: 3"},
      {"{{index .its -1}}", "line 1: error calling index: index out of range: -1"},
      {"{{index .its \"a\"}}", "line 1: error calling index: a string is not an index"},
      {"{{index .metadata 1}}", "line 1: error calling index: a number is not a key"},
      {"{{index .nope \"a\"}}", "line 1: error calling index: index of nil"},
      {"{{index 1 0}}", "line 1: error calling index: cannot index a number"},
      {"{{len 3}}", "line 1: error calling len: len of a number"},
      {"{{len .nope}}", "line 1: error calling len: len of a null"},
      {"{{slice .kind 2 1}}", "line 1: error calling slice: invalid slice index: 2 > 1"},
      {"{{slice .kind 9}}", "line 1: error calling slice: index out of range: 9"},
      {"{{slice 1}}", "line 1: error calling slice: slice of a number"},
      {"{{eq \"a\" 1}}", "line 1: error calling eq: incompatible types for comparison"},
      {"{{eq .its .its}}", "line 1: error calling eq: lists and maps cannot be compared"},
      {"{{lt true false}}", "line 1: error calling lt: invalid type for comparison"},
      {"{{lt 1 \"a\"}}", "line 1: error calling lt: incompatible types for comparison"},
      {"{{eq 1}}", "line 1: wrong number of args for eq: want at least 2 got 1"},
      {"{{not}}", "line 1: wrong number of args for not: want 1 got 0"},
      {"{{and}}", "line 1: wrong number of args for and: want at least 1 got 0"},
      {"{{base64decode \"@@\"}}", "line 1: error calling base64decode: "},
      {"{{base64decode 1}}", "line 1: error calling base64decode: base64decode wants a string"},
      {"{{printf 1}}", "line 1: error calling printf: printf wants a format"},
      {"{{range 99999999}}{{end}}", "the template runs for too long"},
      {"{{$x := \"12345678\"}}{{range 40}}{{$x = print $x $x}}{{end}}",
       "a text is longer than 16 MiB"},
      {"{{$x := printf \"%1000000d\" 1}}{{range 20}}{{$x}}{{end}}", "the output is longer"},
      {"{{printf \"" + Repeated("%1000000d", 20) + "\"" + Repeated(" 1", 20) + "}}",
       "a text is longer"},
      {Repeated("{{$x := printf \"%1000000d\" 1}}", 140), "computes more than 128 MiB"},
      {std::string(300'000, ' '), "longer than 256 KiB"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_THAT(Failure(text), HasSubstr(want)) << text;
  }
}

TEST(GoTemplate, RefusesMissingKeysOnRequest) {
  for (const std::string text : {"{{.nope}}", "{{.nope.x}}", "{{range .nope}}x{{end}}"}) {
    EXPECT_EQ(Failure(text, MissingKeys::kRefused), "line 1: map has no entry for key \"nope\"");
  }
  EXPECT_EQ(Executed("{{index .metadata \"z\"}}{{.nul}}", MissingKeys::kRefused),
            "<no value><no value>");
}

}  // namespace
}  // namespace print
