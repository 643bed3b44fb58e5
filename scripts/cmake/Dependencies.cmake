# What graphtap builds on, as imported targets. Everything is found on the system or in the folder
# that scripts/setup made; nothing is downloaded here.

# CUDA: headers for the library, nvcc for the test jobs. find_package(CUDAToolkit) is not used: with
# CMake 3.25 it fails on CUDA 13, and the library links neither libcuda nor libcudart.
set(_cuda_roots ${GRAPHTAP_CUDA_ROOT} $ENV{CUDA_HOME} /usr/local/cuda ${PROJECT_SOURCE_DIR}/.cuda)
find_path(GRAPHTAP_CUDA_INCLUDE cuda.h PATHS ${_cuda_roots} PATH_SUFFIXES include NO_DEFAULT_PATH REQUIRED)
find_program(GRAPHTAP_NVCC nvcc PATHS ${_cuda_roots} PATH_SUFFIXES bin NO_DEFAULT_PATH)
add_library(graphtap_cuda_headers INTERFACE)
target_include_directories(graphtap_cuda_headers SYSTEM INTERFACE ${GRAPHTAP_CUDA_INCLUDE})
add_library(graphtap::cuda_headers ALIAS graphtap_cuda_headers)

find_package(Threads REQUIRED)

# zstd: the static archive, for both halves.
find_library(GRAPHTAP_ZSTD_ARCHIVE libzstd.a REQUIRED)
find_path(GRAPHTAP_ZSTD_INCLUDE zstd.h REQUIRED)
add_library(graphtap_zstd INTERFACE)
target_include_directories(graphtap_zstd SYSTEM INTERFACE ${GRAPHTAP_ZSTD_INCLUDE})
target_link_libraries(graphtap_zstd INTERFACE ${GRAPHTAP_ZSTD_ARCHIVE})
add_library(graphtap::zstd ALIAS graphtap_zstd)

# Header-only: xxhash (both halves), protozero (preload library), nlohmann-json and CLI11 (analyzer).
foreach(_pair xxhash.h:xxhash protozero/pbf_writer.hpp:protozero nlohmann/json.hpp:json CLI/CLI.hpp:cli11)
  string(REPLACE ":" ";" _pair ${_pair})
  list(GET _pair 0 _header)
  list(GET _pair 1 _name)
  find_path(GRAPHTAP_${_name}_INCLUDE ${_header} REQUIRED)
  add_library(graphtap_${_name} INTERFACE)
  target_include_directories(graphtap_${_name} SYSTEM INTERFACE ${GRAPHTAP_${_name}_INCLUDE})
  add_library(graphtap::${_name} ALIAS graphtap_${_name})
endforeach()
target_compile_definitions(graphtap_xxhash INTERFACE XXH_INLINE_ALL)

# protobuf and abseil: static, for the analyzer alone.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
# Debian's abseil targets name the shared objects; the analyzer wants the archives beside them.
function(graphtap_use_static_abseil target seen)
  get_target_property(_location ${target} IMPORTED_LOCATION_NONE)
  if(_location MATCHES "\\.so")
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" _archive ${_location})
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE ${_archive})
  endif()
  get_target_property(_links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(_link IN LISTS _links)
    if(TARGET ${_link} AND _link MATCHES "^absl::" AND NOT _link IN_LIST ${seen})
      list(APPEND ${seen} ${_link})
      graphtap_use_static_abseil(${_link} ${seen})
    endif()
  endforeach()
  set(${seen} ${${seen}} PARENT_SCOPE)
endfunction()
set(_seen)
foreach(_target absl::strings absl::str_format absl::status absl::statusor absl::flat_hash_map
                absl::flat_hash_set absl::btree)
  graphtap_use_static_abseil(${_target} _seen)
endforeach()

if(GRAPHTAP_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()
