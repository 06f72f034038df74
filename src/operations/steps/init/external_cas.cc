// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "certs/external.h"
#include "kubeconfigs/create.h"
#include "steps/init/steps.h"

namespace init_steps {
namespace {

void CheckKubeconfigsOfExternalCa(InitData& data) {
  certs::PeriodLog periods(data.StartSecond());
  const base::Problems problems =
      kubeconfigs::ExternalCaProblems({.files = data.machine.files,
                                       .config = data.config,
                                       .dir = data.options.kubeconfig_dir,
                                       .ca_dir = data.config.cluster.certificates_dir,
                                       .start = data.StartSecond(),
                                       .new_key = {},
                                       .periods = periods});
  base::WithContext("an external CA needs the kubeconfig files that it signed",
                    [&] { problems.ThrowIfAny(); });
}

// Throws base::Error(kInvalid) if an approver is requested, because no component could sign the
// certificates that it approves.
void RefuseApproverWithoutSigner(const InitData& data) {
  if (data.init_options.approver) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        "serving certificates of kubelets are signed by the controller manager with the "
        "CA's key, which is not on this machine: leave out --kubelet-serving-certs, or put "
        "ca.key beside ca.crt");
  }
}

}  // namespace

void DetectExternalCas(InitData& data) {
  const auto is_external = [&](std::string_view ca) {
    return certs::IsExternalCa(data.machine.files, data.config.cluster.certificates_dir, ca,
                               data.StartSecond());
  };
  data.external_ca = is_external(certs::kCa);
  if (data.external_ca) {
    CheckKubeconfigsOfExternalCa(data);
    RefuseApproverWithoutSigner(data);
  }
  const bool external_front_proxy_ca = is_external(certs::kFrontProxyCa);
  if (data.init_options.upload_certs && (data.external_ca || external_front_proxy_ca)) {
    throw base::Error(base::Error::Kind::kUsage,
                      "can't use upload-certs with an external CA or an external front-proxy CA: "
                      "its key is not on this machine");
  }
}

}  // namespace init_steps
