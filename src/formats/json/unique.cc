// SPDX-License-Identifier: Apache-2.0
#include "json/unique.h"

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"

namespace json {
namespace {

// Keeps the member names of the open objects.
class MemberNames : public nlohmann::json_sax<Value> {
 public:
  bool key(string_t& name) override {
    if (!open_.back().insert(name).second) {
      throw base::Error(base::Error::Kind::kInvalid,
                        "an object has the field " + base::Quoted(name) + " twice");
    }
    return true;
  }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

}  // namespace

void RequireUniqueMembers(std::string_view text) {
  MemberNames names;
  Value::sax_parse(text, &names);
}

}  // namespace json
