# What of these tests is run with sanitizers, whose runtime must be in each program that the preload library
# comes into: `_scripts`, and _environment_<name> of some of them.
set(_python probe-gradient-names probe-python record-allocation-stacks record-python-copies
  record-python-parameters record-python-regions record-python-stacks)

if(GRAPHTAP_SANITIZE MATCHES thread)
  set(_runtime libtsan.so)
  # Of what threads share.
  set(_scripts)
  foreach(_name memory-allocator memory-limits memory-points memory-signal probe-copies probe-eager
          probe-eager-bounds probe-layouts probe-many-graphs probe-mirror probe-op-values probe-storm
          probe-threads record-blocks record-driver-api record-fork record-ops record-train-loop
          record-ways ${_python})
    list(APPEND _scripts ${CMAKE_CURRENT_SOURCE_DIR}/${_name}.sh)
  endforeach()
  # Its job leaves by _exit, with all streams and their threads there.
  set(_environment_probe-eager-bounds ${GRAPHTAP_SANITIZER_OPTIONS}:report_thread_leaks=0)
else()
  set(_runtime libasan.so)
  # Other programs without the runtime; no descriptors, no /proc, other rights; a heap that another
  # library hooks; values that must be fetched within the time that an exit has.
  foreach(_name record-no-descriptors record-no-proc record-other-programs record-others
          record-setuid run-environment check-large)
    list(REMOVE_ITEM _scripts ${CMAKE_CURRENT_SOURCE_DIR}/${_name}.sh)
  endforeach()
  # Memory that was freed stays the process's for a while: not where the process is measured.
  foreach(_name probe-a-day probe-many-graphs)
    set(_environment_${_name}
      ASAN_OPTIONS=verify_asan_link_order=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=16)
  endforeach()
  # Leaks cannot be looked for where threads are not stopped or not there, as in a child of fork; Python
  # leaves some.
  foreach(_name probe-leave record-confined record-fork ${_python})
    set(_environment_${_name} ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0)
  endforeach()
endif()

execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${_runtime}
  OUTPUT_VARIABLE _runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(_name IN LISTS _python)
  list(APPEND _environment_${_name} SANITIZER_RUNTIME=${_runtime})
endforeach()
