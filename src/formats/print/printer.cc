// SPDX-License-Identifier: Apache-2.0
#include "print/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "print/gotemplate.h"
#include "yaml/kyaml.h"
#include "yaml/yaml.h"

namespace print {

namespace {

using base::WithContext;

enum class Content { kNone, kInline, kFile };
enum class Kind { kText, kJson, kYaml, kKyaml, kGoTemplate, kJsonPath, kJsonPathAsJson };

struct Row {
  std::string_view name;
  Kind kind;
  Content content = Content::kNone;
};

// Sorted by name: the message about an unknown format lists them in this order.
constexpr Row kRows[] = {
    {"go-template", Kind::kGoTemplate, Content::kInline},
    {"go-template-file", Kind::kGoTemplate, Content::kFile},
    {"json", Kind::kJson},
    {"jsonpath", Kind::kJsonPath, Content::kInline},
    {"jsonpath-as-json", Kind::kJsonPathAsJson, Content::kInline},
    {"jsonpath-file", Kind::kJsonPath, Content::kFile},
    {"kyaml", Kind::kKyaml},
    {"template", Kind::kGoTemplate, Content::kInline},
    {"templatefile", Kind::kGoTemplate, Content::kFile},
    {"text", Kind::kText},
    {"yaml", Kind::kYaml},
};

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

// Format names without a template are case-insensitive, except "text".
const Row& FindRow(std::string_view flag) {
  const std::size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  for (const Row& row : kRows) {
    const bool any_case = row.content == Content::kNone && row.kind != Kind::kText;
    if (row.name == (any_case ? base::ToLower(name) : std::string(name)) &&
        (row.content != Content::kNone || equals == flag.npos)) {
      return row;
    }
  }
  std::vector<std::string> names;
  std::ranges::transform(kRows, std::back_inserter(names),
                         [](const Row& row) { return std::string(row.name); });
  Fail(
      fmt::format("unable to match a printer suitable for the output format {}, allowed formats "
                  "are: {}",
                  base::Quoted(flag), base::Join(names, ",")));
}

std::string TemplateText(const Row& row, std::string_view flag, const ReadTemplate& read) {
  if (row.content == Content::kNone) {
    return "";
  }
  const std::size_t equals = std::min(flag.find('='), flag.size() - 1);
  std::string text(flag.substr(equals + 1));
  if (text.empty()) {
    Fail("template format specified but no template given");
  }
  if (row.content == Content::kFile) {
    return WithContext(fmt::format("error reading template file {}", text),
                       [&] { return read(text); });
  }
  return text;
}

// Returns a template as messages quote it: truncated if it is too long to read.
std::string Shown(const std::string& text) {
  constexpr std::size_t kMost = 4096;
  return text.size() <= kMost ? text : json::WithValidUtf8(text.substr(0, kMost)) + "…";
}

Printer::Format MakeYaml() {
  return [printed = false](const json::Ordered& object) mutable {
    return (std::exchange(printed, true) ? "---\n" : "") + yaml::Emit(json::Sorted(object));
  };
}

Printer::Format MakeGoTemplate(const std::string& text, print::MissingKeys missing) {
  auto parsed = WithContext(fmt::format("error parsing template {}", Shown(text)),
                            [&] { return std::make_shared<print::GoTemplate>(text); });
  return [=](const json::Ordered& object) {
    return WithContext(fmt::format("error executing template {}", base::Quoted(Shown(text))),
                       [&] { return parsed->Execute(json::Sorted(object), missing); });
  };
}

using Fill = std::string (print::JsonPath::*)(const json::Value&, print::MissingKeys) const;

Printer::Format MakeJsonPath(const std::string& text, print::MissingKeys missing, Fill fill) {
  auto parsed = WithContext(fmt::format("error parsing jsonpath {}", Shown(text)),
                            [&] { return std::make_shared<print::JsonPath>(text); });
  return [=](const json::Ordered& object) {
    return WithContext(fmt::format("error executing jsonpath {}", base::Quoted(Shown(text))),
                       [&] { return ((*parsed).*fill)(json::Sorted(object), missing); });
  };
}

Printer::Format MakeFormat(Kind kind, const std::string& text, print::MissingKeys missing) {
  switch (kind) {
    case Kind::kText:
      return nullptr;
    case Kind::kJson:
      return [](const json::Ordered& object) { return json::Pretty(object) + "\n"; };
    case Kind::kYaml:
      return MakeYaml();
    case Kind::kKyaml:
      return yaml::EmitKyaml;
    case Kind::kGoTemplate:
      return MakeGoTemplate(text, missing);
    case Kind::kJsonPath:
      return MakeJsonPath(text, missing, &print::JsonPath::Text);
    case Kind::kJsonPathAsJson:
      return MakeJsonPath(text, missing, &print::JsonPath::JsonText);
  }
  return nullptr;
}

}  // namespace

Printer ParsePrinter(std::string_view flag, const ReadTemplate& read, print::MissingKeys missing) {
  return WithContext("could not construct output printer", [&] {
    const Row& row = FindRow(flag);
    return Printer(MakeFormat(row.kind, TemplateText(row, flag, read), missing));
  });
}

}  // namespace print
