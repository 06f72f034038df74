// SPDX-License-Identifier: Apache-2.0
#include "certs/create.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"
#include "steps/resume.h"
#include "workflow/written_files.h"

namespace init_steps {

void MakeCertificate(const certs::CertSpec& spec, InitData& data, workflow::Context& context) {
  BringOwnCa(spec, data);
  SettleLeftovers(data, context);
  steps::DropStaleCertificate(data.Resumed(), spec);
  workflow::WrittenFiles files(data.host.files, context);
  node_steps::SayCertificate(spec, certs::Ensure(spec, data.Certificates(files)), context);
}

}  // namespace init_steps
