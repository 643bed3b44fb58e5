// What an adapter is chosen by.
#include <gtest/gtest.h>

#include <fstream>

#include "interpose/abi/adapter.h"
#include "interpose/adapter/adapter_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::adapter {
namespace {

TEST(TorchBuildTest, TheVersionIsAllThatStandsThere) {
  EXPECT_EQ(VersionOf("from typing import Optional\n\n__version__ = '2.11.0+cu130'\n"),
            "2.11.0+cu130");
  EXPECT_EQ(VersionOf("__version__ = \"2.6.0\"\ndebug = False\n"), "2.6.0");
  EXPECT_EQ(VersionOf("__all__ = ['__version__', 'debug']\n__version__ = '2.8.0a0+git1'\n"),
            "2.8.0a0+git1");
  for (const char* text : {"", "__version__ =", "__version__ = '2.11.0", "version = '1'",
                           "__version__ = '../2.11.0'", "__version__ = ''"}) {
    EXPECT_EQ(VersionOf(text), "") << text;
  }
}

TEST(TorchBuildTest, TheMarkNamesVersionAndStrings) {
  EXPECT_EQ((TorchBuild{"/t", "2.11.0", true}.Mark()), "torch 2.11.0 cxx11abi1");
  EXPECT_EQ((TorchBuild{"/t", "2.6.0", false}.Mark()), "torch 2.6.0 cxx11abi0");
}

TEST(AdapterFileTest, TheMarkIsReadFromTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/adapter.so";
  EXPECT_EQ(MarkOf(path), std::nullopt) << "no file";
  std::ofstream(path) << "ELF and more";
  EXPECT_EQ(MarkOf(path), "");
  std::ofstream(path) << "ELF" << GRAPHTAP_ADAPTER_MARK << "torch 2.11.0 cxx11abi1" << '\0' << "x";
  EXPECT_EQ(MarkOf(path), "torch 2.11.0 cxx11abi1");
  std::ofstream(path) << GRAPHTAP_ADAPTER_MARK << "cut";
  EXPECT_EQ(MarkOf(path), "cut");
}

}  // namespace
}  // namespace graphtap::adapter
