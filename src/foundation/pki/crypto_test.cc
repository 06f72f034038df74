// SPDX-License-Identifier: Apache-2.0
#include "pki/crypto.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/strings.h"
#include "pki/sha256_sum.h"

namespace pki {
namespace {

using base::HexDecode;
using base::HexEncode;

// FIPS 180-4, examples of SHA-256.
TEST(CryptoTest, Sha256OfPiecesEqualsTheHashOfTheWhole) {
  Sha256Sum sum;
  for (const char* piece : {"a", "", "bc"}) {
    sum.Add(piece);
  }
  EXPECT_EQ(sum.End(), Sha256("abc"));
}

TEST(CryptoTest, Sha256MatchesTheExamplesOfTheStandard) {
  EXPECT_EQ(HexEncode(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexEncode(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// RFC 4231, test cases 1, 2 and 6 (a key longer than a block).
TEST(CryptoTest, HmacMatchesRfc4231) {
  EXPECT_EQ(HexEncode(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HexEncode(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HexEncode(HmacSha256(std::string(131, '\xaa'),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// The GCM specification's test cases 13, 14 and 15 (AES-256, no extra data).
TEST(CryptoTest, OpensTheTestVectorsOfGcm) {
  const std::string zero_key(32, '\0');
  const std::string zero_nonce(12, '\0');
  EXPECT_EQ(OpenAesGcm(zero_key, zero_nonce + HexDecode("530f8afbc74536b9a963b4f1c4cb738b")), "");
  EXPECT_EQ(OpenAesGcm(zero_key, zero_nonce + HexDecode("cea7403d4d606b6e074ec5d3baf39d18"
                                                        "d0d1c8a799996bf0265b98b5d48ab919")),
            std::string(16, '\0'));
  EXPECT_EQ(HexEncode(OpenAesGcm(
                HexDecode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
                HexDecode("cafebabefacedbaddecaf888"
                          "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                          "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
                          "b094dac5d93471bdec1a502270e3cc6c"))),
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255");
}

TEST(CryptoTest, OpensSealedTextOnlyUnchangedAndWithTheKey) {
  const std::string key(32, 'k');
  const std::string sealed = SealAesGcm(key, "secret");
  EXPECT_EQ(sealed.size(), 12U + 6U + 16U);
  EXPECT_EQ(OpenAesGcm(key, sealed), "secret");
  EXPECT_EQ(OpenAesGcm(key, SealAesGcm(key, "")), "");
  EXPECT_THROW(OpenAesGcm(std::string(32, 'x'), sealed), base::Error);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(OpenAesGcm(key, changed), base::Error) << "byte " << i;
  }
  EXPECT_THROW(OpenAesGcm(key, sealed.substr(0, 27)), base::Error);
  EXPECT_THROW(OpenAesGcm("short", sealed), base::Error);
  EXPECT_THROW(SealAesGcm(std::string(31, 'k'), "x"), base::Error);
}

TEST(CryptoTest, UsesANewNonceForEverySeal) {
  const std::string key(32, 'k');
  EXPECT_NE(SealAesGcm(key, "secret").substr(0, 12), SealAesGcm(key, "secret").substr(0, 12));
}

// The value was computed with Python's hmac and base64 modules.
TEST(CryptoTest, DetachedJwsIsTheCompactFormWithoutPayload) {
  EXPECT_EQ(
      DetachedJws("abcdef", "0123456789abcdef", "apiVersion: v1\nkind: Config\n"),
      "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..vH_kT4yiol-nrAWgjfCYqvum5wsKETXe0S7OOp1VgnE");
  EXPECT_NE(DetachedJws("abcdef", "0123456789abcdef", "x"),
            DetachedJws("abcdef", "0123456789abcdef", "y"));
}

TEST(CryptoTest, ConstantTimeEqualComparesLengthAndBytes) {
  EXPECT_TRUE(ConstantTimeEqual("", ""));
  EXPECT_TRUE(ConstantTimeEqual("abc", "abc"));
  EXPECT_FALSE(ConstantTimeEqual("abc", "abd"));
  EXPECT_FALSE(ConstantTimeEqual("abc", "abcd"));
}

}  // namespace
}  // namespace pki
