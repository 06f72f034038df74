// SPDX-License-Identifier: Apache-2.0
// The steps of init alone, each the body of a phase. They log their actions; node_steps has the
// steps shared with join and upgrade.
#pragma once

#include "init_steps/data.h"
#include "workflow/context.h"

namespace init_steps {

// preflight.cc CheckMachine throws base::Error with all reasons that prevent this machine from
// becoming a control plane.
void CheckMachine(InitData& data, workflow::Context& context);

// external_cas.cc DetectExternalCas detects CAs whose keys are elsewhere. Throws base::Error if
// their required leaves are incomplete, or if such a key is among certificates to upload. It also
// throws if an approver is requested whose certificates cannot be signed here.
void DetectExternalCas(InitData& data);

// certs.cc MakeCertificate creates the row's certificate, or keeps a valid existing one.
void MakeCertificate(const certs::CertSpec& spec, InitData& data, workflow::Context& context);

// etcd.cc MakeEtcd writes the manifest of a new cluster's only member.
void MakeEtcd(InitData& data, workflow::Context& context);

// kubelet.cc
void WriteAndStartKubelet(InitData& data, workflow::Context& context);
// Points kubelet.conf to the certificate that the kubelet renews, once it has one.
void EnableClientCertRotation(InitData& data, workflow::Context& context);

// wait.cc
void WaitForKubelet(InitData& data, workflow::Context& context);
// Returns when the API server answers, which suffices for the next phases.
void WaitForApi(InitData& data, workflow::Context& context);
// Returns when the API server authorizes its administrator: then the controllers can work, which
// would otherwise retry slowly. Throws the administrator's error.
void WaitForRules(InitData& data, workflow::Context& context);
// Waits for the whole control plane. Throws with the diagnosis of components that do not start.
void WaitForHealth(InitData& data, workflow::Context& context);
// Creates the accounts in advance, to save the controller manager's time; a failure is not an
// error, as it creates them itself.
void MakeControllerAccounts(InitData& data, workflow::Context& context);
// Returns whether a wait is possible; in a dry run it is not.
bool RunsPods(const InitData& data);

// cluster.cc Stores the kubelet's configuration in its ConfigMap, and the runtime's socket in the
// Node, where releases before v1.37 read it.
void StoreKubeletConfig(InitData& data, workflow::Context& context);
// Uploads certificates, encrypted, with --upload-certs only.
void UploadCertificates(InitData& data, workflow::Context& context);
// Creates bootstrap tokens, the rules that let nodes join with them, and cluster-info.
void MakeBootstrapTokens(InitData& data, workflow::Context& context);

// addons.cc With --print-manifest these print the objects instead.
void ApplyOrPrintCoreDns(InitData& data, workflow::Context& context);
void ApplyOrPrintKubeProxy(InitData& data, workflow::Context& context);
bool HasApprover(const InitData& data);
// Must not be called without HasApprover.
void ApplyOrPrintApprover(InitData& data, workflow::Context& context);

}  // namespace init_steps
