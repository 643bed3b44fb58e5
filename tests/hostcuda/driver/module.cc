#include "tests/hostcuda/driver/module.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "tests/hostcuda/driver/twins.h"

namespace hostcuda {
namespace {

constexpr std::uint32_t kFatBinaryMagic = 0xBA55ED50;
constexpr std::uint32_t kFatBinaryWrapperMagic = 0x466243B1;  // what nvcc's objects point to

bool IsFatBinary(const void* data) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof(magic));
  return magic == kFatBinaryMagic || magic == kFatBinaryWrapperMagic;
}

bool IsElf(const void* data) {
  return std::strncmp(static_cast<const char*>(data), ELFMAG, SELFMAG) == 0;
}

// Machine code ends behind its section headers or its last section, whichever is later.
std::size_t ElfBytes(const void* data) {
  const auto* start = static_cast<const std::byte*>(data);
  Elf64_Ehdr header;
  std::memcpy(&header, start, sizeof(header));
  std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, start + header.e_shoff + i * header.e_shentsize, sizeof(section));
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

}  // namespace

Image Image::FromMemory(const void* data) {
  Image image;
  image.fat_binary_ = IsFatBinary(data);
  if (image.fat_binary_) return image;
  const char* text = static_cast<const char*>(data);
  image.bytes_ = IsElf(data) ? std::string(text, ElfBytes(data)) : std::string(text);
  return image;
}

CUresult Image::FromFile(const char* path, Image* image) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  image->bytes_.assign(std::istreambuf_iterator<char>(file), {});
  image->fat_binary_ =
      image->bytes_.size() >= sizeof(kFatBinaryMagic) && IsFatBinary(image->bytes_.data());
  return CUDA_SUCCESS;
}

bool Image::Holds(const std::string& name) const {
  return fat_binary_ || bytes_.find(name) != std::string::npos;
}

CUresult Module::GetFunction(const std::string& name, std::shared_ptr<Function>* function) {
  std::lock_guard lock(mutex_);
  auto known = functions_.find(name);
  if (known != functions_.end()) {
    *function = known->second;
    return CUDA_SUCCESS;
  }
  std::shared_ptr<const RegisteredTwin> twin = FindTwin(name);
  if (name.empty() || (!twin && !image->Holds(name))) return CUDA_ERROR_NOT_FOUND;
  auto made = std::make_shared<Function>();
  made->name = name;
  if (twin) made->parameters = twin->parameters;
  made->twin = std::move(twin);
  made->module = this;
  made->library = library;
  made->context = context;
  functions_[name] = made;
  Live<Function>().Add(made);
  *function = std::move(made);
  return CUDA_SUCCESS;
}

void Module::Unload() {
  std::lock_guard lock(mutex_);
  for (const auto& [name, function] : functions_) Live<Function>().Remove(function.get());
}

CUresult Kernel::FunctionIn(Context& context, std::shared_ptr<Function>* function) {
  return library->ModuleIn(context)->GetFunction(name, function);
}

CUresult Library::GetKernel(const std::string& name, std::shared_ptr<Kernel>* kernel) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Kernel>& known = kernels_[name];
  if (!known) {
    std::shared_ptr<const RegisteredTwin> twin = FindTwin(name);
    if (name.empty() || (!twin && !image->Holds(name))) {
      kernels_.erase(name);
      return CUDA_ERROR_NOT_FOUND;
    }
    known = std::make_shared<Kernel>();
    known->name = name;
    known->library = this;
    known->twin = std::move(twin);
    Live<Kernel>().Add(known);
  }
  *kernel = known;
  return CUDA_SUCCESS;
}

std::shared_ptr<Module> Library::ModuleIn(Context& context) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = modules_[&context];
  if (!module) module = AddModule(image, context, this);
  return module;
}

void Library::Forget(const Context& context) {
  std::lock_guard lock(mutex_);
  modules_.erase(&context);
}

void Library::Unload() {
  std::lock_guard lock(mutex_);
  for (const auto& [name, kernel] : kernels_) Live<Kernel>().Remove(kernel.get());
  for (const auto& [context, module] : modules_) {
    Live<Module>().Remove(module.get());
    module->Unload();
  }
}

std::shared_ptr<Module> AddModule(std::shared_ptr<const Image> image, Context& context,
                                  Library* library) {
  auto module = std::make_shared<Module>();
  module->image = std::move(image);
  module->context = &context;
  module->library = library;
  Live<Module>().Add(module);
  return module;
}

void ForgetModules(const Context& context) {
  auto modules = Live<Module>().RemoveIf(
      [&context](const Module& module) { return module.context == &context; });
  for (const auto& module : modules) module->Unload();
  Live<Library>().ForEach([&context](Library& library) { library.Forget(context); });
}

}  // namespace hostcuda
