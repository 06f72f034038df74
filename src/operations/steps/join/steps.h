// SPDX-License-Identifier: Apache-2.0
// The steps that only join has, each the body of a phase. They log their actions; node_steps has
// the steps shared with init and upgrade.
#pragma once

#include "steps/join/data.h"
#include "workflow/context.h"

namespace join_steps {

bool IsControlPlane(const JoinData& data);

// Defined in preflight.cc: resumes an earlier run. Throws base::Error if the earlier run made this
// host another kind of node. If the earlier run had another configuration, ignores the
// administrator's kubeconfig that it created, because this kubeconfig may point to another cluster.
void Resume(JoinData& data, workflow::Journal& journal);
// Runs the preflight checks of join. Throws base::Error(kOther) with all errors that were found.
void CheckMachine(JoinData& data, workflow::Context& context);
// Discovers the cluster, reads its configuration and checks it. Throws the errors of
// discovery::Discover and CheckNameIsFree.
void CollectCluster(JoinData& data, workflow::Context& context);
// Runs the preflight checks of another control-plane node, on this host and in the cluster. Throws
// base::Error(kOther) with all errors that were found.
void CheckControlPlane(JoinData& data, workflow::Context& context);

// Defined in prepare.cc: downloads the files that control-plane nodes share. Has no effect without
// a certificate key.
void ShareCertificates(JoinData& data, workflow::Context& context);
void MakeCertificates(JoinData& data, workflow::Context& context);
void MakeKubeconfigs(JoinData& data, workflow::Context& context);
void MakeManifests(JoinData& data, workflow::Context& context);

// Defined in etcd.cc. CheckEtcd and JoinEtcd have no effect if etcd is external. CheckEtcd warns
// about unhealthy members, and throws the errors of etcd::WaitForQuorum.
void CheckEtcd(JoinData& data, workflow::Context& context);
// Joins this node's etcd to the cluster, and waits until the new member has a vote. If the join
// fails, removes the member again.
void JoinEtcd(JoinData& data, workflow::Context& context);

// Defined in kubelet.cc:
void StartJoiningKubelet(JoinData& data, workflow::Context& context);
void WaitForBootstrap(JoinData& data, workflow::Context& context);
// Throws base::Error(kAlreadyExists) if another host has a Ready Node of this name. Throws
// kConflict if the resumed join gave the kubelet another name or another cluster's certificate.
void CheckNameIsFree(JoinData& data, workflow::Context& context);

// Defined in wait.cc: marks the node as a control-plane node.
void MarkNode(JoinData& data, workflow::Context& context);
// Waits until the control plane of this node is healthy. Throws base::Error(kTimeout), with the
// diagnosis of components that do not start.
void WaitForControlPlane(JoinData& data, workflow::Context& context);

}  // namespace join_steps
