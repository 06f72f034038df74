// What a release leaves out of gRPC and protobuf: 4 MB of parts that are never used here.
//
// A function that is defined here is not looked for in the archives, so nothing of what it stands
// for is linked. A call goes to one address, a socket or an etcd member, and is secured by TLS or
// by the socket's mode: what stays is pick_first and round_robin, the system's resolver, HTTP/2,
// TLS and retries. A name that a newer gRPC does not have does no harm; one that it has under
// another name makes the program larger, which tests/packages notices.
#include <cstdio>
#include <cstdlib>

// Parts that register themselves when gRPC starts, and then wait to be asked for by a service
// mesh (xDS), a balancer, a test or another resolver.
namespace grpc_core {

struct CoreConfiguration {
  class Builder;
};

void FaultInjectionFilterRegister(CoreConfiguration::Builder*) {}
void RegisterAresDnsResolver(CoreConfiguration::Builder*) {}
void RegisterExtraFilters(CoreConfiguration::Builder*) {}
void RegisterFakeResolver(CoreConfiguration::Builder*) {}
void RegisterGrpcLbPolicy(CoreConfiguration::Builder*) {}
void RegisterOutlierDetectionLbPolicy(CoreConfiguration::Builder*) {}
void RegisterPriorityLbPolicy(CoreConfiguration::Builder*) {}
void RegisterRingHashLbPolicy(CoreConfiguration::Builder*) {}
void RegisterRlsLbPolicy(CoreConfiguration::Builder*) {}
void RegisterWeightedTargetLbPolicy(CoreConfiguration::Builder*) {}

}  // namespace grpc_core

void grpc_resolver_dns_ares_init() {}
void grpc_resolver_dns_ares_shutdown() {}

#define SLIPWAY_ABSENT(name)                      \
  extern "C" void name() {                        \
    std::fputs(#name " is not linked\n", stderr); \
    std::abort();                                 \
  }

// Credentials of clouds and of other kinds than TLS.
SLIPWAY_ABSENT(grpc_access_token_credentials_create)
SLIPWAY_ABSENT(grpc_alts_credentials_client_options_add_target_service_account)
SLIPWAY_ABSENT(grpc_alts_credentials_client_options_create)
SLIPWAY_ABSENT(grpc_alts_credentials_create)
SLIPWAY_ABSENT(grpc_alts_credentials_options_destroy)
SLIPWAY_ABSENT(grpc_composite_call_credentials_create)
SLIPWAY_ABSENT(grpc_composite_channel_credentials_create)
SLIPWAY_ABSENT(grpc_external_account_credentials_create)
SLIPWAY_ABSENT(grpc_google_compute_engine_credentials_create)
SLIPWAY_ABSENT(grpc_google_default_credentials_create)
SLIPWAY_ABSENT(grpc_google_iam_credentials_create)
SLIPWAY_ABSENT(grpc_google_refresh_token_credentials_create)
SLIPWAY_ABSENT(grpc_local_credentials_create)
SLIPWAY_ABSENT(grpc_metadata_credentials_create_from_plugin)
SLIPWAY_ABSENT(grpc_service_account_jwt_access_credentials_create)
SLIPWAY_ABSENT(grpc_sts_credentials_create)
SLIPWAY_ABSENT(grpc_tls_credentials_create)

// google::protobuf::internal::ExtensionSet, parsing and writing: our messages have no extensions.
SLIPWAY_ABSENT(
    _ZN6google8protobuf8internal12ExtensionSet10ParseFieldEmPKcPKNS0_11MessageLiteEPNS1_16InternalMetadataEPNS1_12ParseContextE)
SLIPWAY_ABSENT(
    _ZNK6google8protobuf8internal12ExtensionSet22_InternalSerializeImplEPKNS0_11MessageLiteEiiPhPNS0_2io19EpsCopyOutputStreamE)
