# Programs with kernels: nvcc compiles the .cu files, the C++ linker links them against hostcuda's
# libcudart.so.13 and libcuda.so.1. They carry no run path: LD_LIBRARY_PATH says which CUDA they run on.
if(NOT GRAPHTAP_NVCC)
  message(FATAL_ERROR "The test jobs need nvcc; scripts/setup fetches it, or set GRAPHTAP_CUDA_ROOT")
endif()

set(_sanitizers)
if(GRAPHTAP_SANITIZE)
  string(REPLACE "," ";" _list ${GRAPHTAP_SANITIZE})
  list(TRANSFORM _list PREPEND "-Xcompiler=-fsanitize=" OUTPUT_VARIABLE _sanitizers)
endif()
set(GRAPHTAP_NVCC_FLAGS -std=c++20 -O2 -I${PROJECT_SOURCE_DIR} -ccbin ${CMAKE_CXX_COMPILER}
  -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90
  -Xcompiler=-Wall,-Wextra,-Werror ${_sanitizers}
  CACHE INTERNAL "What the test programs' kernels are compiled with")

# graphtap_cuda_object(<variable> <file.cu>): the object file that nvcc makes of it.
function(graphtap_cuda_object variable source)
  get_filename_component(_name ${source} NAME)
  set(_object ${CMAKE_CURRENT_BINARY_DIR}/${_name}.o)
  add_custom_command(OUTPUT ${_object}
    COMMAND ${GRAPHTAP_NVCC} ${GRAPHTAP_NVCC_FLAGS} -MD -MF ${_object}.d
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${_object}
    DEPENDS ${source} DEPFILE ${_object}.d VERBATIM
    COMMENT "nvcc ${_name}")
  set(${variable} ${_object} PARENT_SCOPE)
endfunction()

# graphtap_cuda_program(<name> FOLDER <folder under the build tree> SOURCES … [CUDA file.cu …]
#                       [LINK …]): an executable on hostcuda or a GPU.
function(graphtap_cuda_program name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;CUDA;LINK" ${ARGN})
  set(_objects)
  foreach(_source IN LISTS ARG_CUDA)
    graphtap_cuda_object(_object ${_source})
    list(APPEND _objects ${_object})
  endforeach()
  add_executable(${name} ${ARG_SOURCES} ${_objects})
  target_link_libraries(${name} PRIVATE graphtap_options graphtap::cuda_headers ${ARG_LINK})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    SKIP_BUILD_RPATH ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${ARG_FOLDER})
endfunction()

# graphtap_hostcuda_test(<name> TWINS <plug-in target> COMMAND …): a CTest entry on hostcuda.
function(graphtap_hostcuda_test name)
  cmake_parse_arguments(ARG "" "TWINS" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set(_environment LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/hostcuda ${GRAPHTAP_SANITIZER_OPTIONS})
  if(ARG_TWINS)
    list(APPEND _environment HOSTCUDA_TWINS=${PROJECT_BINARY_DIR}/hostcuda/${ARG_TWINS}.so)
  endif()
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${_environment}" TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()
