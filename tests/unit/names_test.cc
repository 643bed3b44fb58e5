// Readable names of kernels.

#include "analyzer/model/names.h"

#include <gtest/gtest.h>

namespace graphtap::model {
namespace {

struct Case {
  const char* demangled;
  const char* short_name;
};

class ShortNameTest : public testing::TestWithParam<Case> {};

TEST_P(ShortNameTest, IsTheNameAlone) {
  EXPECT_EQ(ShortName(GetParam().demangled), GetParam().short_name);
}

INSTANTIATE_TEST_SUITE_P(
    Names, ShortNameTest,
    testing::Values(
        Case{"scale_add(float const*, float*, unsigned long, float, float)", "scale_add"},
        Case{"void at::native::fill<4, at::F<float>, std::array<char*, 1ul> >(int, at::F<float>)",
             "at::native::fill"},
        Case{"std::vector<int, A<int> >* ns::make<int>(int)", "ns::make"},
        Case{"ns::(anonymous namespace)::kernel(int)", "ns::{anonymous}::kernel"},
        Case{"void (anonymous namespace)::kernel<float>(float*)", "{anonymous}::kernel"},
        Case{"_INTERNAL_5f3c9a12_7_scan_cu_8d1e::kernel(int)", "{anonymous}::kernel"},
        Case{"ns::run(int)::{lambda(float)#2}::operator()(float) const",
             "ns::run::{lambda}::operator()"},
        Case{"ns::run(int) const::{lambda()#1}::operator()() const",
             "ns::run::{lambda}::operator()"},
        Case{"void ns::apply<ns::run(int)::{lambda(float)#1}>(int)", "ns::apply"},
        Case{"ns::Type::{unnamed type#1}::call()", "ns::Type::{unnamed}::call"},
        Case{"bool ns::operator< <int>(ns::A<int> const&, ns::A<int> const&)", "ns::operator<"},
        Case{"ns::A ns::operator<<(ns::A, int)", "ns::operator<<"},
        Case{"ns::A::operator->() const", "ns::A::operator->"},
        Case{"my_operator<float>(int)", "my_operator"},
        Case{"std::enable_if<((4)>(2)), void>::type ns::pick<4>(int)", "ns::pick"},
        Case{"decltype (f(1)) ns::deduced<int>(int)", "ns::deduced"},
        Case{"ns::tagged[abi:cxx11](int)", "ns::tagged"},
        Case{"ns::kernel(int) [clone .constprop.0]", "ns::kernel"},
        Case{"unsigned long ns::count<int>(void (*)(int))", "ns::count"}, Case{"<", "<"}));

TEST(DemangleTest, MangledNamesBecomeReadable) {
  EXPECT_EQ(Demangle("_Z9scale_addPKfPfmff"),
            "scale_add(float const*, float*, unsigned long, float, float)");
}

TEST(DemangleTest, OtherNamesStay) {
  EXPECT_EQ(Demangle("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(Demangle("f"), "f");  // also the code of the type float
  EXPECT_EQ(Demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(Demangle(""), "");
}

TEST(DemangleTest, AnonymousNamespacesOfTheCompilerHaveNoHash) {
  const auto demangled = Demangle("_ZN39_GLOBAL__N__5d1a9f07_7_file_cu_1c9e2f3a6kernelEi");
  EXPECT_EQ(ShortName(demangled), "{anonymous}::kernel");
}

}  // namespace
}  // namespace graphtap::model
