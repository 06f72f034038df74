// SPDX-License-Identifier: Apache-2.0
#include "machine_identity/messages.h"

#include <fmt/core.h>

#include <span>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/unique.h"
#include "json/value.h"

namespace machine_identity {
namespace {

using base::Error;

// A field of a message: its name in JSON, and the member that holds it.
template <typename Message>
using Field = std::pair<std::string_view, std::string Message::*>;

constexpr Field<Question> kQuestion[] = {{"request", &Question::request_pem},
                                         {"document", &Question::document},
                                         {"endorsementKey", &Question::endorsement_key_pem},
                                         {"attestationKey", &Question::attestation_key},
                                         {"challenge", &Question::challenge},
                                         {"secret", &Question::secret}};
constexpr Field<Answer> kAnswer[] = {{"certificate", &Answer::certificate_pem},
                                     {"message", &Answer::message},
                                     {"challenge", &Answer::challenge},
                                     {"credential", &Answer::credential}};

template <typename Message>
std::string Encode(const Message& message, std::span<const Field<Message>> fields) {
  json::Value object = json::Value::object();
  for (const auto& [name, member] : fields) {
    if (!(message.*member).empty()) {
      object[std::string(name)] = message.*member;
    }
  }
  return json::Compact(object);
}

template <typename Message>
void ReadField(Message& message, std::span<const Field<Message>> fields, const std::string& key,
               const json::Value& value) {
  for (const auto& [name, member] : fields) {
    if (name == key && value.is_string()) {
      message.*member = value.get<std::string>();
      return;
    }
  }
  throw Error(Error::Kind::kInvalid,
              fmt::format("field {} is unknown or not a text", base::Quoted(key)));
}

template <typename Message>
Message Decode(std::string_view text, std::span<const Field<Message>> fields) {
  const json::Value object = json::Parse(text);
  if (!object.is_object()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the message must be an object, is a {}", json::KindOf(object)));
  }
  json::RequireUniqueMembers(text);
  Message message;
  for (const auto& [key, value] : object.items()) {
    ReadField(message, fields, key, value);
  }
  return message;
}

}  // namespace

std::string ToJson(const Question& question) {
  return Encode(question, std::span<const Field<Question>>(kQuestion));
}

std::string ToJson(const Answer& answer) {
  return Encode(answer, std::span<const Field<Answer>>(kAnswer));
}

Question ReadQuestion(std::string_view text) {
  return Decode(text, std::span<const Field<Question>>(kQuestion));
}

Answer ReadAnswer(std::string_view text) {
  return Decode(text, std::span<const Field<Answer>>(kAnswer));
}

}  // namespace machine_identity
