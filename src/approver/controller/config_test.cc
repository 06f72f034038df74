// SPDX-License-Identifier: Apache-2.0
#include "controller/config.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace controller {
namespace {

TEST(ReadConfig, RefusesUnknownContent) {
  struct Row {
    std::string text;
    int disabled;  // 0 or 1; 2: the text is refused
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", 0},
           {"{}", 0},
           {"nodeClientCert:", 0},
           {"nodeClientCert: {}", 0},
           {"nodeClientCert: {disabled: true}", 1},
           {"nodeClientCert: {disabled: yes}", 1},
           {"nodeClientCert: {disabled: false}", 0},
           {"{\"nodeClientCert\":{\"disabled\":true}}", 1},
           {"nodeClientCert: {disabled: 'true'}", 2},
           {"nodeClientCert: {disabled: 1}", 2},
           {"nodeClientCert: {Disabled: true}", 2},
           {"nodeClientCert: true", 2},
           {"nodeclientcert: {disabled: true}", 2},
           {"nodeClientCert: {disabled: true}\nmore: 1", 2},
           {"nodeClientCert: {disabled: true, disabled: false}", 2},
           {"nodeClientCert: {disabled: true}\n---\n{}", 2},
           {"# a licence\n---\nnodeClientCert: {disabled: true}\n", 1},
           {"\n---\nnodeClientCert: {disabled: true}\n---\n# nothing\n", 1},
           {"%YAML 1.1\n---\nnodeClientCert: {disabled: true}\n", 1},
           {"- a", 2},
           {"text", 2},
           {"a: [", 2},
       }) {
    int got = 2;
    try {
      got = ReadConfig(row.text).client_disabled ? 1 : 0;
    } catch (const base::Error&) {
    }
    EXPECT_EQ(got, row.disabled) << row.text;
  }
}

}  // namespace
}  // namespace controller
