#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/model/payload_reader.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/element_json.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/tensor_words.h"
#include "analyzer/report/tensors_report.h"
#include "analyzer/report/units.h"
#include "analyzer/tensors/series.h"
#include "proto/arrays/array_text.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const model::Observation*> Select(const model::Process& process,
                                              const ShowOptions& options) {
  std::vector<const model::Observation*> selected;
  for (const auto& [number, executable] : process.executables) {
    for (const auto& observation : executable.observations) {
      if (options.replay && observation.replay != *options.replay) continue;
      if (tensors::Selects(options.pattern, *observation.site)) selected.push_back(&observation);
    }
  }
  return selected;
}

bool HasObservations(const model::Run& run) {
  return std::any_of(run.processes.begin(), run.processes.end(),
                     [](const auto& process) { return !Select(*process, ShowOptions()).empty(); });
}

absl::Status NothingSelected(const ShowOptions& options) {
  std::string what = options.pattern.empty() ? "" : absl::StrFormat("'%s'", options.pattern);
  if (options.replay) {
    absl::StrAppendFormat(&what, "%sreplay %u", what.empty() ? "" : " in ", *options.replay);
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: no observation is called so; graphtap tensors list shows the names and replays", what));
}

Dtype ShownDtype(const model::Observation& observation, const ShowOptions& options) {
  return options.as.value_or(observation.site->dtype);
}

// The shape in which the copy is printed. Failure: the shape that was asked for has another size.
absl::StatusOr<std::vector<std::uint64_t>> ShapeOf(const model::Observation& observation,
                                                   Dtype dtype, const ShowOptions& options) {
  const std::uint64_t elements =
      observation.payload_bytes / std::max<std::size_t>(DtypeBytes(dtype), 1);
  if (options.shape.empty()) return std::vector<std::uint64_t>{elements};
  std::uint64_t size = 1;
  for (const std::uint64_t axis : options.shape) size *= axis;
  if (size == elements) return options.shape;
  return absl::InvalidArgumentError(absl::StrFormat(
      "--shape %s: %s, but %s were copied of %s", absl::StrJoin(options.shape, "x"),
      Count(size, "element"), Count(elements), tensors::KeyText(*observation.site)));
}

arrays::ElementReader ReaderOf(model::PayloadReader* payloads,
                               const model::Observation& observation, Dtype dtype) {
  const std::size_t size = std::max<std::size_t>(DtypeBytes(dtype), 1);
  return [payloads, id = *observation.payload, size](std::uint64_t index) {
    arrays::Element element{};
    payloads->Read(id, index * size, {element.data(), size});
    return element;
  };
}

std::string CopyTitle(const model::Observation& observation, Dtype dtype) {
  std::string text = observation.payload_bytes == observation.site->bytes()
                         ? Bytes(observation.payload_bytes)
                         : absl::StrFormat("the first %s", Bytes(observation.payload_bytes));
  if (!observation.payload_complete) return text + ", of which bytes are missing";
  const std::size_t size = DtypeBytes(dtype);
  if (size > 1 && observation.payload_bytes % size != 0) {
    absl::StrAppendFormat(&text, ", %u bytes behind the last whole element not shown",
                          observation.payload_bytes % size);
  }
  return text + (dtype == Dtype::kUnknown ? ", of no known type (--as gives one)" : "");
}

absl::StatusOr<std::string> ObservationText(const model::Observation& observation,
                                            const ShowOptions& options,
                                            model::PayloadReader* payloads) {
  const auto& site = *observation.site;
  const Dtype dtype = ShownDtype(observation, options);
  std::string text = absl::StrFormat("%s@%u  %s  %s\n", site.executable->name, observation.replay,
                                     site.executable->key, tensors::KeyText(site));
  Table table(2, {"", ""});
  table.AddRow({"node", NodePath(site)});
  table.AddRow({"extent", ExtentText(site)});
  if (site.dtype != Dtype::kUnknown) table.AddRow({"type", std::string(DtypeName(site.dtype))});
  if (observation.hash) table.AddRow({"hash", HashText(*observation.hash)});
  if (observation.statistics) {
    table.AddRow({"statistics", StatisticsText(*observation.statistics)});
  }
  if (observation.payload) table.AddRow({"copied", CopyTitle(observation, dtype)});
  text += table.Text();
  if (!observation.payload || !observation.payload_complete) return text;
  const auto shape = ShapeOf(observation, dtype, options);
  if (!shape.ok()) return shape.status();
  const auto read = ReaderOf(payloads, observation, dtype);
  const std::string values = dtype == Dtype::kUnknown
                                 ? arrays::HexText(observation.payload_bytes, read)
                                 : arrays::ArrayText(dtype, *shape, read);
  return text + values + '\n';
}

Json ValuesJson(const std::string& bytes, Dtype dtype) {
  const std::size_t size = DtypeBytes(dtype);
  if (size == 0) return Json();
  Json values = Json::array();
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    arrays::Element element{};
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()) + at, size, element.begin());
    values.push_back(ElementJson(element, dtype));
  }
  return values;
}

Json ObservationJson(const model::Observation& observation, const ShowOptions& options,
                     model::PayloadReader* payloads) {
  const Dtype dtype = ShownDtype(observation, options);
  Json json = SiteJson(*observation.site);
  json["dtype"] = DtypeName(dtype);
  json["replay"] = observation.replay;
  json["hash"] = observation.hash ? Json(HashText(*observation.hash)) : Json();
  json["statistics"] =
      observation.statistics == nullptr ? Json() : StatisticsJson(*observation.statistics);
  json["copied_bytes"] = observation.payload ? Json(observation.payload_bytes) : Json();
  json["copy_complete"] = observation.payload ? Json(observation.payload_complete) : Json();
  json["data"] = Json();
  json["values"] = Json();
  if (!observation.payload || !observation.payload_complete) return json;
  std::string bytes(std::min(observation.payload_bytes, kShownBytes), '\0');
  if (!payloads->Read(*observation.payload, 0, std::as_writable_bytes(std::span(bytes)))) {
    return json;
  }
  json["data"] = Hex(bytes);
  json["values"] = ValuesJson(bytes, dtype);
  return json;
}

// Calls `show` with each selected observation, at most `limit` of a process.
template <typename Show, typename Left>
absl::Status ForEach(const model::Process& process, const ShowOptions& options, const Show& show,
                     const Left& left) {
  const auto selected = Select(process, options);
  if (selected.empty()) return absl::OkStatus();
  auto payloads = model::PayloadReader::Open(process);
  if (!payloads.ok()) return payloads.status();
  std::size_t shown = 0;
  for (const auto* observation : selected) {
    if (!Within(shown, options.limit)) break;
    const auto status = show(*observation, &*payloads);
    if (!status.ok()) return status;
    ++shown;
  }
  left(shown, selected.size());
  return absl::OkStatus();
}

bool IsEmptySelection(const model::Run& run, const ShowOptions& options) {
  if (!HasObservations(run)) return false;  // which is no fault of the selection
  return std::all_of(run.processes.begin(), run.processes.end(),
                     [&](const auto& process) { return Select(*process, options).empty(); });
}

}  // namespace

absl::Status ShowText(const model::Run& run, const ShowOptions& options, std::ostream& out) {
  if (IsEmptySelection(run, options)) return NothingSelected(options);
  if (!HasObservations(run)) out << "nothing is observed\n";
  bool first = true;
  for (const auto& process : run.processes) {
    const auto status = ForEach(
        *process, options,
        [&](const model::Observation& observation, model::PayloadReader* payloads) {
          const auto text = ObservationText(observation, options, payloads);
          if (!text.ok()) return text.status();
          if (run.processes.size() > 1 && first) out << ProcessTitle(*process) << "\n\n";
          out << *text << '\n';
          first = false;
          return absl::OkStatus();
        },
        [&](std::size_t shown, std::size_t count) {
          if (shown < count) {
            out << absl::StrFormat("… %s of %s observations not shown (--limit 0 shows all)\n",
                                   Count(count - shown), Count(count));
          }
        });
    if (!status.ok()) return status;
    first = true;
  }
  return absl::OkStatus();
}

absl::Status ShowJson(const model::Run& run, const ShowOptions& options, Json* json) {
  if (IsEmptySelection(run, options)) return NothingSelected(options);
  (*json)["run"] = run.path;
  (*json)["processes"] = Json::array();
  for (const auto& process : run.processes) {
    Json entry = IdentityJson(*process);
    entry["observations_count"] = 0;
    entry["observations"] = Json::array();
    const auto status = ForEach(
        *process, options,
        [&](const model::Observation& observation, model::PayloadReader* payloads) {
          entry["observations"].push_back(ObservationJson(observation, options, payloads));
          return absl::OkStatus();
        },
        [&](std::size_t, std::size_t count) { entry["observations_count"] = count; });
    if (!status.ok()) return status;
    (*json)["processes"].push_back(std::move(entry));
  }
  (*json)["damage"] = DamageJson(run);
  return absl::OkStatus();
}

}  // namespace graphtap::report
