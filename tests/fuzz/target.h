// Target: the entry that each *_fuzzer.cc defines, by the name that libFuzzer calls it.
// scripts/fuzz gives it inputs without end; the tests give it the corpus (run_corpus.cc). One
// thread. Failure: a property that does not hold ends the program (require.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace graphtap::fuzz {

inline std::string_view Input(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace graphtap::fuzz
