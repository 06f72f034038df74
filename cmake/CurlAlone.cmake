# slipway_curl: libcurl for releases, its archive without the libraries behind protocols that are
# never spoken here.
#
# Debian's libcurl.a also does LDAP, SFTP, RTMP, Kerberos, HTTP/2, zstd and brotli, international
# names and cookie rules. Some of those libraries have no archive at all, together they double the
# time to load. http/client.cc allows only the protocols http and https in version 1.1, asks for no
# compression, keeps no cookies and logs in to proxies by password only. So the functions of those
# libraries are replaced by ones that say their name and abort, and those that libcurl calls at its
# start by ones that succeed. The list is read from the archive, so it fits the libcurl that is there.
set(CURL_ABSENT "^(Brotli|GSS_|RTMP_|ZSTD_|ber_|gss_|idn2_|ldap_|libssh2_|nghttp2_|psl_)")
set(CURL_SILENT libssh2_init psl_free)

function(slipway_curl_alone archive)
  execute_process(COMMAND ${CMAKE_NM} --undefined-only --format=just-symbols ${archive}
                  OUTPUT_VARIABLE names ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  list(FILTER names INCLUDE REGEX "${CURL_ABSENT}")
  list(REMOVE_DUPLICATES names)
  set(code "#include <stdio.h>\n#include <stdlib.h>\n")
  foreach(name IN LISTS names)
    if(name IN_LIST CURL_SILENT)
      string(APPEND code "int ${name}(void) { return 0; }\n")
    else()
      string(APPEND code "void ${name}(void) { fputs(\"${name} is not linked\\n\", stderr); abort(); }\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/curl_absent.c CONTENT "${code}" @ONLY)
  add_library(slipway_curl_absent STATIC ${PROJECT_BINARY_DIR}/curl_absent.c)
  target_compile_options(slipway_curl_absent PRIVATE -ffunction-sections -fno-builtin)
  add_library(slipway_curl INTERFACE)
  target_link_libraries(slipway_curl INTERFACE ${archive} slipway_curl_absent OpenSSL::SSL
                        OpenSSL::Crypto ZLIB::ZLIB)
endfunction()
