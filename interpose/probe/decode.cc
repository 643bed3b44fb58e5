#include "interpose/probe/decode.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "proto/digest.h"

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kPieceBytes = kStagingBytes;

record::Statistics ToRecord(const TensorStatistics& statistics) {
  record::Statistics result;
  result.elements = statistics.elements;
  result.finite = statistics.finite;
  result.nan = statistics.nan;
  result.positive_infinity = statistics.positive_infinity;
  result.negative_infinity = statistics.negative_infinity;
  result.zero = statistics.zero;
  if (!statistics.of_finite) return result;
  result.minimum = statistics.of_finite->minimum;
  result.maximum = statistics.of_finite->maximum;
  result.mean = statistics.of_finite->mean;
  result.deviation = statistics.of_finite->deviation;
  result.l2 = statistics.of_finite->l2;
  return result;
}

class Decoder {
 public:
  Decoder(const Replay& replay, const SlotReader& read, record::Recorder& recorder,
          values::Actions& actions)
      : replay_(replay),
        observed_(*replay.observed),
        read_(read),
        recorder_(recorder),
        actions_(actions) {}

  Decoded Run() {
    const auto header_bytes = read_(0, sizeof(SlotHeader));
    if (header_bytes.empty()) return Decoded::kUnread;
    SlotHeader header;
    std::memcpy(&header, header_bytes.data(), sizeof header);
    if (header.replay != replay_.stamp || header.executable != observed_.executable) {
      return Decoded::kOtherReplay;
    }
    if (!ReadInto(sizeof header, observed_.layout.stamps, &stamps_)) return Decoded::kUnread;
    observations_.reserve(observed_.plan.sites.size());
    for (std::size_t i = 0; i < observed_.plan.sites.size(); ++i) {
      if (Ran(i) && !ReadSite(i)) return Decoded::kUnread;
    }
    for (const auto& observation : observations_) recorder_.Append(observation);
    for (auto& each : arrivals_) each.actions->Conclude(observations_[each.site].hash);
    return Decoded::kDone;
  }

 private:
  // Not in a body of a conditional node that this replay passed by.
  bool Ran(std::size_t index) const {
    return stamps_.empty() || stamps_[observed_.layout.sites[index].place] != 0;
  }

  template <typename Value>
  bool ReadInto(std::uint64_t offset, std::size_t count, std::vector<Value>* values) {
    values->resize(count);
    const std::uint64_t bytes = count * sizeof(Value);
    for (std::uint64_t at = 0; at < bytes; at += kPieceBytes) {
      const std::uint64_t size = std::min(kPieceBytes, bytes - at);
      const auto piece = read_(offset + at, size);
      if (piece.empty()) return false;
      std::memcpy(reinterpret_cast<std::byte*>(values->data()) + at, piece.data(), size);
    }
    return true;
  }

  bool ReadSite(std::size_t index) {
    const PlannedSite& site = observed_.plan.sites[index];
    record::Observation observation;
    observation.site = observed_.sites[index];
    observation.replay = replay_.number;
    if ((site.hash || site.digest) && !ReadDigest(index, &observation)) return false;
    if (site.watched != nullptr) BeginActions(index);
    if (site.fetched_bytes() > 0 && !ReadBytes(index, &observation)) return false;
    observations_.push_back(observation);
    return true;
  }

  bool ReadDigest(std::size_t index, record::Observation* observation) {
    const PlannedSite& site = observed_.plan.sites[index];
    const SiteLayout& layout = observed_.layout.sites[index];
    if (!ReadInto(layout.records, layout.blocks, &records_)) return false;
    const bool statistics = site.digest && observed_.layout.places[layout.place].statistics();
    const Digest digest = Combine(records_, site.bytes, statistics ? site.dtype : Dtype::kUnknown);
    observation->hash = digest.hash;
    if (digest.statistics) observation->statistics = ToRecord(*digest.statistics);
    return true;
  }

  void BeginActions(std::size_t index) {
    const PlannedSite& site = observed_.plan.sites[index];
    const values::Arrival arrival = {.site = observed_.sites[index],
                                     .executable = observed_.executable,
                                     .replay = replay_.number,
                                     .dtype = site.dtype,
                                     .bytes = site.bytes,
                                     .exact = site.exact,
                                     .rules = &site.rules};
    arrivals_.push_back(
        {index, std::make_unique<values::ArrivalActions>(actions_, *site.watched, arrival)});
  }

  bool ReadBytes(std::size_t index, record::Observation* observation) {
    const PlannedSite& site = observed_.plan.sites[index];
    const std::uint64_t from = observed_.layout.sites[index].copy;
    if (site.copy_bytes > 0) {
      observation->payload = recorder_.NextPayload();
      observation->payload_bytes = site.copy_bytes;
    }
    const std::uint64_t bytes = site.fetched_bytes();
    for (std::uint64_t at = 0; at < bytes; at += kPieceBytes) {
      const auto piece = read_(from + at, std::min(kPieceBytes, bytes - at));
      if (piece.empty()) return false;
      const std::uint64_t kept =
          std::min<std::uint64_t>(piece.size(), site.copy_bytes - std::min(at, site.copy_bytes));
      if (kept > 0) recorder_.AppendPiece(*observation->payload, at, piece.first(kept));
      if (site.watched != nullptr) arrivals_.back().actions->Add(piece);
    }
    return true;
  }

  struct SiteArrival {
    std::size_t site;
    std::unique_ptr<values::ArrivalActions> actions;
  };

  const Replay& replay_;
  const Observed& observed_;
  const SlotReader& read_;
  record::Recorder& recorder_;
  values::Actions& actions_;
  std::vector<SiteArrival> arrivals_;
  std::vector<record::Observation> observations_;
  std::vector<Word> stamps_;  // of the places; empty: all have run
  std::vector<Record> records_;
};

}  // namespace

Decoded Decode(const Replay& replay, const SlotReader& read, record::Recorder& recorder,
               values::Actions& actions) {
  return Decoder(replay, read, recorder, actions).Run();
}

}  // namespace graphtap::probe
