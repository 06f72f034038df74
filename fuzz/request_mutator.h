// SPDX-License-Identifier: Apache-2.0
// Randomly changed requests, reproducible by seed except for keys and signatures.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

// Changes entries of a pool, or creates new requests of odd parts and signs them.
class RequestMutator {
 public:
  RequestMutator(std::uint64_t seed, std::vector<std::string> pool);
  std::string Next();

 private:
  std::size_t Below(std::size_t limit);
  const std::string& AnyOf(const std::vector<std::string>& list);
  std::string NewRequest();
  std::string OddValue();
  void ChangeText(std::string& text);
  std::string WithChangedDer(const std::string& text);

  std::mt19937_64 random_;
  std::vector<std::string> pool_;
};

}  // namespace fuzz
