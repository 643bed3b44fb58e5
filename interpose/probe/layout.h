// Layout: where each site of a plan lies in a slot, and which probe node observes it. Pure.
// Probe nodes are fixed when the shadow is made, because its topology may not change afterwards; a
// later plan is fitted into the places that are there.
// Owner: the shadow; what is in flight shares it. Threads: a value, read-only once shared.
// Failure: bad_alloc. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/plan.h"

namespace graphtap::probe {

// What a probe runs: graphtap_hash, graphtap_digest, or graphtap_strided, for sites that do not lie
// in C order and for no others.
enum class ProbeKernel { kHash, kDigest, kStrided };

// A probe node: behind which node of the job's graph it hangs.
struct ProbePlace {
  std::uint32_t node = 0;
  ProbeKernel kernel = ProbeKernel::kHash;

  bool strided() const { return kernel == ProbeKernel::kStrided; }
  bool statistics() const { return kernel != ProbeKernel::kHash; }
};

struct SiteLayout {
  std::uint32_t place = 0;   // index of its probe
  std::uint32_t blocks = 0;  // each leaves a Record, if there is a digest
  std::uint32_t block_bytes = 0;
  std::uint64_t records = 0;  // offset of the first Record; 0: no digest
  std::uint64_t copy = 0;     // offset of the copy; 0: none
};

struct Layout {
  std::vector<ProbePlace> places;
  std::uint64_t stamps = 0;       // behind the header, one a place; 0: the probes leave none
  std::vector<SiteLayout> sites;  // of the plan's sites
  std::uint64_t slot_bytes = 0;
};

// As many probe nodes as the plan needs, one for each kTensorsPerProbe sites of a node; the last
// ones of a node are for those that do not lie in C order.
std::vector<ProbePlace> MakePlaces(const Plan& plan);

// Whether each probe leaves a stamp in a slot: where it may not run.
enum class Stamps { kNone, kEach };

// Lays the plan out over `places`. Sites that make the slot larger than `most_slot_bytes`, or for
// which there is no place, move from the plan's sites to its refused ones.
Layout MakeLayout(Plan* plan, std::vector<ProbePlace> places, std::uint64_t most_slot_bytes,
                  Stamps stamps = Stamps::kNone);
// The same over as many places as it needs.
Layout MakeLayout(Plan* plan, std::uint64_t most_slot_bytes, Stamps stamps = Stamps::kNone);

// Lays what is observed behind further nodes out behind what is laid out, without stamps, and adds
// it to *plan.
void AddToLayout(Plan more, std::uint64_t most_slot_bytes, Plan* plan, Layout* layout);

// Where the stamp of a place is in a slot.
constexpr std::uint64_t StampAt(std::uint32_t place) {
  return sizeof(SlotHeader) + place * sizeof(Word);
}

// What the probe at a place is to do; the strides are for graphtap_strided alone.
StridedArguments ArgumentsOf(const Layout& layout, const Plan& plan, std::uint32_t place);

// The part that the kernel takes.
std::span<const std::byte> Passed(const StridedArguments& arguments, ProbeKernel kernel);

}  // namespace graphtap::probe
