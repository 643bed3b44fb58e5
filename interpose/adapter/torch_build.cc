#include "interpose/adapter/torch_build.h"

#include <link.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "interpose/driver/real_dlsym.h"

namespace graphtap::adapter {
namespace {

// A function of libc10 with a string among its parameters, in both ABIs.
constexpr const char* kOldStrings = "_ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_RKSs";
constexpr const char* kNewStrings =
    "_ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_RKNSt7__cxx1112basic_string"
    "IcSt11char_traitsIcESaIcEEE";

constexpr const char* kVersionLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-_";

struct Loaded {
  std::string torch_cpu;  // path
  bool has_cuda = false;
  std::optional<bool> new_strings;
};

int Visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* loaded = static_cast<Loaded*>(data);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (path.ends_with("/libtorch_cpu.so")) loaded->torch_cpu = path;
  if (path.ends_with("/libc10_cuda.so")) loaded->has_cuda = true;
  if (!path.ends_with("/libc10.so")) return 0;
  if (graphtap_defines_symbol(info, kNewStrings)) {
    loaded->new_strings = true;
  } else if (graphtap_defines_symbol(info, kOldStrings)) {
    loaded->new_strings = false;
  }
  return 0;
}

}  // namespace

std::string TorchBuild::Mark() const {
  return "torch " + version + " cxx11abi" + (new_strings ? '1' : '0');
}

std::string VersionOf(const std::string& version_py) {
  const auto name = version_py.find("__version__ =");
  if (name == std::string::npos) return "";
  const auto begin = version_py.find_first_of("'\"", name);
  if (begin == std::string::npos) return "";
  const auto end = version_py.find_first_of("'\"\n", begin + 1);
  if (end == std::string::npos) return "";
  const std::string version = version_py.substr(begin + 1, end - begin - 1);
  // It becomes a part of a file's name.
  return version.find_first_not_of(kVersionLetters) == std::string::npos ? version : "";
}

std::optional<TorchBuild> FindTorch() {
  Loaded loaded;
  dl_iterate_phdr(Visit, &loaded);
  if (loaded.torch_cpu.empty() || !loaded.has_cuda) return std::nullopt;
  TorchBuild build;
  const auto lib = loaded.torch_cpu.rfind("/lib/");
  if (!loaded.new_strings || lib == std::string::npos) return build;
  build.new_strings = *loaded.new_strings;
  build.folder = loaded.torch_cpu.substr(0, lib);
  std::ifstream file(build.folder + "/version.py");
  build.version = VersionOf({std::istreambuf_iterator<char>(file), {}});
  return build;
}

}  // namespace graphtap::adapter
