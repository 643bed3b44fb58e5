# How a target of graphtap is made: warnings are errors, sanitizers in one place.

add_library(graphtap_options INTERFACE)
target_include_directories(graphtap_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# -Wrestrict: g++ 12 sees an overlap in "literal" + std::string that is not there (GCC bug 105651).
# -Wdeprecated-declarations: clang sees them inside g++'s own headers.
target_compile_options(graphtap_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Werror>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
# The environment that tests need then.
set(GRAPHTAP_SANITIZER_OPTIONS)
if(GRAPHTAP_SANITIZE)
  # A finding ends the program.
  target_compile_options(graphtap_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${GRAPHTAP_SANITIZE} -fno-sanitize-recover=all
                                -fno-omit-frame-pointer -g1>
    # With sanitizers g++ 13 sees reads past an initializer list that are not there, and g++ 12
    # uninitialized members in <regex> and short strings that overflow when they are moved.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow>)
  target_link_options(graphtap_options INTERFACE -fsanitize=${GRAPHTAP_SANITIZE})
  if(GRAPHTAP_SANITIZE MATCHES thread)
    list(APPEND GRAPHTAP_SANITIZER_OPTIONS
      TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/jobs/tsan.suppressions)
  else()
    # The preload library comes before the runtime.
    list(APPEND GRAPHTAP_SANITIZER_OPTIONS
      ASAN_OPTIONS=verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1)
  endif()
endif()
if(GRAPHTAP_FUZZ)
  # Coverage is counted in our own code.
  target_compile_options(graphtap_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=fuzzer-no-link>)
endif()

# graphtap_library(<name> SOURCES … LINK …): a static library with the project's options.
function(graphtap_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC graphtap_options ${ARG_LINK})
endfunction()

# graphtap_test(<name> SOURCES … LINK … [LABELS …]): a GoogleTest program, one CTest entry.
function(graphtap_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE graphtap_options ${ARG_LINK} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()
