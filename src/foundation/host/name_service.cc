// SPDX-License-Identifier: Apache-2.0
#include "host/name_service.h"

#include <nss.h>

namespace host {

void LookUpByFilesAndDns() { __nss_configure_lookup("hosts", "files dns"); }

}  // namespace host
