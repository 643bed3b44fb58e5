#include "interpose/probe/kernels/images.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace graphtap::probe {
namespace {

std::string_view Text(std::span<const std::byte> image) {
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

TEST(Images, ThePtxIsForOldDriversAndGpus) {
  const std::string_view ptx = Text(AllImages().back().bytes);
  EXPECT_THAT(ptx, testing::HasSubstr("\n.version 8.0\n"));
  EXPECT_THAT(ptx, testing::HasSubstr("\n.target sm_70\n"));
  EXPECT_EQ(ptx.find('\0'), ptx.size() - 1);
}

TEST(Images, EachHasAllKernels) {
  EXPECT_EQ(AllImages().size(), 7u);
  for (const Image& image : AllImages()) {
    for (const char* kernel : {"graphtap_head", "graphtap_hash", "graphtap_digest"}) {
      EXPECT_THAT(Text(image.bytes), testing::HasSubstr(kernel)) << image.capability;
    }
  }
}

TEST(Images, MachineCodeIsForTheGpuItIsListedFor) {
  for (const Image& image : AllImages().first(AllImages().size() - 1)) {
    ASSERT_GE(image.bytes.size(), sizeof(Elf64_Ehdr));
    Elf64_Ehdr header;
    std::memcpy(&header, image.bytes.data(), sizeof(header));
    EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
    constexpr unsigned kCapabilityMask = 0xff;  // of the flags of CUDA's machine code
    EXPECT_EQ(header.e_flags & kCapabilityMask, static_cast<unsigned>(image.capability));
  }
}

TEST(Images, AGpuGetsItsOwnOrThePtx) {
  const auto ptx = AllImages().back().bytes;
  for (const Image& image : AllImages().first(AllImages().size() - 1)) {
    EXPECT_EQ(ImageFor(image.capability / 10, image.capability % 10).data(), image.bytes.data());
  }
  EXPECT_EQ(ImageFor(7, 2).data(), ptx.data());
  EXPECT_EQ(ImageFor(8, 7).data(), ptx.data());
  EXPECT_EQ(ImageFor(10, 0).data(), ptx.data());
  EXPECT_EQ(ImageFor(7, 10).data(), ptx.data());  // not 8.0
}

}  // namespace
}  // namespace graphtap::probe
