// SPDX-License-Identifier: Apache-2.0
#include "config_change/corefile_fields.h"

#include <fmt/core.h>

#include <span>
#include <vector>

#include "addons/corefile.h"
#include "base/error.h"
#include "base/strings.h"

namespace config_change {
namespace {

std::string TextOf(const addons::Directive& directive, std::size_t first_word) {
  const std::vector<std::string> words(
      directive.words.begin() + static_cast<std::ptrdiff_t>(first_word), directive.words.end());
  std::string text = base::Join(words, " ");
  if (directive.block.empty()) {
    return text;
  }
  std::vector<std::string> options;
  for (const addons::Directive& option : directive.block) {
    options.push_back(TextOf(option, 0));
  }
  return fmt::format("{}{}{{ {} }}", text, text.empty() ? "" : " ", base::Join(options, "; "));
}

void Add(const std::string& name, const std::string& value, Fields& fields) {
  json::Value& field = fields[name];
  if (field.is_null()) {
    field = value;
    return;
  }
  field = field.is_array() ? field : json::Value::array({field});
  field.push_back(value);
}

}  // namespace

Fields CorefileFields(const std::string& text) {
  Fields fields;
  try {
    for (const addons::ServerBlock& block : addons::Corefile::Parse(text).blocks) {
      for (const addons::Directive& plugin : block.plugins) {
        Add(base::Join(block.keys, " ") + " " + plugin.name(), TextOf(plugin, 1), fields);
      }
    }
  } catch (const base::Error&) {
    return {{"Corefile", text}};
  }
  return fields;
}

}  // namespace config_change
