#include "kubelet/wait.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kConf = "/etc/kubernetes/kubelet.conf";

std::string ConfWith(const std::string& credentials) {
  return "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], "
         "clusters: [{name: c, cluster: {server: 'https://c:6443'}}], "
         "users: [{name: u, user: {" +
         credentials + "}}]}";
}

base::Error Refusal(host::Host& host, const std::stop_token& stop = {}) {
  try {
    RequireBootstrap(host, 5ms, stop);
  } catch (const base::Error& error) {
    return error;
  }
  return base::Error("none");
}

TEST(Bootstrap, TakesAUsableFileAndTheCertificateThatItNames) {
  host::FakeHost fake;
  EXPECT_EQ(Refusal(fake.host).kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(Refusal(fake.host).message(), HasSubstr("/etc/kubernetes/kubelet.conf is not there"));
  fake.files.Write(kConf, ConfWith(""), {});
  EXPECT_FALSE(IsBootstrapped(fake.host, 1ms, {})) << "no credentials";
  fake.files.Write(kConf, ConfWith("client-certificate: /pem, client-key: /pem"), {});
  EXPECT_FALSE(IsBootstrapped(fake.host, 1ms, {})) << "no certificate yet";
  fake.files.Write("/pem", "x", {});
  EXPECT_NO_THROW(RequireBootstrap(fake.host, 1s, {}));
  fake.files.Write(kConf, ConfWith("token: t"), {});
  EXPECT_TRUE(IsBootstrapped(fake.host, 1ms, {}));
}

TEST(Bootstrap, CanBeStopped) {
  host::FakeHost fake;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Refusal(fake.host, stop.get_token()).kind(), base::Error::Kind::kCancelled);
  EXPECT_THROW(IsBootstrapped(fake.host, 5ms, stop.get_token()), base::Error);
}

TEST(Bootstrap, EndsAtOnceWhenTheKubeletHasFailed) {
  host::FakeHost fake;
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=failed\nNRestarts=5\n"});
  try {
    RequireBootstrap(fake.host, 60s, {});
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("the kubelet service has failed"));
  }
}

}  // namespace
}  // namespace kubelet
