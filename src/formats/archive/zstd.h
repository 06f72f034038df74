// SPDX-License-Identifier: Apache-2.0
// Compression by Zstandard (RFC 8878), piece by piece.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/take_bytes.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace archive {

inline constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

// Compresses to one frame with a checksum, which goes to `next`. `next` must outlive it.
class Compressor {
 public:
  explicit Compressor(const base::TakeBytes& next);
  void Add(std::string_view bytes);
  // Ends the frame. Call it once, as the last function.
  void End();

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  void Run(std::string_view bytes, bool last);

  const base::TakeBytes& next_;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::string out_;
};

// Decompresses frames to `next`, which must outlive it. Its window is at most 32 MiB: a frame that
// needs more memory is refused.
class Decompressor {
 public:
  explicit Decompressor(const base::TakeBytes& next);
  // Decompresses the next bytes. Throws base::Error(kInvalid) for damaged data. Propagates
  // exceptions of `next`.
  void Add(std::string_view bytes);
  // Ends the input. Throws base::Error(kInvalid) if the last frame is truncated.
  void End() const;

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  const base::TakeBytes& next_;
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::string out_;
  bool within_frame_ = true;
};

}  // namespace archive
