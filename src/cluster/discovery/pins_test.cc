// SPDX-License-Identifier: Apache-2.0
#include "discovery/pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "discovery/fake_cluster.h"

namespace discovery {
namespace {

using testing::ElementsAre;

TEST(ParsePins, AcceptsHexOfEitherCase) {
  const std::vector<std::string> texts = {"SHA256:" + std::string(64, 'A'),
                                          "sha256:" + std::string(64, '0')};
  EXPECT_THAT(ParsePins(texts), ElementsAre("sha256:" + std::string(64, 'a'), texts[1]));
}

TEST(ParsePins, RefusesOtherFormats) {
  const std::string digits(64, 'a');
  for (const std::string& text :
       {std::string(), digits, "md5:" + digits, "sha256:" + digits.substr(1),
        "sha256:" + digits + "a", "sha256:" + digits.substr(1) + "g", "sha256:" + digits + ":",
        ":" + digits, "sha256 :" + digits}) {
    const std::vector<std::string> texts = {text};
    const base::Error error = base::Thrown([&] { ParsePins(texts); });
    EXPECT_EQ(error.message(),
              "\"" + text +
                  "\" is not a hash of a CA certificate: it must be \"sha256:\" and "
                  "64 hexadecimal digits (discovery.bootstrapToken.caCertHashes, "
                  "--discovery-token-ca-cert-hash)");
  }
}

TEST(Pinned, AreTheCertificatesThatMatchAPin) {
  const Certificates& ours = Certificates::Get();
  const std::vector<pki::Certificate> all = {ours.ca.certificate, ours.other_ca.certificate};
  const std::vector<std::string> pins = {"sha256:" + std::string(64, 'a'),
                                         pki::Pin(ours.other_ca.certificate)};
  EXPECT_THAT(Pinned(all, pins), ElementsAre(ours.other_ca.certificate));
}

}  // namespace
}  // namespace discovery
