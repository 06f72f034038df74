// SPDX-License-Identifier: Apache-2.0
// Credentials that only one TPM can open (TCG, TPM 2.0 Library, Part 1, "Credential Protection").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pki/key.h"

namespace pki {

// The public area of an object in a TPM (Part 2, TPMT_PUBLIC), as far as a verifier needs it.
struct TpmObject {
  std::uint32_t attributes = 0;  // TPMA_OBJECT
  std::string name;              // the algorithm of its hash, and the hash: 34 bytes
};

// Reads a TPM2B_PUBLIC whose name is a SHA-256 hash. Throws base::Error(kInvalid) for any other
// content.
TpmObject ReadTpmObject(std::string_view tpm2b_public);

// Returns whether the TPM has created the object, the object never leaves it, and it signs only
// what the TPM itself has created: an attestation key.
bool IsAttestationKey(const TpmObject& object);

// A protected credential: the contents of TPM2B_ID_OBJECT and TPM2B_ENCRYPTED_SECRET.
struct TpmCredential {
  std::string id_object;
  std::string encrypted_secret;
};

// Protects a secret of at most 32 bytes. Only the TPM with the endorsement key can open it, and
// only while it holds the object of that name (TPM2_MakeCredential). The endorsement key must be
// RSA-2048 with the default template of TCG's EK Credential Profile: SHA-256, AES-128-CFB. Throws
// base::Error(kInvalid) for another key or a longer secret.
TpmCredential ProtectCredential(const PublicKey& endorsement_key, std::string_view object_name,
                                std::string_view secret);

// Returns the file format of tpm2_makecredential and tpm2_activatecredential.
std::string CredentialFile(const TpmCredential& credential);

}  // namespace pki
