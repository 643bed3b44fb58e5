#include "interpose/probe/layout.h"

#include <algorithm>
#include <iterator>

#include "interpose/probe/kernels/block_size.h"
#include "proto/digest.h"

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kAlignment = 16;

std::uint64_t Aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool HasDigest(const PlannedSite& site) { return site.hash || site.digest; }

// How far the probe reads.
std::uint64_t BytesRead(const PlannedSite& site) {
  return HasDigest(site) ? site.bytes : site.fetched_bytes();
}

// The numbers are those of Dtype (arguments.h).
static_assert(static_cast<unsigned>(Statistics::kFloat16) ==
              static_cast<unsigned>(Dtype::kFloat16));
static_assert(static_cast<unsigned>(Statistics::kBfloat16) ==
              static_cast<unsigned>(Dtype::kBfloat16));
static_assert(static_cast<unsigned>(Statistics::kFloat32) ==
              static_cast<unsigned>(Dtype::kFloat32));

Statistics StatisticsOf(const PlannedSite& site) {
  const bool wanted = site.digest && HasRecordStatistics(site.dtype);
  return wanted ? static_cast<Statistics>(site.dtype) : Statistics::kNone;
}

// Hands out places: of each node those that are there, kTensorsPerProbe sites each.
class Places {
 public:
  explicit Places(std::span<const ProbePlace> places) : places_(places), used_(places.size()) {}

  // The place of the next site; they come by node. nullopt: none is left.
  std::optional<std::uint32_t> Take(const PlannedSite& site) {
    while (first_ < places_.size() && places_[first_].node < site.node) ++first_;
    for (std::size_t i = first_; i < places_.size() && places_[i].node == site.node; ++i) {
      if (places_[i].strided() != site.strided() || used_[i] == kTensorsPerProbe) continue;
      ++used_[i];
      return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }

 private:
  std::span<const ProbePlace> places_;
  std::vector<unsigned> used_;
  std::size_t first_ = 0;  // of the node
};

// Shares the bytes of all sites that one probe reads out to blocks.
void SetBlocks(const Plan& plan, Layout* layout) {
  std::vector<std::uint64_t> total(layout->places.size());
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    total[layout->sites[i].place] += BytesRead(plan.sites[i]);
  }
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    SiteLayout& site = layout->sites[i];
    site.block_bytes = BlockBytes(total[site.place]);
    const std::uint64_t blocks =
        (BytesRead(plan.sites[i]) + site.block_bytes - 1) / site.block_bytes;
    site.blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks));
  }
}

// Where the sites begin in a slot.
std::uint64_t FirstOffset(const Layout& layout) {
  return Aligned(sizeof(SlotHeader) + layout.stamps * sizeof(Word));
}

// Keeps the sites that find a place and room in a slot, refuses the others.
void AssignPlaces(Plan* plan, const Layout& layout, std::uint64_t most_slot_bytes,
                  std::vector<SiteLayout>* sites) {
  Places free_places(layout.places);
  std::vector<PlannedSite> kept;
  // An upper bound of the slot, before the blocks are known.
  std::uint64_t bound = FirstOffset(layout);
  for (PlannedSite& site : plan->sites) {
    const std::uint64_t blocks = BytesRead(site) / BlockBytes(BytesRead(site)) + 1;
    const std::uint64_t need =
        (HasDigest(site) ? blocks * sizeof(Record) : 0) + Aligned(site.fetched_bytes());
    const bool fits = need <= most_slot_bytes && bound + need <= most_slot_bytes;
    const auto place = fits ? free_places.Take(site) : std::nullopt;
    if (!place) {
      plan->refused.push_back({site.node, site.operand, site.bytes,
                               fits ? Skip::sites_changed : Skip::site_too_large,
                               std::move(site.rules)});
      continue;
    }
    bound += need;
    SiteLayout laid;
    laid.place = *place;
    sites->push_back(laid);
    kept.push_back(std::move(site));
  }
  plan->sites = std::move(kept);
}

// Places for those of a node's sites that lie in C order, or for those that do not.
void AddPlaces(std::span<const PlannedSite> sites, bool strided, std::vector<ProbePlace>* places) {
  unsigned used = 0;
  for (const PlannedSite& site : sites) {
    if (site.strided() != strided) continue;
    if (used++ % kTensorsPerProbe == 0) {
      places->push_back({site.node, strided ? ProbeKernel::kStrided : ProbeKernel::kHash});
    }
    const bool statistics = StatisticsOf(site) != Statistics::kNone;
    if (statistics && !strided) places->back().kernel = ProbeKernel::kDigest;
  }
}

}  // namespace

std::vector<ProbePlace> MakePlaces(const Plan& plan) {
  std::vector<ProbePlace> places;
  const auto node_of = [&](std::size_t i) { return plan.sites[i].node; };
  for (std::size_t first = 0, last = 0; first < plan.sites.size(); first = last) {
    while (last < plan.sites.size() && node_of(last) == node_of(first)) ++last;
    const auto sites = std::span(plan.sites).subspan(first, last - first);
    AddPlaces(sites, false, &places);
    AddPlaces(sites, true, &places);
  }
  return places;
}

Layout MakeLayout(Plan* plan, std::vector<ProbePlace> places, std::uint64_t most_slot_bytes,
                  Stamps stamps) {
  Layout layout;
  layout.places = std::move(places);
  if (stamps == Stamps::kEach) layout.stamps = layout.places.size();
  AssignPlaces(plan, layout, most_slot_bytes, &layout.sites);
  SetBlocks(*plan, &layout);
  auto& sites = layout.sites;
  std::uint64_t at = FirstOffset(layout);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const PlannedSite& site = plan->sites[i];
    if (HasDigest(site)) {
      sites[i].records = at;
      at += sites[i].blocks * sizeof(Record);
    }
    if (site.fetched_bytes() > 0) {
      sites[i].copy = at;
      at += Aligned(site.fetched_bytes());
    }
  }
  layout.slot_bytes = at;
  return layout;
}

// What does not fit is refused first, so that it gets no place.
Layout MakeLayout(Plan* plan, std::uint64_t most_slot_bytes, Stamps stamps) {
  MakeLayout(plan, MakePlaces(*plan), most_slot_bytes, stamps);
  return MakeLayout(plan, MakePlaces(*plan), most_slot_bytes, stamps);
}

void AddToLayout(Plan more, std::uint64_t most_slot_bytes, Plan* plan, Layout* layout) {
  const std::uint64_t begin = FirstOffset({});
  layout->slot_bytes = std::max(Aligned(layout->slot_bytes), begin);
  const std::uint64_t shift = layout->slot_bytes - begin;
  const std::uint64_t most = most_slot_bytes - std::min(shift, most_slot_bytes);
  const Layout added = MakeLayout(&more, most);
  const auto first_place = static_cast<std::uint32_t>(layout->places.size());
  for (SiteLayout site : added.sites) {
    site.place += first_place;
    if (site.records != 0) site.records += shift;
    if (site.copy != 0) site.copy += shift;
    layout->sites.push_back(site);
  }
  layout->places.insert(layout->places.end(), added.places.begin(), added.places.end());
  layout->slot_bytes = shift + added.slot_bytes;
  std::ranges::move(more.sites, std::back_inserter(plan->sites));
  std::ranges::move(more.refused, std::back_inserter(plan->refused));
}

StridedArguments ArgumentsOf(const Layout& layout, const Plan& plan, std::uint32_t place) {
  StridedArguments arguments{};
  ProbeArguments& probe = arguments.probe;
  if (layout.stamps != 0) probe.stamp = StampAt(place);
  const std::uint32_t node = layout.places[place].node;
  const auto first =
      std::lower_bound(plan.sites.begin(), plan.sites.end(), node,
                       [](const PlannedSite& site, auto wanted) { return site.node < wanted; });
  std::uint32_t block = 0;
  for (auto site = first; site != plan.sites.end() && site->node == node; ++site) {
    const SiteLayout& laid = layout.sites[static_cast<std::size_t>(site - plan.sites.begin())];
    if (laid.place != place) continue;
    if (site->strided()) arguments.strides[probe.count] = StridesOf(site->shape);
    Tensor& tensor = probe.tensors[probe.count];
    probe.first_block[probe.count++] = block;
    tensor.address = site->address;
    tensor.bytes = HasDigest(*site) ? site->bytes : 0;
    tensor.records = laid.records;
    tensor.copy_bytes = site->fetched_bytes();
    tensor.copy = laid.copy;
    if (layout.places[place].statistics()) {
      tensor.statistics = static_cast<unsigned>(StatisticsOf(*site));
    }
    tensor.block_bytes = laid.block_bytes;
    block += laid.blocks;
  }
  for (unsigned i = probe.count; i <= kTensorsPerProbe; ++i) probe.first_block[i] = block;
  return arguments;
}

std::span<const std::byte> Passed(const StridedArguments& arguments, ProbeKernel kernel) {
  const auto all = std::as_bytes(std::span(&arguments, 1));
  return kernel == ProbeKernel::kStrided ? all : all.first(sizeof arguments.probe);
}

}  // namespace graphtap::probe
