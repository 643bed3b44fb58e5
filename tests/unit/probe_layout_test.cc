// Where the sites of a plan lie in a slot, and what their probes are told.
#include "interpose/probe/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace graphtap::probe {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kMost = UINT64_MAX;

PlannedSite Site(std::uint32_t node, std::uint64_t bytes, bool hash, std::uint64_t copy_bytes = 0) {
  PlannedSite site;
  site.node = node;
  site.address = kBase + node;
  site.bytes = bytes;
  site.hash = hash;
  site.copy_bytes = copy_bytes;
  return site;
}

PlannedSite Digested(std::uint32_t node, std::uint64_t bytes, Dtype dtype) {
  PlannedSite site = Site(node, bytes, false);
  site.digest = true;
  site.dtype = dtype;
  return site;
}

Plan Of(std::vector<PlannedSite> sites) { return {std::move(sites), {}}; }

Layout Lay(Plan* plan) { return MakeLayout(plan, MakePlaces(*plan), kMost); }

std::vector<std::uint32_t> PlacesOf(const Layout& layout) {
  std::vector<std::uint32_t> places;
  for (const SiteLayout& site : layout.sites) places.push_back(site.place);
  return places;
}

TEST(ProbeLayout, AProbeObservesAtMostEightSitesOfOneNode) {
  Plan plan;
  for (std::uint32_t i = 0; i < 17; ++i) plan.sites.push_back(Site(3, 64, true));
  plan.sites.push_back(Site(5, 64, true));
  const Layout layout = Lay(&plan);
  std::vector<std::uint32_t> nodes;
  for (const ProbePlace& place : layout.places) nodes.push_back(place.node);
  EXPECT_THAT(nodes, ElementsAre(3u, 3u, 3u, 5u));
  EXPECT_THAT(PlacesOf(layout),
              ElementsAre(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 2u, 3u));
  EXPECT_THAT(plan.refused, IsEmpty());
}

TEST(ProbeLayout, OnlyDigestsOfFloatsNeedTheStatisticsKernel) {
  Plan plan = Of({Digested(0, 64, Dtype::kFloat32), Digested(1, 64, Dtype::kFloat16),
                  Digested(2, 64, Dtype::kBfloat16), Digested(3, 64, Dtype::kFloat64),
                  Digested(4, 64, Dtype::kUnknown), Site(5, 64, true), Site(6, 64, true),
                  Digested(6, 64, Dtype::kFloat32), Site(6, 64, true)});
  plan.sites[5].dtype = Dtype::kFloat32;
  std::vector<ProbeKernel> kernels;
  for (const ProbePlace& place : MakePlaces(plan)) kernels.push_back(place.kernel);
  constexpr auto kHash = ProbeKernel::kHash, kDigest = ProbeKernel::kDigest;
  EXPECT_THAT(kernels, ElementsAre(kDigest, kDigest, kDigest, kHash, kHash, kHash, kDigest));
}

TEST(ProbeLayout, RecordsAndCopiesFollowTheHeader) {
  // 16 bytes of header; a record has 48; copies begin and end at multiples of 16.
  Plan plan = Of({Site(0, 100, true, 20), Site(0, 4097, true), Site(1, 9000, false, 8193)});
  const Layout layout = Lay(&plan);
  ASSERT_EQ(layout.sites.size(), 3u);
  EXPECT_EQ(layout.sites[0].blocks, 1u);
  EXPECT_EQ(layout.sites[0].records, 16u);
  EXPECT_EQ(layout.sites[0].copy, 64u);
  EXPECT_EQ(layout.sites[1].blocks, 2u);
  EXPECT_EQ(layout.sites[1].records, 96u);
  EXPECT_EQ(layout.sites[1].copy, 0u) << "none";
  EXPECT_EQ(layout.sites[2].blocks, 3u);
  EXPECT_EQ(layout.sites[2].records, 0u) << "none";
  EXPECT_EQ(layout.sites[2].copy, 192u);
  EXPECT_EQ(layout.slot_bytes, 192u + 8208u);
}

TEST(ProbeLayout, StampsLieInFrontOfTheSites) {
  Plan plan = Of({Site(1, 100, true), Site(2, 100, true), Site(4, 100, true)});
  const Layout layout = MakeLayout(&plan, MakePlaces(plan), kMost, Stamps::kEach);
  EXPECT_EQ(layout.stamps, 3u);
  EXPECT_EQ(layout.sites[0].records, 48u)
      << "16 bytes of header, 24 of stamps, to a multiple of 16";
  EXPECT_EQ(ArgumentsOf(layout, plan, 0).probe.stamp, 16u);
  EXPECT_EQ(ArgumentsOf(layout, plan, 2).probe.stamp, 32u);
  const Layout plain = Lay(&plan);
  EXPECT_EQ(plain.stamps, 0u);
  EXPECT_EQ(ArgumentsOf(plain, plan, 2).probe.stamp, 0u);
}

TEST(ProbeLayout, TheSitesOfAProbeShareTheBlocksOut) {
  // 528 blocks of 8192 bytes cover a little more than 4 MiB.
  Plan plan = Of({Site(0, 4u << 20, true), Site(0, 100, true), Site(1, 100, true)});
  const Layout layout = Lay(&plan);
  EXPECT_EQ(layout.sites[0].block_bytes, 8192u);
  EXPECT_EQ(layout.sites[0].blocks, 512u);
  EXPECT_EQ(layout.sites[1].block_bytes, 8192u);
  EXPECT_EQ(layout.sites[1].blocks, 1u);
  EXPECT_EQ(layout.sites[2].block_bytes, 4096u);
}

// Begin and end of all that the probes write into a slot.
std::vector<std::pair<std::uint64_t, std::uint64_t>> Written(const Layout& layout,
                                                             const Plan& plan) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces = {{0, sizeof(SlotHeader)}};
  for (std::size_t i = 0; i < layout.sites.size(); ++i) {
    const SiteLayout& site = layout.sites[i];
    if (site.records != 0) {
      EXPECT_EQ(site.records % 8, 0u);
      pieces.emplace_back(site.records, site.records + site.blocks * sizeof(Record));
    }
    if (site.copy != 0) {
      EXPECT_EQ(site.copy % 16, 0u);
      pieces.emplace_back(site.copy, site.copy + plan.sites[i].copy_bytes);
    }
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

TEST(ProbeLayout, NothingOverlapsAndNoSlotIsLargerThanAllowed) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    Plan plan;
    for (std::uint32_t site = 0; site < 30; ++site) {
      const std::uint64_t bytes = 1 + random() % (site % 3 == 0 ? 300'000 : 300);
      plan.sites.push_back(Site(site / 10, bytes, random() % 2 == 0, random() % (bytes + 1)));
    }
    std::erase_if(plan.sites, [](const auto& site) { return !site.hash && site.copy_bytes == 0; });
    const std::size_t wanted = plan.sites.size();
    const std::uint64_t most = 16 + random() % 1'000'000;
    const Layout layout = MakeLayout(&plan, MakePlaces(plan), most);
    const auto pieces = Written(layout, plan);
    for (std::size_t k = 1; k < pieces.size(); ++k) {
      ASSERT_LE(pieces[k - 1].second, pieces[k].first);
    }
    ASSERT_LE(pieces.back().second, layout.slot_bytes);
    ASSERT_LE(layout.slot_bytes, most);
    ASSERT_EQ(layout.sites.size(), plan.sites.size());
    ASSERT_EQ(plan.sites.size() + plan.refused.size(), wanted);
  }
}

TEST(ProbeLayout, ASiteThatDoesNotFitIsRefusedAndTheNextIsNot) {
  Plan plan = Of({Site(0, 8000, false, 5000), Site(0, 100, true), Site(1, 64, false, 64)});
  plan.sites[0].operand = 4;
  plan.sites[0].rules = {2};
  Layout layout = MakeLayout(&plan, MakePlaces(plan), 128);
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[0].bytes, 100u);
  EXPECT_EQ(layout.slot_bytes, 16u + 48u + 64u) << "all that is allowed";
  ASSERT_EQ(plan.refused.size(), 1u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_too_large);
  EXPECT_EQ(plan.refused[0].operand, 4u);
  EXPECT_EQ(plan.refused[0].bytes, 8000u);
  EXPECT_THAT(plan.refused[0].rules, ElementsAre(2u));
  layout = MakeLayout(&plan, layout.places, 127);
  EXPECT_EQ(plan.sites.size(), 1u);
  EXPECT_EQ(plan.refused.size(), 2u);
  EXPECT_EQ(layout.slot_bytes, 64u);
}

TEST(ProbeLayout, ALaterPlanIsFittedIntoThePlacesThatAreThere) {
  Plan first = Of({Site(1, 64, true), Site(2, 64, true), Site(2, 64, true)});
  const auto places = MakePlaces(first);
  Plan plan;
  plan.sites.push_back(Site(0, 64, true));
  for (int i = 0; i < 9; ++i) plan.sites.push_back(Site(2, 64, true));
  plan.sites.push_back(Site(4, 64, true));
  const Layout layout = MakeLayout(&plan, places, kMost);
  EXPECT_EQ(layout.places.size(), 2u);
  EXPECT_EQ(layout.sites.size(), 8u);
  EXPECT_THAT(PlacesOf(layout), Each(1u));
  std::vector<std::pair<std::uint32_t, Skip>> refused;
  for (const RefusedSite& site : plan.refused) refused.emplace_back(site.node, site.reason);
  EXPECT_THAT(refused,
              ElementsAre(std::pair(0u, Skip::sites_changed), std::pair(2u, Skip::sites_changed),
                          std::pair(4u, Skip::sites_changed)));
  EXPECT_EQ(ArgumentsOf(layout, plan, 0).probe.count, 0u) << "node 1 has no site any more";
}

TEST(ProbeLayout, AProbeIsToldOfItsSites) {
  Plan plan = Of({Site(0, 64, true), Site(1, 9000, true, 8200), Site(1, 100, false, 24),
                  Digested(1, 4096, Dtype::kBfloat16), Site(2, 64, true)});
  const Layout layout = Lay(&plan);
  const ProbeArguments arguments = ArgumentsOf(layout, plan, 1).probe;
  ASSERT_EQ(arguments.count, 3u);
  EXPECT_EQ(arguments.cell, nullptr) << "whoever adds the node knows it";
  EXPECT_THAT(arguments.first_block, ElementsAre(0u, 3u, 4u, 5u, 5u, 5u, 5u, 5u, 5u));
  const Tensor& both = arguments.tensors[0];
  EXPECT_EQ(both.address, kBase + 1);
  EXPECT_EQ(both.bytes, 9000u);
  EXPECT_EQ(both.copy_bytes, 8200u);
  EXPECT_EQ(both.records, 64u);
  EXPECT_EQ(both.copy, 208u);
  EXPECT_EQ(both.block_bytes, 4096u);
  EXPECT_EQ(both.statistics, 0u);
  EXPECT_EQ(arguments.tensors[1].bytes, 0u) << "only copied";
  EXPECT_EQ(arguments.tensors[1].copy, 208u + 8208u);
  EXPECT_EQ(arguments.tensors[2].copy_bytes, 0u);
  EXPECT_EQ(arguments.tensors[2].statistics, static_cast<unsigned>(Statistics::kBfloat16));
}

PlannedSite Strided(PlannedSite site) {
  site.shape = {4, {{2, 4}, {site.bytes / 8, 8}}};
  return site;
}

TEST(ProbeLayout, SitesThatDoNotLieInCOrderHaveProbesOfTheirOwn) {
  Plan plan;
  for (std::uint64_t i = 0; i < 10; ++i) {
    plan.sites.push_back(Strided(Site(3, 64 + 8 * i, true)));
    if (i % 5 == 0) plan.sites.push_back(Digested(3, 4000, Dtype::kFloat32));
  }
  plan.sites.push_back(Strided(Digested(4, 64, Dtype::kFloat16)));
  const Layout layout = Lay(&plan);
  std::vector<ProbeKernel> kernels;
  for (const ProbePlace& place : layout.places) kernels.push_back(place.kernel);
  constexpr auto kStrided = ProbeKernel::kStrided;
  EXPECT_THAT(kernels, ElementsAre(ProbeKernel::kDigest, kStrided, kStrided, kStrided));
  EXPECT_THAT(PlacesOf(layout), ElementsAre(1u, 0u, 1u, 1u, 1u, 1u, 1u, 0u, 1u, 1u, 2u, 2u, 3u));
  const auto plain = ArgumentsOf(layout, plan, 0), second = ArgumentsOf(layout, plan, 2);
  EXPECT_EQ(plain.probe.count, 2u);
  EXPECT_EQ(plain.probe.tensors[1].bytes, 4000u);
  EXPECT_EQ(plain.strides[0].dimensions, 0u);
  ASSERT_EQ(second.probe.count, 2u);
  EXPECT_EQ(second.probe.tensors[1].bytes, 64u + 8 * 9);
  EXPECT_EQ(second.strides[1].dimensions, 2u);
  EXPECT_THAT(std::span(second.strides[1].sizes).first(2), ElementsAre(2u, 17u));
  EXPECT_EQ(ArgumentsOf(layout, plan, 3).probe.tensors[0].statistics,
            static_cast<unsigned>(Statistics::kFloat16));
}

TEST(ProbeLayout, NoProbeIsGivenASiteThatItCannotRead) {
  Plan first = Of({Site(0, 64, true), Strided(Site(1, 64, true))});
  Plan plan = Of({Strided(Site(0, 64, true)), Site(1, 64, true)});
  MakeLayout(&plan, MakePlaces(first), kMost);
  EXPECT_THAT(plan.sites, IsEmpty());
  ASSERT_EQ(plan.refused.size(), 2u);
  EXPECT_EQ(plan.refused[0].reason, Skip::sites_changed);
}

TEST(ProbeLayout, AKernelIsPassedWhatItTakes) {
  const StridedArguments arguments{};
  EXPECT_EQ(Passed(arguments, ProbeKernel::kHash).size(), sizeof(ProbeArguments));
  EXPECT_EQ(Passed(arguments, ProbeKernel::kDigest).size(), sizeof(ProbeArguments));
  EXPECT_EQ(Passed(arguments, ProbeKernel::kStrided).size(), sizeof(StridedArguments));
}

TEST(ProbeLayout, TheHashKernelIsNotAskedForStatistics) {
  Plan first = Of({Site(0, 64, true)});
  Plan plan = Of({Digested(0, 64, Dtype::kFloat32)});
  const Layout layout = MakeLayout(&plan, MakePlaces(first), kMost);
  ASSERT_EQ(plan.sites.size(), 1u);
  const ProbeArguments arguments = ArgumentsOf(layout, plan, 0).probe;
  EXPECT_EQ(arguments.tensors[0].bytes, 64u);
  EXPECT_EQ(arguments.tensors[0].statistics, static_cast<unsigned>(Statistics::kNone));
}

TEST(ProbeLayout, WhatIsAddedLiesBehindWhatIsThere) {
  const std::vector<PlannedSite> first = {Site(0, 100, true, 20), Site(0, 4097, true)};
  const std::vector<PlannedSite> then = {Site(1, 9000, true, 8193), Site(1, 64, true)};
  Plan plan;
  Layout layout;
  AddToLayout(Of(first), kMost, &plan, &layout);
  const std::uint64_t end = (layout.slot_bytes + 15) / 16 * 16;
  AddToLayout(Of(then), kMost, &plan, &layout);
  Plan alone = Of(then);
  const Layout expected = Lay(&alone);
  EXPECT_THAT(PlacesOf(layout), ElementsAre(0u, 0u, 1u, 1u));
  ASSERT_EQ(layout.sites.size(), 4u);
  EXPECT_EQ(layout.sites[1].blocks, 2u);
  EXPECT_EQ(layout.sites[2].records, expected.sites[0].records + end - 16);
  EXPECT_EQ(layout.sites[2].copy, expected.sites[0].copy + end - 16);
  EXPECT_EQ(layout.sites[3].copy, 0u) << "there is none";
  EXPECT_EQ(layout.slot_bytes, expected.slot_bytes + end - 16);
  EXPECT_EQ(ArgumentsOf(layout, plan, 1).probe.count, 2u);
}

TEST(ProbeLayout, WhatDoesNotFitBehindTheRestIsRefused) {
  Plan plan;
  Layout layout;
  AddToLayout(Of({Site(0, 64, true, 64)}), 256, &plan, &layout);
  AddToLayout(Of({Site(1, 64, false, 256), Site(1, 64, false, 16)}), 256, &plan, &layout);
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[1].copy_bytes, 16u);
  ASSERT_EQ(plan.refused.size(), 1u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_too_large);
  EXPECT_LE(layout.slot_bytes, 256u);
  AddToLayout(Of({Site(2, 64, false, 16)}), 16, &plan, &layout);
  EXPECT_EQ(plan.refused.size(), 2u);
  EXPECT_EQ(layout.places.size(), 2u);
}

}  // namespace
}  // namespace graphtap::probe
