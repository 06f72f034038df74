// SPDX-License-Identifier: Apache-2.0
// The steps that join alone takes, each the body of a phase. They say what they do; what the
// command does in common with init and upgrade is in node_steps.
#pragma once

#include "join_steps/data.h"
#include "workflow/context.h"

namespace join_steps {

bool IsControlPlane(const JoinData& data);

// preflight.cc
// Resume goes on with an earlier run. Throws base::Error when that made something else of this
// machine. What it left counts for nothing where the configuration was another one: its
// administrator's kubeconfig may lead to another cluster.
void Resume(JoinData& data, workflow::Journal& journal);
// CheckMachine throws base::Error with all that keeps this machine from joining.
void CheckMachine(JoinData& data, workflow::Context& context);
// LearnOfCluster finds the cluster, reads its configuration, and throws when this node's name is
// taken.
void LearnOfCluster(JoinData& data, workflow::Context& context);
// CheckControlPlane throws base::Error with all that keeps this machine, or the cluster, from one
// more node of the control plane.
void CheckControlPlane(JoinData& data, workflow::Context& context);

// prepare.cc
// ShareCertificates downloads what the nodes of the control plane share, with a certificate key
// only.
void ShareCertificates(JoinData& data, workflow::Context& context);
void MakeCertificates(JoinData& data, workflow::Context& context);
void MakeKubeconfigs(JoinData& data, workflow::Context& context);
void MakeManifests(JoinData& data, workflow::Context& context);

// etcd.cc
// Both skip an external etcd. CheckEtcd throws without a quorum, and warns of single members.
void CheckEtcd(JoinData& data, workflow::Context& context);
// JoinEtcd ends when the new member votes; when it fails, the member is taken out again.
void JoinEtcd(JoinData& data, workflow::Context& context);

// kubelet.cc
void StartJoiningKubelet(JoinData& data, workflow::Context& context);
void WaitForBootstrap(JoinData& data, workflow::Context& context);
// CheckNameIsFree throws when a Ready node of this name is another machine, and when the kubelet
// has got another name, or a certificate of another cluster, from the join that is resumed.
void CheckNameIsFree(JoinData& data, workflow::Context& context);

// wait.cc
// MarkNode as one of the control plane.
void MarkNode(JoinData& data, workflow::Context& context);
// WaitForControlPlane throws with the diagnosis of what does not come up on this node.
void WaitForControlPlane(JoinData& data, workflow::Context& context);

}  // namespace join_steps
