#include "interpose/session/other_tools.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "interpose/driver/real_dlsym.h"

namespace graphtap::session {
namespace {

constexpr std::string_view kSanitizer = "compute-sanitizer", kNvbit = "NVBit";

struct Part {
  std::string_view file;  // how its name begins
  std::string_view tool;
};
constexpr std::array<Part, 3> kParts = {{{"libsanitizer-collection", kSanitizer},
                                         {"libsanitizer-public", kSanitizer},
                                         {"libnvbit", kNvbit}}};
// Every tool made with NVBit has it inside and exports this, whatever its file is called.
constexpr const char* kNvbitSymbol = "nvbit_at_init";
constexpr std::string_view kSanitizerVariables = "NV_SANITIZER";

void Add(std::string_view tool, std::vector<OtherTool>* tools) {
  const bool known = std::any_of(tools->begin(), tools->end(),
                                 [&](const OtherTool& other) { return other.name == tool; });
  if (!known) tools->push_back({std::string(tool), true});
}

int AddLoaded(dl_phdr_info* info, std::size_t, void* data) {
  auto* tools = static_cast<std::vector<OtherTool>*>(data);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const auto& part : kParts) {
    if (file.starts_with(part.file)) Add(part.tool, tools);
  }
  if (graphtap_defines_symbol(info, kNvbitSymbol)) Add(kNvbit, tools);
  return 0;
}

// Other libraries that the environment puts into the process: they may hook the same calls.
void AddListed(const char* variable, std::string_view what, std::vector<OtherTool>* tools) {
  const char* text = std::getenv(variable);
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const auto end = rest.find_first_of(": ");
    const std::string_view path = rest.substr(0, end);
    if (!path.empty() && path.find("libgraphtap.so") == std::string_view::npos) {
      tools->push_back({std::string(what) + ' ' + std::string(path)});
    }
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
}

}  // namespace

std::vector<OtherTool> FindOtherTools() {
  std::vector<OtherTool> tools;
  dl_iterate_phdr(AddLoaded, &tools);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with(kSanitizerVariables)) Add(kSanitizer, &tools);
  }
  AddListed("LD_PRELOAD", "preload", &tools);
  AddListed("CUDA_INJECTION64_PATH", "injection", &tools);
  return tools;
}

}  // namespace graphtap::session
