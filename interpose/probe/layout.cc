#include "interpose/probe/layout.h"

#include <algorithm>

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
  explicit Places(std::span<const ProbePlace> places) : places_(places) {}

  // The place of the next site of `node`; sites come by node. nullopt: none is left.
  std::optional<std::uint32_t> Take(std::uint32_t node) {
    while (at_ < places_.size() &&
           (places_[at_].node < node || (places_[at_].node == node && used_ == kTensorsPerProbe))) {
      ++at_;
      used_ = 0;
    }
    if (at_ == places_.size() || places_[at_].node != node) return std::nullopt;
    ++used_;
    return static_cast<std::uint32_t>(at_);
  }

 private:
  std::span<const ProbePlace> places_;
  std::size_t at_ = 0;
  unsigned used_ = 0;
};

// Shares the bytes of the sites [first, last), which one probe reads, out to blocks.
void SetBlocks(const Plan& plan, std::size_t first, std::size_t last,
               std::vector<SiteLayout>* sites) {
  std::uint64_t total = 0;
  for (std::size_t i = first; i < last; ++i) total += BytesRead(plan.sites[i]);
  const std::uint32_t block_bytes = BlockBytes(total);
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t blocks = (BytesRead(plan.sites[i]) + block_bytes - 1) / block_bytes;
    (*sites)[i].block_bytes = block_bytes;
    (*sites)[i].blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks));
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
    const auto place = fits ? free_places.Take(site.node) : std::nullopt;
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

}  // namespace

std::vector<ProbePlace> MakePlaces(const Plan& plan) {
  std::vector<ProbePlace> places;
  unsigned used = 0;
  for (const PlannedSite& site : plan.sites) {
    if (places.empty() || places.back().node != site.node || used == kTensorsPerProbe) {
      places.push_back({site.node, false});
      used = 0;
    }
    ++used;
    places.back().statistics |= StatisticsOf(site) != Statistics::kNone;
  }
  return places;
}

Layout MakeLayout(Plan* plan, std::vector<ProbePlace> places, std::uint64_t most_slot_bytes,
                  Stamps stamps) {
  Layout layout;
  layout.places = std::move(places);
  if (stamps == Stamps::kEach) layout.stamps = layout.places.size();
  AssignPlaces(plan, layout, most_slot_bytes, &layout.sites);
  auto& sites = layout.sites;
  for (std::size_t first = 0, last = 0; first < sites.size(); first = last) {
    while (last < sites.size() && sites[last].place == sites[first].place) ++last;
    SetBlocks(*plan, first, last, &sites);
  }
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

ProbeArguments ArgumentsOf(const Layout& layout, const Plan& plan, std::uint32_t place) {
  ProbeArguments arguments{};
  if (layout.stamps != 0) arguments.stamp = StampAt(place);
  const auto first = std::lower_bound(
      layout.sites.begin(), layout.sites.end(), place,
      [](const SiteLayout& site, std::uint32_t wanted) { return site.place < wanted; });
  std::uint32_t block = 0;
  for (auto laid = first; laid != layout.sites.end() && laid->place == place; ++laid) {
    const PlannedSite& site = plan.sites[static_cast<std::size_t>(laid - layout.sites.begin())];
    Tensor& tensor = arguments.tensors[arguments.count];
    arguments.first_block[arguments.count++] = block;
    tensor.address = site.address;
    tensor.bytes = HasDigest(site) ? site.bytes : 0;
    tensor.records = laid->records;
    tensor.copy_bytes = site.fetched_bytes();
    tensor.copy = laid->copy;
    if (layout.places[place].statistics) {
      tensor.statistics = static_cast<unsigned>(StatisticsOf(site));
    }
    tensor.block_bytes = laid->block_bytes;
    block += laid->blocks;
  }
  for (unsigned i = arguments.count; i <= kTensorsPerProbe; ++i) arguments.first_block[i] = block;
  return arguments;
}

}  // namespace graphtap::probe
