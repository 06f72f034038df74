// SPDX-License-Identifier: Apache-2.0
// Printer writes objects in the format that a command's -o/--output flag names.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "json/value.h"
#include "templates/jsonpath.h"

namespace print {

// ReadTemplate gives the content of a template file; it throws when it cannot.
using ReadTemplate = std::function<std::string(const std::string& path)>;

// Printer is what ParsePrinter makes of the flag.
class Printer {
 public:
  using Format = std::function<std::string(const json::Ordered&)>;

  // A printer without a format is that for text.
  explicit Printer(Format format) : format_(std::move(format)) {}

  // IsText: the command prints its own words and tables, and Print is not called. In every other
  // format it prints nothing but objects.
  bool IsText() const { return format_ == nullptr; }

  // Print is the text for one object, line end included where the format has one. JSON and KYAML
  // keep the order of members; give "kind" and "apiVersion" first, then a struct's order. The
  // second and later YAML documents begin with "---". Throws base::Error(kInvalid) when a template
  // cannot be filled in.
  std::string Print(const json::Ordered& object) const { return IsText() ? "" : format_(object); }

 private:
  Format format_;
};

// ParsePrinter reads "text", "json", "yaml", "kyaml", "go-template=…", "go-template-file=…",
// "template=…", "templatefile=…", "jsonpath=…", "jsonpath-file=…" and "jsonpath-as-json=…".
// `missing` is the flag --allow-missing-template-keys. Throws base::Error(kInvalid)
// "could not construct output printer: …".
Printer ParsePrinter(std::string_view flag, const ReadTemplate& read,
                     templates::MissingKeys missing = templates::MissingKeys::kAllowed);

}  // namespace print
