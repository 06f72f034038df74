// SPDX-License-Identifier: Apache-2.0
#include "s3/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace s3 {
namespace {

using base::Error;
using testing::HasSubstr;

constexpr const char* kCredentials = R"(# comment
[default]
aws_access_key_id = FILEKEY
aws_secret_access_key = file+secret/=
[other]
aws_access_key_id=OTHERKEY
aws_secret_access_key=other
aws_session_token=token
)";

TEST(ParseLocation, IsABucketAndAKey) {
  EXPECT_EQ(ParseLocation("/srv/backups"), std::nullopt);
  EXPECT_EQ(ParseLocation("backups"), std::nullopt);
  EXPECT_EQ(ParseLocation("s3://my-bucket"), (Location{"my-bucket", ""}));
  EXPECT_EQ(ParseLocation("s3://my-bucket/"), (Location{"my-bucket", ""}));
  EXPECT_EQ(ParseLocation("s3://my.bucket/a/b c.age"), (Location{"my.bucket", "a/b c.age"}));
}

TEST(ParseLocation, RefusesInvalidBucketsAndKeys) {
  for (const char* text : {"s3://", "s3:///key", "s3://ab/key", "s3://My/key", "s3://buck et/key",
                           "s3://bucket/a/../b", "s3://bucket/./b", "s3://bucket/a\nb"}) {
    EXPECT_EQ(base::Thrown([&] { ParseLocation(text); }).kind(), Error::Kind::kInvalid) << text;
  }
  EXPECT_THROW(ParseLocation("s3://bucket/" + std::string(1025, 'k')), Error);
}

TEST(LoadAccess, PrefersTheVariablesToTheFiles) {
  host::FakeHost fake;
  fake.environment.variables["HOME"] = "/home/me";
  fake.files.Write("/home/me/.aws/credentials", kCredentials, {.mode = 0600});
  fake.files.Write("/home/me/.aws/config", "[default]\nregion = eu-west-1\n", {});
  const Access by_file = LoadAccess(fake.environment, fake.files);
  EXPECT_EQ(by_file.access_key, "FILEKEY");
  EXPECT_EQ(by_file.secret_key, "file+secret/=");
  EXPECT_EQ(by_file.session_token, "");
  EXPECT_EQ(by_file.region, "eu-west-1");
  EXPECT_EQ(by_file.endpoint, "");
  fake.environment.variables["AWS_ACCESS_KEY_ID"] = "KEY";
  fake.environment.variables["AWS_SECRET_ACCESS_KEY"] = "secret";
  fake.environment.variables["AWS_REGION"] = "mars-1";
  fake.environment.variables["AWS_ENDPOINT_URL"] = "https://s3.example.org:9000/";
  const Access by_variables = LoadAccess(fake.environment, fake.files);
  EXPECT_EQ(by_variables.access_key, "KEY");
  EXPECT_EQ(by_variables.secret_key, "secret");
  EXPECT_EQ(by_variables.region, "mars-1");
  EXPECT_EQ(by_variables.endpoint, "https://s3.example.org:9000");
}

TEST(LoadAccess, ReadsTheNamedProfileOfTheNamedFile) {
  host::FakeHost fake;
  fake.files.Write("/etc/credentials", kCredentials, {.mode = 0600});
  fake.environment.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/etc/credentials";
  fake.environment.variables["AWS_PROFILE"] = "other";
  const Access access = LoadAccess(fake.environment, fake.files);
  EXPECT_EQ(access.access_key, "OTHERKEY");
  EXPECT_EQ(access.session_token, "token");
  EXPECT_EQ(access.region, "us-east-1");
}

TEST(LoadAccess, ReadsTheServiceAndItsCaFromTheConfig) {
  host::FakeHost fake;
  fake.files.Write("/root/.aws/credentials", kCredentials, {.mode = 0600});
  fake.files.Write("/root/.aws/config",
                   "[default]\nendpoint_url = https://s3.example.org\nca_bundle=/etc/ca.pem\n", {});
  fake.files.Write("/etc/ca.pem", "a CA", {});
  const Access access = LoadAccess(fake.environment, fake.files);
  EXPECT_EQ(access.endpoint, "https://s3.example.org");
  EXPECT_EQ(access.ca_pem, "a CA");
}

TEST(LoadAccessOfTimer, ReadsOnlyTheFilesOfRoot) {
  host::FakeHost fake;
  fake.files.Write("/root/.aws/credentials", kCredentials, {.mode = 0600});
  fake.files.Write("/home/me/.aws/credentials", "[default]\n", {.mode = 0600});
  fake.environment.variables["HOME"] = "/home/me";
  EXPECT_EQ(LoadAccessOfTimer(fake.environment, fake.files).access_key, "FILEKEY");
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ENDPOINT_URL_S3"}) {
    fake.environment.variables[name] = "value";
    const Error error = base::Thrown([&] { LoadAccessOfTimer(fake.environment, fake.files); });
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    EXPECT_THAT(error.message(), HasSubstr(name));
    EXPECT_THAT(error.message(), HasSubstr("of /root/.aws/"));
    EXPECT_THAT(error.message(), testing::Not(HasSubstr("value")));
    fake.environment.variables.erase(name);
  }
}

TEST(LoadAccess, NamesMissingOrMalformedSettings) {
  host::FakeHost fake;
  const Error missing = base::Thrown([&] { LoadAccess(fake.environment, fake.files); });
  EXPECT_EQ(missing.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("/root/.aws/credentials"));
  for (const char* url : {"ftp://x", "s3.example.org", "https://x?y=z"}) {
    fake.environment.variables["AWS_ENDPOINT_URL"] = url;
    EXPECT_THAT(base::MessageOf([&] { LoadAccess(fake.environment, fake.files); }),
                HasSubstr("AWS_ENDPOINT_URL"))
        << url;
  }
}

}  // namespace
}  // namespace s3
