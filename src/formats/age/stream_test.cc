// SPDX-License-Identifier: Apache-2.0
#include "age/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "age/keys.h"
#include "base/error.h"
#include "base/strings.h"
#include "pki/x25519.h"

namespace age {
namespace {

using base::Error;
using testing::HasSubstr;

constexpr int kLittleWork = 10;

std::string Encrypted(const Locks& locks, std::string_view text) {
  std::string file;
  const base::TakeBytes take = [&](std::string_view bytes) { file += bytes; };
  Encryptor encryptor(locks, take);
  encryptor.Add(text.substr(0, text.size() / 3));
  encryptor.Add(text.substr(text.size() / 3));
  encryptor.End();
  return file;
}

// Decrypts the file, passing it on in pieces of 1,000 bytes.
std::string Decrypted(const Keys& keys, std::string_view file) {
  std::string text;
  const base::TakeBytes take = [&](std::string_view bytes) { text += bytes; };
  Decryptor decryptor(keys, take);
  for (; !file.empty(); file.remove_prefix(std::min<std::size_t>(file.size(), 1000))) {
    decryptor.Add(file.substr(0, 1000));
  }
  decryptor.End();
  return text;
}

Error Failure(const Keys& keys, std::string_view file) {
  try {
    Decrypted(keys, file);
  } catch (const Error& error) {
    return error;
  }
  return Error("decrypted");
}

TEST(Age, DecryptsWhatItEncrypted) {
  const std::string identity = pki::NewX25519Key();
  const Locks locks{
      .recipients = {pki::X25519PublicKey(pki::NewX25519Key()), pki::X25519PublicKey(identity)},
      .passphrase = {}};
  for (const std::size_t size :
       {0UL, 1UL, kChunkSize - 1, kChunkSize, kChunkSize + 1, 2 * kChunkSize, 3 * kChunkSize + 5}) {
    const std::string text(size, 'x');
    EXPECT_TRUE(Decrypted({.identities = {pki::NewX25519Key(), identity}, .passphrase = {}},
                          Encrypted(locks, text)) == text)
        << size;
  }
}

TEST(Age, DecryptsByAPassphrase) {
  const Locks locks{.recipients = {}, .passphrase = "correct horse", .scrypt_work = kLittleWork};
  const std::string file = Encrypted(locks, "text");
  EXPECT_EQ(Decrypted({.identities = {}, .passphrase = "correct horse"}, file), "text");
  const Error wrong = Failure({.identities = {}, .passphrase = "battery"}, file);
  EXPECT_EQ(wrong.kind(), Error::Kind::kForbidden);
  EXPECT_THAT(wrong.message(), HasSubstr("the passphrase is wrong"));
  EXPECT_THAT(Failure({}, file).message(), HasSubstr("needs a passphrase"));
}

TEST(Age, RefusesEveryFlippedBit) {
  const std::string identity = pki::NewX25519Key();
  const Keys keys{.identities = {identity}, .passphrase = {}};
  const std::string file =
      Encrypted({.recipients = {pki::X25519PublicKey(identity)}, .passphrase = {}}, "text");
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(Failure(keys, changed).message(), "decrypted") << i;
  }
}

TEST(Age, RefusesATruncatedFile) {
  const std::string identity = pki::NewX25519Key();
  const Keys keys{.identities = {identity}, .passphrase = {}};
  const std::string file =
      Encrypted({.recipients = {pki::X25519PublicKey(identity)}, .passphrase = {}},
                std::string(2 * kChunkSize + 100, 'x'));
  const std::size_t sealed = kChunkSize + pki::ChaCha20Poly1305::kTagSize;
  for (const std::size_t cut : {1UL, 116UL, 116 + sealed, file.size() - 10, file.size()}) {
    EXPECT_THAT(Failure(keys, file.substr(0, file.size() - cut)).message(), HasSubstr("truncated"))
        << cut;
  }
}

TEST(Age, RefusesAKeyOfAnotherRecipient) {
  const std::string file = Encrypted(
      {.recipients = {pki::X25519PublicKey(pki::NewX25519Key())}, .passphrase = {}}, "text");
  const Error error = Failure({.identities = {pki::NewX25519Key()}, .passphrase = {}}, file);
  EXPECT_EQ(error.kind(), Error::Kind::kForbidden);
  EXPECT_THAT(error.message(), HasSubstr("none of the identities"));
}

TEST(Age, RefusesToEncryptWithoutAKeyOrWithTwoKinds) {
  EXPECT_THROW(Encrypted({}, "text"), Error);
  EXPECT_THROW(Encrypted({.recipients = {pki::X25519PublicKey(pki::NewX25519Key())},
                          .passphrase = "passphrase"},
                         "text"),
               Error);
}

TEST(Age, RefusesAScryptWorkFactorThatExhaustsTheMemory) {
  const std::string file = std::string(kMagic) + "-> scrypt " + std::string(22, 'A') + " 30\n" +
                           std::string(43, 'A') + "\n--- " + std::string(43, 'A') + "\n" +
                           std::string(40, 'x');
  EXPECT_THAT(Failure({.identities = {}, .passphrase = "p"}, file).message(),
              HasSubstr("work factor is 30"));
}

TEST(AgeHeader, NeedsTheWholeHeader) {
  const std::string file = Encrypted(
      {.recipients = {pki::X25519PublicKey(pki::NewX25519Key())}, .passphrase = {}}, "text");
  const auto whole = ParseHeader(file);
  ASSERT_TRUE(whole);
  for (std::size_t size = 0; size < whole->size; ++size) {
    EXPECT_FALSE(ParseHeader(std::string_view(file).substr(0, size))) << size;
  }
  EXPECT_EQ(DescribeHeader(*whole).recipients, 1U);
}

TEST(AgeHeader, RefusesMalformedHeaders) {
  const std::string mac = "--- " + std::string(43, 'A') + "\n";
  for (const std::string& rest :
       {mac, std::string("-> X25519  A\n\n") + mac, std::string("->\n\n") + mac,
        "-> X25519 A\n" + std::string(65, 'A') + "\n" + mac, std::string("-> X25519 A\nA=\n") + mac,
        std::string("-> X25519 A\nAB\n") + mac, std::string("-> a\n\n--- AA\n"),
        std::string("text\n")}) {
    EXPECT_THROW(ParseHeader(std::string(kMagic) + rest), Error) << rest;
  }
  EXPECT_THROW(ParseHeader("age-encryption.org/v2\n"), Error);
  EXPECT_THROW(ParseHeader(std::string(kMagic) + "-> a " + std::string(kLargestHeader, 'a')),
               Error);
}

TEST(AgeKeys, AreParsedFromText) {
  const std::string identity = pki::NewX25519Key();
  const std::string text = IdentityText(identity);
  EXPECT_THAT(text, HasSubstr("AGE-SECRET-KEY-1"));
  EXPECT_EQ(ParseIdentities("# created: today\n\n" + text + "\n"),
            std::vector<std::string>{identity});
  const std::string recipient = RecipientText(pki::X25519PublicKey(identity));
  EXPECT_EQ(ParseRecipients(recipient + "\n# a comment\n" + recipient + "\n").size(), 2U);
  EXPECT_THROW(ParseRecipients("# none\n"), Error);
  EXPECT_THROW(ParseIdentity(base::ToLower(text)), Error);
}

TEST(AgeKeys, NeverQuoteASecretInAnError) {
  const std::string text = IdentityText(pki::NewX25519Key());
  const auto message = [](auto parse, const std::string& wrong) {
    try {
      parse(wrong);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("parsed");
  };
  EXPECT_THAT(message(ParseRecipient, text), testing::Not(HasSubstr(text.substr(16, 20))));
  EXPECT_THAT(message(ParseIdentity, text + "q"), testing::Not(HasSubstr(text.substr(16, 20))));
}

}  // namespace
}  // namespace age
