// SPDX-License-Identifier: Apache-2.0
// A subset of Go's text/template (pkg.go.dev/text/template) for -o go-template=. Everything else is
// refused, and the error names it.
//
//   {{.a.b}} {{$x := .a}} {{if}} {{else if}} {{else}} {{end}} {{range $i, $x := .list}} {{break}}
//   {{continue}} {{with}} {{/* comment */}} trim markers "{{- -}}", pipelines, parentheses, and the
//   functions and or not eq ne lt le gt ge len index slice print printf println base64decode
//   exists.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "json/fwd.h"
#include "print/jsonpath.h"

namespace print {

// GoTemplate is a parsed template.
class GoTemplate {
 public:
  // Parses the template. Throws base::Error(kInvalid), e.g. "line 1: function "foo" not defined",
  // and for a text of more than kLongestTemplate bytes (print/jsonpath.h).
  explicit GoTemplate(std::string_view text);
  ~GoTemplate();
  GoTemplate(GoTemplate&&) noexcept;
  GoTemplate& operator=(GoTemplate&&) noexcept;

  // Executes the template on a value. A missing field prints "<no value>" if it is allowed. Throws
  // base::Error(kInvalid) with the line for a failed operation. The same error ends a template of
  // more than ten million steps, 16 MiB of output or 128 MiB of computed values.
  std::string Execute(const json::Value& value, MissingKeys missing) const;

  struct Tree;  // internal

 private:
  std::unique_ptr<const Tree> tree_;
};

}  // namespace print
