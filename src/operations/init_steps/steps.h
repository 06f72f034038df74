// SPDX-License-Identifier: Apache-2.0
// The steps that init alone takes, each the body of a phase. They say what they do; what the
// command does in common with join and upgrade is in node_steps.
#pragma once

#include "init_steps/data.h"
#include "workflow/context.h"

namespace init_steps {

// preflight.cc
// CheckMachine throws base::Error with all that keeps this machine from becoming a control plane.
void CheckMachine(InitData& data, workflow::Context& context);

// external_cas.cc
// DetectExternalCas looks for CAs whose keys stay elsewhere. Throws base::Error when what they must
// have signed is not complete, when certificates are to be uploaded, such a key among them, and
// when an approver is asked for whose certificates nobody here can sign.
void DetectExternalCas(InitData& data);

// certs.cc
// MakeCertificate makes the row's certificate, or keeps the one that is there and good.
void MakeCertificate(const certs::CertSpec& spec, InitData& data, workflow::Context& context);

// etcd.cc
// MakeEtcd writes the manifest of a new cluster's only member.
void MakeEtcd(InitData& data, workflow::Context& context);

// kubelet.cc
void WriteAndStartKubelet(InitData& data, workflow::Context& context);
// EnableClientCertRotation points kubelet.conf to the certificate that the kubelet renews, once it
// has one.
void EnableClientCertRotation(InitData& data, workflow::Context& context);

// wait.cc
void WaitForKubelet(InitData& data, workflow::Context& context);
// WaitForApi ends when the API server answers: what comes next needs no more of it.
void WaitForApi(InitData& data, workflow::Context& context);
// WaitForRules ends when the API server lets its administrator in: then the controllers can do
// their work, which do not wait for it well. Throws what keeps the administrator out.
void WaitForRules(InitData& data, workflow::Context& context);
// WaitForHealth of the whole control plane. Throws with the diagnosis of what does not come up.
void WaitForHealth(InitData& data, workflow::Context& context);
// MakeControllerAccounts saves the controller manager the time; it makes them itself where this
// fails, which is not an error.
void MakeControllerAccounts(InitData& data, workflow::Context& context);
// RunsPods tells whether there is anything to wait for; in a dry run there is not.
bool RunsPods(const InitData& data);

// cluster.cc
// StoreKubeletConfig in its ConfigMap, and the runtime's socket to the Node where releases before
// v1.37 look for it.
void StoreKubeletConfig(InitData& data, workflow::Context& context);
// UploadCertificates, encrypted, with --upload-certs only.
void UploadCertificates(InitData& data, workflow::Context& context);
// MakeBootstrapTokens, the rules by which nodes join with them, and cluster-info.
void MakeBootstrapTokens(InitData& data, workflow::Context& context);

// addons.cc
// With --print-manifest these print what they would apply.
void ApplyOrPrintCoreDns(InitData& data, workflow::Context& context);
void ApplyOrPrintKubeProxy(InitData& data, workflow::Context& context);
bool HasApprover(const InitData& data);
// ApplyOrPrintApprover: not to be called without HasApprover.
void ApplyOrPrintApprover(InitData& data, workflow::Context& context);

}  // namespace init_steps
