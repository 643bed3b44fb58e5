#include "interpose/session/run_description.h"

#include <errno.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "interpose/session/session.h"

namespace graphtap::session {
namespace {

// Prefixes of the environment variables that decide how a CUDA job behaves.
constexpr std::array<std::string_view, 6> kPrefixes = {"GRAPHTAP_", "CUDA_", "TORCH",
                                                       "PYTORCH_",  "NCCL_", "OMP_NUM_THREADS"};

// Parts of the file names of libraries that a reader of the run wants to know.
constexpr std::array<std::string_view, 8> kLibraries = {
    "libcuda.so", "libcudart",  "libtorch_cuda", "libc10_cuda",
    "libnccl",    "libcublas.", "libcudnn.",     "xla_cuda_plugin"};

std::vector<std::string> Arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size();) {
    arguments.emplace_back(text.c_str() + at);
    at += arguments.back().size() + 1;
  }
  return arguments;
}

void ReadEnvironment(record::Run* run) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = text.substr(0, equals), value = text.substr(equals + 1);
    if (key.starts_with(kMetadataPrefix)) {
      run->metadata.emplace_back(key.substr(kMetadataPrefix.size()), value);
      continue;
    }
    bool wanted = key.ends_with("_VISIBLE_DEVICES") || key == "LD_PRELOAD";
    for (const auto prefix : kPrefixes) wanted = wanted || key.starts_with(prefix);
    if (wanted) run->environment.emplace_back(key, value);
  }
}

int AddLibrary(dl_phdr_info* info, std::size_t, void* data) {
  auto* run = static_cast<record::Run*>(data);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const auto part : kLibraries) {
    if (file.find(part) != std::string_view::npos) run->libraries.emplace_back(path);
  }
  return 0;
}

std::uint32_t Attribute(const driver::Calls& calls, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return calls.device_attribute(&value, which, device) == CUDA_SUCCESS
             ? static_cast<std::uint32_t>(value)
             : 0;
}

void AddGpus(const driver::Calls& calls, record::Run* run) {
  int count = 0;
  if (calls.device_count(&count) != CUDA_SUCCESS) return;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (calls.device_get(&device, i) != CUDA_SUCCESS) continue;
    record::Gpu gpu;
    gpu.ordinal = static_cast<std::uint32_t>(i);
    std::array<char, 256> name{};
    if (calls.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS) {
      gpu.name = name.data();
    }
    CUuuid uuid{};
    if (calls.device_uuid != nullptr && calls.device_uuid(&uuid, device) == CUDA_SUCCESS) {
      gpu.uuid.assign(uuid.bytes, sizeof uuid.bytes);
    }
    std::size_t bytes = 0;
    if (calls.device_memory(&bytes, device) == CUDA_SUCCESS) gpu.memory_bytes = bytes;
    gpu.multiprocessors = Attribute(calls, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    gpu.compute_capability =
        10 * Attribute(calls, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
        Attribute(calls, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    run->gpus.push_back(std::move(gpu));
  }
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string WorkingFolder() {
  std::array<char, 4096> path{};
  return getcwd(path.data(), path.size()) == nullptr ? "" : path.data();
}

}  // namespace

record::Run DescribeRun(const Settings& settings, const driver::Calls& calls) {
  record::Run run;
  run.run_id = settings.run_id;
  run.name = settings.name;
  run.group_id = settings.group;
  if (!settings.specification.rules.empty()) {
    run.specification = spec::Text(settings.specification);
    run.replays = spec::Text(settings.replays);
  }
  run.points = spec::Text(settings.points);
  const RankSetting rank = ReadRank([](const char* name) { return std::getenv(name); });
  run.rank = rank.rank;
  run.world_size = rank.world_size;
  run.rank_variable = rank.variable;
  run.host = HostName();
  run.pid = static_cast<std::uint32_t>(getpid());
  run.parent_pid = static_cast<std::uint32_t>(getppid());
  timespec realtime;
  clock_gettime(CLOCK_REALTIME, &realtime);
  run.start_monotonic_ns = Now();
  run.start_realtime_ns = static_cast<std::uint64_t>(realtime.tv_sec) * 1'000'000'000u +
                          static_cast<std::uint64_t>(realtime.tv_nsec);
  run.program = program_invocation_short_name;
  run.arguments = Arguments();
  run.working_directory = WorkingFolder();
  ReadEnvironment(&run);
  run.graphtap_version = GRAPHTAP_VERSION;
  int version = 0;
  if (calls.driver_version(&version) == CUDA_SUCCESS) {
    run.driver_version = static_cast<std::uint32_t>(version);
  }
  dl_iterate_phdr(AddLibrary, &run);
  AddGpus(calls, &run);
  return run;
}

}  // namespace graphtap::session
