// SPDX-License-Identifier: Apache-2.0
// The steps that only init has, each the body of a phase. They log their actions; node_steps has
// the steps shared with join and upgrade.
#pragma once

#include "steps/init/data.h"
#include "workflow/context.h"

namespace init_steps {

// Defined in preflight.cc:
// Runs the preflight checks of init. Throws base::Error(kOther) with all errors that were found.
void CheckMachine(InitData& data, workflow::Context& context);

// Defined in external_cas.cc: detects CAs whose keys are not on this node. Throws
// base::Error(kInvalid) if a certificate or kubeconfig file of an external cluster CA is missing.
// Also throws kInvalid if an approver is requested, because no component could sign its
// certificates. Throws kUsage if the keys of an external CA would have to be uploaded.
void DetectExternalCas(InitData& data);

// Defined in certs.cc:
// Creates the certificate of `spec`, or keeps a valid existing certificate.
void MakeCertificate(const certs::CertSpec& spec, InitData& data, workflow::Context& context);

// Defined in leftovers.cc:
// Stops the resumed run's control plane and removes its manifests, if the configuration has changed
// since. A kubelet that is starting a Pod when its manifest changes may never start the new Pod. An
// etcd that misses a file at its first start leaves unusable data (etcd_membership/first_start.h).
// Removes such data, even if this etcd was stopped by other means. The kubelet stays stopped until
// kubelet-start.
//
// Acts only at the first call, and only in a run that resumes another run. Each phase that writes a
// certificate or a manifest, or starts the kubelet, calls this function first. Throws
// base::Error(kUnavailable) if the container runtime does not answer.
void SettleLeftovers(InitData& data, workflow::Context& context);

// Defined in etcd.cc:
// Writes the manifest of the new cluster's only etcd member.
void MakeEtcd(InitData& data, workflow::Context& context);

// Defined in kubelet.cc:
void WriteAndStartKubelet(InitData& data, workflow::Context& context);
// Changes kubelet.conf to name the certificate file that the kubelet renews, once it exists.
void EnableClientCertRotation(InitData& data, workflow::Context& context);

// Defined in wait.cc:
void WaitForKubelet(InitData& data, workflow::Context& context);
// Waits until the API server answers requests, which suffices for the next phases.
void WaitForApi(InitData& data, workflow::Context& context);
// Waits until the API server authorizes the administrator. If controllers start earlier, the API
// server refuses their requests, and they retry only after a delay. Throws the error of the
// administrator's connection.
void WaitForRules(InitData& data, workflow::Context& context);
// Waits for the whole control plane. Throws base::Error(kTimeout), with the diagnosis of components
// that do not start.
void WaitForHealth(InitData& data, workflow::Context& context);
// Creates the controllers' ServiceAccounts, so that the controller manager starts faster. Only logs
// a failure, because the controller manager creates missing accounts itself.
void MakeControllerAccounts(InitData& data, workflow::Context& context);
// Returns whether written Pods start, so that a wait for them can end. Returns false in a dry run.
bool RunsPods(const InitData& data);

// Defined in cluster.cc:
// Stores the kubelet's configuration in its ConfigMap. Also annotates the Node with the runtime's
// socket, for releases before v1.37.
void StoreKubeletConfig(InitData& data, workflow::Context& context);
// Uploads certificates, encrypted, with --upload-certs only.
void UploadCertificates(InitData& data, workflow::Context& context);
// Creates bootstrap tokens, the rules that let nodes join with them, and cluster-info.
void MakeBootstrapTokens(InitData& data, workflow::Context& context);

// Defined in addons.cc:
// ApplyOrPrintCoreDns and ApplyOrPrintKubeProxy apply the addon's objects, or print them with
// --print-manifest.
void ApplyOrPrintCoreDns(InitData& data, workflow::Context& context);
void ApplyOrPrintKubeProxy(InitData& data, workflow::Context& context);
bool HasApprover(const InitData& data);
// Applies the approver's objects. Precondition: HasApprover.
void ApplyApprover(InitData& data, workflow::Context& context);
bool HasFleet(const InitData& data);
// Applies the objects of the operator of ClusterOperations. Precondition: HasFleet.
void ApplyFleet(InitData& data, workflow::Context& context);

}  // namespace init_steps
