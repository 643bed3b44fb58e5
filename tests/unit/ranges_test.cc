#include "interpose/nvtx/ranges.h"

#include <gtest/gtest.h>

#include <thread>

namespace graphtap::nvtx {
namespace {

TEST(Ranges, NestAndNamePaths) {
  Push(nullptr, "step");
  EXPECT_EQ(Innermost(), "step");
  const auto first = NextNumber();
  Push(nullptr, "forward");
  Push(nullptr, "layer0");
  EXPECT_EQ(PathFrom(first), "forward/layer0");
  Pop(nullptr);
  EXPECT_EQ(PathFrom(first), "forward");
  Pop(nullptr);
  EXPECT_EQ(PathFrom(first), "");
  Pop(nullptr);
  EXPECT_EQ(PathFrom(0), "");
}

TEST(Ranges, DomainsInterleave) {
  const int domain = 0;
  Push(nullptr, "outer");
  Push(&domain, "library");
  Push(nullptr, "inner");
  Pop(&domain);
  EXPECT_EQ(PathFrom(0), "outer/inner");
  Pop(nullptr);
  Pop(nullptr);
  EXPECT_EQ(PathFrom(0), "");
}

TEST(Ranges, APathHoldsWhatWasOpenedSince) {
  Push(nullptr, "around");
  const auto first = NextNumber();
  Pop(nullptr);
  Push(nullptr, "inside");
  EXPECT_EQ(PathFrom(first), "inside");
  Pop(nullptr);
}

TEST(Ranges, ARangeIsOpenUntilItIsClosedWhateverIsInsideIt) {
  Push(nullptr, "step");
  const std::uint64_t step = NextNumber() - 1;
  Push(nullptr, "step");
  Pop(nullptr);
  EXPECT_TRUE(IsOpen(step));
  Pop(nullptr);
  EXPECT_FALSE(IsOpen(step));
  Push(nullptr, "step");
  EXPECT_FALSE(IsOpen(step)) << "another one";
  Pop(nullptr);
}

TEST(Ranges, OnePopTooManyIsIgnored) {
  Pop(nullptr);
  EXPECT_EQ(PathFrom(0), "");
  EXPECT_EQ(Innermost(), "");
}

TEST(Ranges, EachThreadHasItsOwn) {
  Push(nullptr, "mine");
  std::thread([] {
    EXPECT_EQ(PathFrom(0), "");
    Push(nullptr, "theirs");
  }).join();
  EXPECT_EQ(PathFrom(0), "mine");
  Pop(nullptr);
}

}  // namespace
}  // namespace graphtap::nvtx
