# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Debian's cross compiler and its arm64 libraries next to the machine's own (multiarch);
# packages-arm64.txt lists them. Programs that a build runs (protoc, gRPC's plugin) stay the machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-14)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-14)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

# The cross compiler ships a glibc of its own, which gets no security fixes: libc6-dev:arm64 is linked
# instead. As searched directories, since -L alone does not decide which crt1.o is used.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B/usr/lib/aarch64-linux-gnu")

set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
