# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Debian's cross compiler and its arm64 libraries beside the machine's own (multiarch);
# packages-arm64.txt lists them. Programs that a build runs (protoc, gRPC's plugin) stay the machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-14)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-14)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

# The cross compiler brings a glibc of its own, which gets no security fixes: libc6-dev:arm64 is linked.
# As searched directories, since -L alone does not decide where crt1.o comes from.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B/usr/lib/aarch64-linux-gnu")

set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
