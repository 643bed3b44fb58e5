# How a target of graphtap is made: warnings are errors, sanitizers in one place.

add_library(graphtap_options INTERFACE)
target_include_directories(graphtap_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# -Wrestrict: g++ 12 sees an overlap in "literal" + std::string that is not there (GCC bug 105651).
target_compile_options(graphtap_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-restrict>)
if(GRAPHTAP_SANITIZE)
  target_compile_options(graphtap_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${GRAPHTAP_SANITIZE} -fno-omit-frame-pointer -g>)
  target_link_options(graphtap_options INTERFACE -fsanitize=${GRAPHTAP_SANITIZE})
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
