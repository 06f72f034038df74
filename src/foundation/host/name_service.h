// SPDX-License-Identifier: Apache-2.0
// Resolution of host names.
#pragma once

namespace host {

// Makes the process resolve hosts by /etc/hosts, then by the name servers of /etc/resolv.conf,
// whatever /etc/nsswitch.conf says. A static program cannot load the modules of nsswitch.conf(5).
// Call it before the first lookup.
void LookUpByFilesAndDns();

}  // namespace host
