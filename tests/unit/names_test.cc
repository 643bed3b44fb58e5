// Readable names of kernels.

#include "proto/names/names.h"

#include <gtest/gtest.h>

#include <vector>

namespace graphtap::names {
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

// f(A<int, int>, A<S0, S0>, A<S1, S1>, …): each parameter is twice as long as the one before.
std::string DoublingName(unsigned parameters) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1AIiiE";
  for (unsigned i = 0; i < parameters; ++i) {
    const std::string before = std::string("S") + kDigits[i] + "_";
    name += "S_I" + before + before + "E";
  }
  return name;
}

TEST(DemangleTest, ANameThatWouldFillTheMemoryStays) {
  EXPECT_EQ(Demangle(DoublingName(1)), "f(A<int, int>, A<A<int, int>, A<int, int> >)");
  EXPECT_LE(Demangle(DoublingName(10)).size(), kMostNameBytes);
  EXPECT_NE(Demangle(DoublingName(10)), DoublingName(10));
  EXPECT_EQ(Demangle(DoublingName(36)), DoublingName(36));  // else two terabytes
}

TEST(DemangleTest, ExpressionsBecomeReadable) {
  EXPECT_EQ(Demangle("_Z1fILi3EEvRAplT_Li1E_i"), "void f<3>(int (&) [(3)+(1)])");
  EXPECT_EQ(Demangle("_Z1fIiENSt9enable_ifIXsr3std7is_sameIT_iEE5valueEvE4typeES1_"),
            "std::enable_if<std::is_same<int, int>::value, void>::type f<int>(int)");
  std::string sum = "T_";
  for (int i = 0; i < 60; ++i) sum = "pl" + sum + "Li1E";
  const std::string demangled = Demangle("_Z1fILi3EEvRA" + sum + "_i");
  EXPECT_TRUE(demangled.ends_with("+(1)])")) << demangled;
}

// The demangler waits for ever before a C, D, U behind a class that starts no member's name.
TEST(DemangleTest, ANameThatIsReadWithoutEndStays) {
  for (const std::string endless : {"_Z1aAsr1bC", "_Z1aAsr1bDp", "_Z1aAsr1bUx", "_Z1aIXsr1bCfEEvv",
                                    "_Z1aAsrC", "_ZccAsrccD", "_Z1aIL3foo9EsrX_EXsr1bCfEEvv"}) {
    EXPECT_EQ(Demangle(endless), endless);
  }
  const std::string identifier = "_Z10Asr1bCDpUxILi3EEvRAplT_Li1E_i";
  EXPECT_EQ(ShortName(Demangle(identifier)), "Asr1bCDpUx");
}

TEST(DemangleTest, AnonymousNamespacesOfTheCompilerHaveNoHash) {
  const auto demangled = Demangle("_ZN39_GLOBAL__N__5d1a9f07_7_file_cu_1c9e2f3a6kernelEi");
  EXPECT_EQ(ShortName(demangled), "{anonymous}::kernel");
}

struct Signature {
  const char* mangled;
  std::vector<Dtype> dtypes;  // of its parameters and of one more
};

class ParameterDtypeTest : public testing::TestWithParam<Signature> {};

TEST_P(ParameterDtypeTest, IsThePointeesType) {
  const auto demangled = Demangle(GetParam().mangled);
  ASSERT_NE(demangled, GetParam().mangled);
  std::vector<Dtype> dtypes;
  for (std::uint32_t k = 0; k < GetParam().dtypes.size(); ++k) {
    dtypes.push_back(ParameterDtype(demangled, k));
  }
  EXPECT_EQ(dtypes, GetParam().dtypes) << demangled;
}

constexpr auto kNo = Dtype::kUnknown;

INSTANTIATE_TEST_SUITE_P(
    Signatures, ParameterDtypeTest,
    testing::Values(
        // scale_add(float const*, float*, unsigned long, float, float)
        Signature{"_Z9scale_addPKfPfmff",
                  {Dtype::kFloat32, Dtype::kFloat32, kNo, kNo, kNo, kNo, kNo}},
        // void f<float>(float*, int, float const*): a return type
        Signature{"_Z1fIfEvPT_iPKS0_", {Dtype::kFloat32, kNo, Dtype::kFloat32, kNo}},
        // f(double const* __restrict__, bool*)
        Signature{"_Z1fPKrdPb", {Dtype::kFloat64, Dtype::kBool, kNo}},
        // f(signed char*, short*, int*, long*, long long*)
        Signature{"_Z1fPaPsPiPlPx",
                  {Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kInt64}},
        // f(unsigned char*, unsigned short*, unsigned*, unsigned long*, unsigned long long*)
        Signature{"_Z1fPhPtPjPmPy",
                  {Dtype::kUint8, Dtype::kUint16, Dtype::kUint32, Dtype::kUint64, Dtype::kUint64}},
        // f(__half*, __nv_bfloat16 const*, c10::BFloat16*, c10::Half volatile*)
        Signature{"_Z1fP6__halfPK13__nv_bfloat16PN3c108BFloat16EPVNS4_4HalfE",
                  {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kBfloat16, Dtype::kFloat16}},
        // f(c10::complex<float>*, __nv_fp8_e4m3*, c10::Float8_e5m2*)
        Signature{"_Z1fPN3c107complexIfEEP13__nv_fp8_e4m3PNS_11Float8_e5m2E",
                  {Dtype::kComplex64, Dtype::kFloat8E4m3fn, Dtype::kFloat8E5m2, kNo}},
        // f(float**, float const* const*, void*, char*, ns::Shape*, float (*)[4], float&)
        Signature{"_Z1fPPfPKPKfPvPcPN2ns5ShapeEPA4_fRf", {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
        // f(ns::Pair<int, float*>, void (*)(int, float*), float*, ...): commas inside a parameter
        Signature{"_Z1fN2ns4PairIiPfEEPFviS1_ES1_z", {kNo, kNo, Dtype::kFloat32, kNo, kNo}},
        // ns::run(int*)::{lambda(float*)#1}::operator()(float*) const
        Signature{"_ZZN2ns3runEPiENKUlPfE_clES1_", {Dtype::kFloat32, kNo}},
        // void (anonymous namespace)::k<float, (ns::Op)1>((anonymous namespace)::P, float*)
        Signature{"_ZN12_GLOBAL__N_11kIfLN2ns2OpE1EEEvNS_1PEPT_", {kNo, Dtype::kFloat32, kNo}},
        // std::vector<int*, A> f<int*>(int*): the return type has a pointer
        Signature{"_Z1fIPiESt6vectorIT_1AES2_", {Dtype::kInt32, kNo}}, Signature{"_Z1fv", {kNo}},
        Signature{"_ZN2ns8constantE", {kNo}}));

TEST(ParameterDtypeTest, ANameWithoutSignatureSaysNothing) {
  for (const char* name :
       {"", "triton_poi_fused_add_0", "f<float*>", "f(", "f(float**", "(float*)"}) {
    EXPECT_EQ(ParameterDtype(name, 0), Dtype::kUnknown) << name;
  }
}

TEST(NodeNamer, CountsTheNodesOfEachName) {
  NodeNamer namer;
  const auto next = [&](std::string_view scope, std::string_view label) {
    const auto name = namer.Next(scope, label);
    return name.text + '[' + std::to_string(name.invocation) + ']';
  };
  EXPECT_EQ(next("", "add"), "add[0]");
  EXPECT_EQ(next("forward", "add"), "forward/add[0]");
  EXPECT_EQ(next("", "memcpy"), "memcpy[0]");
  EXPECT_EQ(next("forward", "add"), "forward/add[1]");
  EXPECT_EQ(next("", "add"), "add[1]");
}

}  // namespace
}  // namespace graphtap::names
