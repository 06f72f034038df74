// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/success_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubeadm {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

SuccessFacts Facts() {
  return {.admin_conf = "/etc/kubernetes/admin.conf",
          .target = {.endpoint = "10.0.0.1:6443", .pins = {"sha256:aa"}},
          .for_control_planes = false,
          .uploaded_certs = false,
          .certificate_key = std::nullopt,
          .token = "abcdef.0123456789abcdef"};
}

TEST(SuccessText, BeginsWithTheLineThatScriptsWaitFor) {
  EXPECT_THAT(SuccessText(Facts()),
              StartsWith("\nYour Kubernetes control-plane has initialized successfully!\n"));
}

TEST(SuccessText, EndsInTheCommandThatScriptsCutOut) {
  EXPECT_THAT(SuccessText(Facts()),
              EndsWith("\nkubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef \\\n"
                       "\t--discovery-token-ca-cert-hash sha256:aa "));
}

TEST(SuccessText, ShowsControlPlanesTheirCommandOnlyWhenTheyCanJoin) {
  SuccessFacts facts = Facts();
  EXPECT_THAT(SuccessText(facts), Not(HasSubstr("--control-plane")));
  facts.for_control_planes = true;
  EXPECT_THAT(SuccessText(facts), HasSubstr("--control-plane"));
  EXPECT_THAT(SuccessText(facts), Not(HasSubstr("--certificate-key")));
  facts.uploaded_certs = true;
  facts.certificate_key = "0a0b";
  EXPECT_THAT(SuccessText(facts), HasSubstr("--control-plane --certificate-key 0a0b"));
}

TEST(SuccessText, GivesControlPlanesTheirCommandBeforeThatOfWorkers) {
  SuccessFacts facts = Facts();
  facts.for_control_planes = true;
  facts.uploaded_certs = true;
  facts.certificate_key = "0a0b";
  const std::string command =
      "kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef \\\n"
      "\t--discovery-token-ca-cert-hash sha256:aa ";
  EXPECT_THAT(SuccessText(facts),
              HasSubstr(command + "\\\n\t--control-plane --certificate-key 0a0b\n"));
  EXPECT_THAT(SuccessText(facts), EndsWith("\n" + command));
}

// Published scripts split the text at these headings, or count lines from its end.
TEST(SuccessText, HasTheHeadingsAndTheLinesThatScriptsCountOn) {
  SuccessFacts facts = Facts();
  facts.for_control_planes = true;
  facts.uploaded_certs = true;
  facts.certificate_key = "0a0b";
  const std::string command =
      "kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef \\\n"
      "\t--discovery-token-ca-cert-hash sha256:aa ";
  EXPECT_THAT(
      SuccessText(facts),
      EndsWith("\nYou can now join any number of control-plane nodes running the following command "
               "on each as root:\n\n  " +
               command +
               "\\\n\t--control-plane --certificate-key 0a0b\n\n"
               "Please note that the certificate-key gives access to cluster sensitive data, keep "
               "it secret!\n"
               "The uploaded certificates are deleted in two hours. To upload them again, run\n"
               "\"kubeadm init phase upload-certs --upload-certs\".\n\n"
               "Then you can join any number of worker nodes by running the following on each as "
               "root:\n\n" +
               command));
  facts.uploaded_certs = false;
  EXPECT_THAT(SuccessText(facts),
              HasSubstr("\nYou can now join any number of control-plane nodes"));
}

TEST(SuccessText, ShowsHowToCreateABoundTokenInsteadOfACommand) {
  SuccessFacts facts = Facts();
  facts.token = "";
  EXPECT_THAT(SuccessText(facts),
              EndsWith("\n  kubeadm token create --node NODE-NAME --print-join-command\n"));
  EXPECT_THAT(SuccessText(facts), Not(HasSubstr("kubeadm join")));
  facts.for_control_planes = true;
  facts.uploaded_certs = true;
  facts.certificate_key = "0a0b";
  EXPECT_THAT(SuccessText(facts), EndsWith("\\\n\t--certificate-key 0a0b\n"));
}

TEST(SuccessText, NamesTheKubeconfigThatWasMade) {
  EXPECT_THAT(SuccessText(Facts()), HasSubstr("sudo cp -i /etc/kubernetes/admin.conf "));
}

}  // namespace
}  // namespace kubeadm
