// SPDX-License-Identifier: Apache-2.0
// Who takes a change back that is being tried and that nobody confirms.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// StartKeeper starts `kubeadm config keep` apart from this process and its terminal: as a service
// of systemd, which is started again when the machine boots, else as a process of its own, whose
// work is done after a reboot by 'kubeadm config undo'. Throws base::Error when neither can be
// started.
void StartKeeper(host::Host& host);

// StopKeeper removes the service; a process ends by itself when the journal says that it may.
void StopKeeper(host::Host& host);

// ConfigKeepCommand waits for the end of the trial and takes the change back then.
cli::Command ConfigKeepCommand(host::Host& host);

}  // namespace kubeadm
