// SPDX-License-Identifier: Apache-2.0
#include "request_mutator.h"

#include <array>
#include <string_view>

#include "pki/fake_request.h"
#include "pki/pem_block.h"

namespace fuzz {
namespace {

// Pieces of PEM files that have a meaning to readers.
const std::vector<std::string> kPieces = {"-----BEGIN CERTIFICATE REQUEST-----\n",
                                          "-----END CERTIFICATE REQUEST-----\n",
                                          "-----BEGIN ",
                                          "-----END ",
                                          "-----",
                                          "-----BEGIN X-----\n",
                                          "-----END X-----\n",
                                          "\n",
                                          "\r\n",
                                          "\r",
                                          " ",
                                          "\t",
                                          "=",
                                          "==",
                                          "A===",
                                          "AAAA\n",
                                          "k: v\n",
                                          ":",
                                          "\f",
                                          "\v",
                                          std::string(1, '\0'),
                                          "\xEF\xBB\xBF",
                                          "\xC2\xA0",
                                          "-",
                                          "_"};
const std::vector<std::string> kNames = {"system:node:panda",
                                         "system:node:master-0",
                                         "system:nodes",
                                         "system:masters",
                                         "panda",
                                         "kubernetes.default.svc",
                                         "",
                                         "p\xC3\xA4",
                                         std::string("a\0b", 3),
                                         "\x0A\x01\x02\x03",
                                         std::string(16, '\1'),
                                         "*",
                                         "a_b",
                                         "PANDA."};
constexpr std::array<std::uint8_t, 9> kStringTags = {0x0C, 0x13, 0x14, 0x16, 0x12,
                                                     0x1E, 0x1C, 0x04, 0x05};
constexpr std::array<std::uint8_t, 10> kNameTags = {0x82, 0x82, 0x87, 0x81, 0x86,
                                                    0xA0, 0xA4, 0x88, 0xA2, 0x9E};
constexpr std::array<std::string_view, 5> kAttributes = {
    "\x55\x04\x03", "\x55\x04\x0A", "\x55\x04\x0B", "\x2A", "\x55\x04\x03\x01"};
constexpr std::array<std::string_view, 4> kExtensions = {"\x55\x1D\x11", "\x55\x1D\x13",
                                                         "\x55\x1D\x0F", "\x2A\x03"};

// Returns the label of the first line, or a request's label if it has none.
std::string LabelOf(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with(kBegin) && line.size() > kBegin.size() + kDashes.size()
             ? std::string(line.substr(kBegin.size(), line.size() - kBegin.size() - kDashes.size()))
             : "CERTIFICATE REQUEST";
}

}  // namespace

RequestMutator::RequestMutator(std::uint64_t seed, std::vector<std::string> pool)
    : random_(seed), pool_(std::move(pool)) {}

std::size_t RequestMutator::Below(std::size_t limit) {
  return static_cast<std::size_t>(random_() % limit);
}

const std::string& RequestMutator::AnyOf(const std::vector<std::string>& list) {
  return list[Below(list.size())];
}

std::string RequestMutator::OddValue() {
  std::string value = AnyOf(kNames);
  if (Below(4) == 0) {
    value.insert(Below(value.size() + 1), 1, static_cast<char>(random_()));
  }
  return value;
}

std::string RequestMutator::NewRequest() {
  pki::FakeRequestSpec spec;
  spec.key = Below(8) == 0 ? pki::FakeKey::kEd25519 : pki::FakeKey::kP256;
  if (Below(2) == 0) {
    spec.subject.insert(spec.subject.begin() + static_cast<std::ptrdiff_t>(Below(3)),
                        {kAttributes[Below(kAttributes.size())], OddValue(),
                         kStringTags[Below(kStringTags.size())]});
  }
  if (Below(3) == 0) {
    auto& changed = spec.subject[Below(spec.subject.size())];
    changed.tag = kStringTags[Below(kStringTags.size())];
    changed.value = Below(2) == 0 ? OddValue() : changed.value;
  }
  for (std::size_t i = Below(4); i > 0; --i) {
    spec.names.emplace_back(kNameTags[Below(kNameTags.size())], OddValue());
  }
  for (std::size_t i = Below(3); i > 1; --i) {
    const std::string critical =
        Below(2) == 0 ? pki::DerOf(0x01, std::string(1, static_cast<char>(random_()))) : "";
    spec.more_extensions +=
        pki::DerOf(0x30, pki::DerOf(0x06, kExtensions[Below(kExtensions.size())]) + critical +
                             pki::DerOf(0x04, pki::DerOf(0x30, pki::DerOf(0x82, OddValue()))));
  }
  if (Below(6) == 0) {
    spec.more_attributes =
        pki::DerOf(Below(4) == 0 ? 0x31 : 0x30,
                   pki::DerOf(0x06, Below(2) == 0 ? pki::kFakeExtensionRequest : "\x2A") +
                       pki::DerOf(0x31, pki::DerOf(0x30, OddValue())));
  }
  if (Below(16) == 0) {
    spec.version = std::string(1, static_cast<char>(Below(4)));
  }
  return pki::FakeRequestPem(spec);
}

void RequestMutator::ChangeText(std::string& text) {
  const std::size_t at = Below(text.size() + 1);
  const std::size_t line = std::min(text.find('\n', at), text.size());
  switch (Below(7)) {
    case 0:
      text.insert(at, AnyOf(kPieces));
      return;
    case 1:
      text.insert(line, AnyOf(kPieces));
      return;
    case 2:
      text.insert(std::min(line + 1, text.size()), AnyOf(kPieces));
      return;
    case 3:
      text.erase(at, 1 + Below(4));
      return;
    case 4:
      text.erase(at, line - at + 1);
      return;
    case 5:
      text.insert(Below(4) == 0 ? at : text.size(), AnyOf(pool_));
      return;
    default:
      if (at < text.size()) {
        text[at] = static_cast<char>(random_());
      }
  }
}

std::string RequestMutator::WithChangedDer(const std::string& text) {
  const std::string label = LabelOf(text);
  std::string der = pki::OnlyPemBlock(text, label).value_or("");
  for (std::size_t i = 1 + Below(3); i > 0 && !der.empty(); --i) {
    const std::size_t at = Below(der.size());
    switch (Below(4)) {
      case 0:
        der.erase(at, 1);
        break;
      case 1:
        der.insert(at, 1, static_cast<char>(random_()));
        break;
      case 2:
        der[at] = static_cast<char>(der[at] ^ (1 << Below(8)));
        break;
      default:
        der[at] = static_cast<char>(random_());
    }
  }
  return pki::PemOf(label, der);
}

std::string RequestMutator::Next() {
  std::string text = Below(2) == 0 ? NewRequest() : AnyOf(pool_);
  const std::size_t way = Below(4);
  if (way == 0) {
    return text;
  }
  if (way == 1) {
    return WithChangedDer(text);
  }
  for (std::size_t i = 1 + Below(3); i > 0; --i) {
    ChangeText(text);
  }
  return text;
}

}  // namespace fuzz
