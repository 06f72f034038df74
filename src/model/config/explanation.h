// What the fields of a configuration file mean, as `config explain` says it.
#pragma once

#include <string>
#include <vector>

#include "config/field_tree.h"
#include "json/value.h"

namespace config {

// Depth: the fields right below, with their descriptions, or all of them, without.
enum class Depth { kOneLevel, kAll };

// ExplanationText is for people: kind, version, type, description and fields of each of `all`.
std::string ExplanationText(const std::vector<FoundField>& all, Depth depth);

// ExplanationObject is kind FieldExplanation of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ExplanationObject(const std::vector<FoundField>& all, Depth depth);

}  // namespace config
