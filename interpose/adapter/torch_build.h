// Torch build: which PyTorch is in the process: what an adapter for it must have been compiled for.
// The loader would take any. Owner: the caller. Threads: any. Failure: nullopt if torch with CUDA
// is not loaded, or does not say which it is. No units.
#pragma once

#include <optional>
#include <string>

namespace graphtap::adapter {

struct TorchBuild {
  std::string folder;       // of the Python package, with lib/ and include/
  std::string version;      // "2.11.0", without what a builder added behind '+'
  bool new_strings = true;  // _GLIBCXX_USE_CXX11_ABI

  // As an adapter's mark spells it: "torch 2.11.0+cu130 cxx11abi1".
  std::string Mark() const;
};

std::optional<TorchBuild> FindTorch();

// Of the text of torch's version.py; "": it is not there.
std::string VersionOf(const std::string& version_py);

}  // namespace graphtap::adapter
