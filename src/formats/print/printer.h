// SPDX-License-Identifier: Apache-2.0
// Writes objects in the format of a command's -o/--output flag.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "json/value.h"
#include "print/jsonpath.h"

namespace print {

// Returns the content of a template file. Throws base::Error, with the kind of the read's failure,
// if the file cannot be read.
using ReadTemplate = std::function<std::string(const std::string& path)>;

// The result of ParsePrinter.
class Printer {
 public:
  using Format = std::function<std::string(const json::Ordered&)>;

  // A printer without a format prints text.
  explicit Printer(Format format) : format_(std::move(format)) {}

  // Returns true if the command prints its own words and tables, and does not call Print. In every
  // other format it prints only objects.
  bool IsText() const { return format_ == nullptr; }

  // Returns the output for one object, with a line end if the format has one. JSON and KYAML keep
  // the order of members. The caller adds "kind" and "apiVersion" first, and then the members in
  // the order of the struct. The second and later YAML documents begin with "---". Throws
  // base::Error(kInvalid) if a template fails.
  std::string Print(const json::Ordered& object) const { return IsText() ? "" : format_(object); }

 private:
  Format format_;
};

// ParsePrinter reads "text", "json", "yaml", "kyaml", "go-template=…", "go-template-file=…",
// "template=…", "templatefile=…", "jsonpath=…", "jsonpath-file=…" and "jsonpath-as-json=…".
// `missing` is the flag --allow-missing-template-keys. Throws base::Error(kInvalid)
// "could not construct output printer: …".
Printer ParsePrinter(std::string_view flag, const ReadTemplate& read,
                     print::MissingKeys missing = print::MissingKeys::kAllowed);

}  // namespace print
