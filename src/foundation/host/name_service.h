// SPDX-License-Identifier: Apache-2.0
// Resolution of host names.
#pragma once

namespace host {

// Makes this process resolve host names by /etc/hosts, then by the name servers of
// /etc/resolv.conf. Ignores /etc/nsswitch.conf, because a static program cannot load the modules of
// nsswitch.conf(5). Call it before the first lookup.
void LookUpByFilesAndDns();

}  // namespace host
