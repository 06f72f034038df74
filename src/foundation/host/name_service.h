// SPDX-License-Identifier: Apache-2.0
// How names of hosts are looked up.
#pragma once

namespace host {

// LookUpByFilesAndDns makes the process find hosts by /etc/hosts, then by the name servers of
// /etc/resolv.conf, whatever /etc/nsswitch.conf says. A program that carries its libraries can load
// none of the modules that it may name (nsswitch.conf(5)). Call it before the first look-up.
void LookUpByFilesAndDns();

}  // namespace host
