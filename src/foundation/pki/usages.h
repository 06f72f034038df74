// SPDX-License-Identifier: Apache-2.0
// Names of the extended key usages in OpenSSL.
#pragma once

#include <openssl/objects.h>

#include "pki/certificate.h"

namespace pki {

struct UsageRow {
  ExtendedKeyUsage usage;
  int nid;
};

inline constexpr UsageRow kUsages[] = {
    {ExtendedKeyUsage::kServerAuth, NID_server_auth},
    {ExtendedKeyUsage::kClientAuth, NID_client_auth},
    {ExtendedKeyUsage::kCodeSigning, NID_code_sign},
    {ExtendedKeyUsage::kEmailProtection, NID_email_protect},
    {ExtendedKeyUsage::kTimeStamping, NID_time_stamp},
    {ExtendedKeyUsage::kOcspSigning, NID_OCSP_sign},
    {ExtendedKeyUsage::kAny, NID_anyExtendedKeyUsage},
};

}  // namespace pki
