# Kernels as data in a C++ source, compiled by NVRTC: no nvcc, no GPU, the same bytes everywhere.

find_file(GRAPHTAP_NVRTC libnvrtc.so.12
  PATHS ${GRAPHTAP_NVRTC_ROOT} ${PROJECT_SOURCE_DIR}/.nvrtc PATH_SUFFIXES lib NO_DEFAULT_PATH)
if(NOT GRAPHTAP_NVRTC)
  message(FATAL_ERROR "No libnvrtc.so.12 of CUDA 12.0: run scripts/setup, or set GRAPHTAP_NVRTC_ROOT")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# graphtap_kernel_images(<variable> SOURCE file.cu FUNCTION name CAPABILITIES 70,75 DEPENDS …):
# the generated C++ source, which defines graphtap::probe::<name>() (interpose/probe/kernels/images.h).
function(graphtap_kernel_images variable)
  cmake_parse_arguments(ARG "" "SOURCE;FUNCTION;CAPABILITIES" "DEPENDS" ${ARGN})
  set(_script ${PROJECT_SOURCE_DIR}/scripts/cmake/embed_kernels.py)
  set(_output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_SOURCE}.images.cc)
  add_custom_command(OUTPUT ${_output}
    COMMAND Python3::Interpreter ${_script} --nvrtc ${GRAPHTAP_NVRTC} --include ${PROJECT_SOURCE_DIR}
            --capabilities ${ARG_CAPABILITIES} --function ${ARG_FUNCTION} --output ${_output}
            ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE}
    DEPENDS ${_script} ${ARG_SOURCE} ${ARG_DEPENDS} VERBATIM
    COMMENT "Kernel images of ${ARG_SOURCE}")
  set(${variable} ${_output} PARENT_SCOPE)
endfunction()
