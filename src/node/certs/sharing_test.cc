// SPDX-License-Identifier: Apache-2.0
#include "certs/sharing.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "pki/crypto.h"

namespace certs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

const std::string kKey(32, 'k');

TEST(CertificateKeyTest, IsThirtyTwoBytesInHex) {
  host::FakeRandom random;
  const std::string key = NewCertificateKey(random);
  EXPECT_THAT(key, MatchesRegex("[0-9a-f]{64}"));
  EXPECT_NE(NewCertificateKey(random), key);
  EXPECT_EQ(ParseCertificateKey(key).size(), 32U);
  for (const std::string& wrong :
       {std::string(), key.substr(2), key + "00", std::string(64, 'g'), key.substr(1)}) {
    EXPECT_THAT(base::MessageOf([&] { ParseCertificateKey(wrong); }), HasSubstr("certificate key"))
        << wrong;
  }
}

TEST(SharingTest, DecryptsOnAnotherNode) {
  FakeContext first;
  first.MakeAll();
  const Sealed sealed = SealSharedFiles(first.fake.files, first.config.cluster, kKey);
  EXPECT_THAT(sealed, UnorderedElementsAre(Key("ca.crt"), Key("ca.key"), Key("front-proxy-ca.crt"),
                                           Key("front-proxy-ca.key"), Key("sa.pub"), Key("sa.key"),
                                           Key("etcd-ca.crt"), Key("etcd-ca.key")));
  EXPECT_EQ(pki::OpenAesGcm(kKey, *sealed.at("sa.pub")), first.Text("sa.pub"));

  FakeContext second;
  second.Write("ca.crt", "old");  // is replaced
  OpenSharedFiles(second.fake.files, second.config.cluster, sealed, kKey);
  for (const char* name : {"ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key", "sa.pub",
                           "sa.key", "etcd/ca.crt", "etcd/ca.key"}) {
    EXPECT_EQ(second.Text(name), first.Text(name)) << name;
  }
  EXPECT_EQ(second.Mode("sa.key"), 0600U);
  EXPECT_EQ(second.Mode("sa.pub"), 0644U);
  EXPECT_EQ(second.Mode("etcd/ca.key"), 0600U);
  EXPECT_EQ(second.Mode("etcd/ca.crt"), 0644U);
  EXPECT_TRUE(MissingSharedFiles(second.fake.files, second.config.cluster).empty());
}

TEST(SharingTest, UsesTheConfiguredPathsOfAnExternalEtcd) {
  FakeContext context;
  context.MakeAll();
  context.config.cluster.etcd = {
      .local = std::nullopt,
      .external = config::ExternalEtcd{
          .ca_file = "/e/ca.crt", .cert_file = "/e/client.crt", .key_file = "/e/client.key"}};
  context.fake.files.Write("/e/ca.crt", context.Text("etcd/ca.crt"), {});
  context.fake.files.Write("/e/client.crt", context.Text("apiserver-etcd-client.crt"), {});
  context.fake.files.Write("/e/client.key", context.Text("apiserver-etcd-client.key"), {});
  const Sealed sealed = SealSharedFiles(context.fake.files, context.config.cluster, kKey);
  EXPECT_EQ(sealed.size(), 9U);
  EXPECT_FALSE(sealed.contains("etcd-ca.crt"));

  FakeContext second;
  second.config.cluster.etcd = context.config.cluster.etcd;
  OpenSharedFiles(second.fake.files, second.config.cluster, sealed, kKey);
  EXPECT_EQ(second.fake.files.Read("/e/client.key"), context.Text("apiserver-etcd-client.key"));
  EXPECT_EQ(second.fake.files.Stat("/e/client.key").value().mode, 0600U);
}

TEST(SharingTest, HasEmptyEntriesForAnEtcdWithoutTls) {
  FakeContext context;
  context.MakeAll();
  context.config.cluster.etcd = {.local = std::nullopt, .external = config::ExternalEtcd{}};
  const Sealed sealed = SealSharedFiles(context.fake.files, context.config.cluster, kKey);
  EXPECT_FALSE(sealed.at("external-etcd.key").has_value());
  FakeContext second;
  second.config.cluster.etcd = context.config.cluster.etcd;
  EXPECT_NO_THROW(OpenSharedFiles(second.fake.files, second.config.cluster, sealed, kKey));
}

TEST(SharingTest, StoresAMissingFileAsAnEmptyEntry) {
  FakeContext context;
  context.MakeCas();
  const Sealed sealed = SealSharedFiles(context.fake.files, context.config.cluster, kKey);
  EXPECT_FALSE(sealed.at("sa.key").has_value());
  FakeContext second;
  OpenSharedFiles(second.fake.files, second.config.cluster, sealed, kKey);
  EXPECT_FALSE(second.fake.files.Exists(FakeContext::Path("sa.key")));
}

TEST(SharingTest, WritesNoFileIfAnEntryCannotBeDecrypted) {
  FakeContext first;
  first.MakeAll();
  const Sealed good = SealSharedFiles(first.fake.files, first.config.cluster, kKey);
  struct Case {
    const char* name;
    Sealed sealed;
    std::string key;
    const char* mention;
  };
  Sealed lacking = good;
  lacking.erase("etcd-ca.key");
  Sealed changed = good;
  changed["etcd-ca.key"]->back() ^= 1;
  Sealed text = good;
  text["etcd-ca.key"] = pki::SealAesGcm(kKey, "hello");
  for (const Case& c : {Case{"entry missing", lacking, kKey, "etcd-ca.key"},
                        Case{"changed", changed, kKey, "etcd-ca.key"},
                        Case{"neither key nor certificate", text, kKey, "etcd-ca.key"},
                        Case{"wrong key", good, std::string(32, 'x'), "ca.crt"}}) {
    FakeContext second;
    EXPECT_THAT(base::MessageOf([&] {
                  OpenSharedFiles(second.fake.files, second.config.cluster, c.sealed, c.key);
                }),
                HasSubstr(c.mention))
        << c.name;
    EXPECT_TRUE(second.fake.files.written().empty()) << c.name;
  }
}

TEST(SharingTest, MissingSharedFilesNamesEachMissingFile) {
  FakeContext context;
  context.MakeAll();
  EXPECT_TRUE(MissingSharedFiles(context.fake.files, context.config.cluster).empty());
  context.Remove("ca.key");  // may be external
  EXPECT_TRUE(MissingSharedFiles(context.fake.files, context.config.cluster).empty());
  for (const char* name : {"ca.crt", "front-proxy-ca.crt", "etcd/ca.crt", "sa.key", "sa.pub"}) {
    context.Remove(name);
    EXPECT_THAT(MissingSharedFiles(context.fake.files, context.config.cluster).Text(),
                HasSubstr(FakeContext::Path(name).string()));
  }
  EXPECT_EQ(MissingSharedFiles(context.fake.files, context.config.cluster).size(), 5U);
  context.config.cluster.etcd.external.emplace();
  EXPECT_EQ(MissingSharedFiles(context.fake.files, context.config.cluster).size(), 4U);
}

TEST(SharingTest, NamesTheAlgorithmsOfAMismatchedPair) {
  FakeContext context;
  context.MakeAll();
  context.Write("sa.pub", pki::PrivateKey::Generate(pki::Algorithm::kMlDsa65).Public().Pem());
  EXPECT_THAT(MissingSharedFiles(context.fake.files, context.config.cluster).Text(),
              HasSubstr("holds a key of algorithm ECDSA, but"));
  EXPECT_THAT(MissingSharedFiles(context.fake.files, context.config.cluster).Text(),
              HasSubstr("one of ML-DSA: they are not a pair"));
}

}  // namespace
}  // namespace certs
