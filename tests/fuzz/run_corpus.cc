// Gives a target the inputs of folders and what is left of each when it is cut anywhere:
//   <target>_corpus FOLDER…
// Prints how many inputs there were. Exit 1: a folder that has none, or no folder.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

// A longer input is cut at so many places.
constexpr std::size_t kCuts = 256;

std::vector<std::filesystem::path> FilesIn(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Run(const std::string& input, std::size_t size) {
  // A copy of exactly this size: a sanitizer sees what reads beyond it.
  const std::vector<std::uint8_t> bytes(input.begin(),
                                        input.begin() + static_cast<std::ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  for (int i = 1; i < argc; ++i) {
    std::size_t inputs = 0;
    for (const auto& file : FilesIn(argv[i])) {
      std::ifstream stream(file, std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(stream), {}};
      const std::size_t step = input.size() / kCuts + 1;
      for (std::size_t size = 0; size < input.size(); size += step) Run(input, size);
      Run(input, input.size());
      ++inputs;
    }
    std::printf("%s: %zu inputs\n", argv[i], inputs);
    if (inputs == 0) return 1;
  }
}
