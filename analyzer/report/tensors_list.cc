#include <map>

#include "absl/strings/str_format.h"
#include "analyzer/model/parameters.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/place_words.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/tensor_words.h"
#include "analyzer/report/tensors_report.h"
#include "analyzer/report/units.h"
#include "analyzer/tensors/series.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

std::string ReplaysText(const tensors::Series& series) {
  const auto& observations = series.observations;
  if (observations.empty()) return "";
  const auto first = observations.front()->replay, last = observations.back()->replay;
  return first == last ? absl::StrFormat("%u", first) : absl::StrFormat("%u to %u", first, last);
}

std::vector<std::string> Row(const tensors::Series& series) {
  const auto& site = series.site();
  const auto& observations = series.observations;
  const bool hashed = !observations.empty() && observations.back()->hash.has_value();
  return {series.executable->key,
          tensors::KeyText(site),
          NodePath(site),
          std::string(DtypeName(site.dtype)),
          ExtentText(site),
          ActionsText(site),
          Count(observations.size()),
          ReplaysText(series),
          hashed ? HashText(*observations.back()->hash) : "",
          site.node == nullptr ? "" : PlaceText(site.node->stack),
          site.node == nullptr ? "" : RegionText(*site.node)};
}

Json RowJson(const tensors::Series& series) {
  const auto& observations = series.observations;
  Json json = SiteJson(series.site());
  json["actions"] = ActionsText(series.site());
  json["observed"] = observations.size();
  json["first_replay"] = observations.empty() ? Json() : Json(observations.front()->replay);
  json["last_replay"] = observations.empty() ? Json() : Json(observations.back()->replay);
  const bool hashed = !observations.empty() && observations.back()->hash.has_value();
  json["last_hash"] = hashed ? Json(HashText(*observations.back()->hash)) : Json();
  const model::Node* node = series.site().node;
  json["place"] = node == nullptr ? Json() : PlaceJson(node->stack);
  json["region"] = node == nullptr ? Json() : RegionJson(*node);
  return json;
}

// The parameter that a site lies in, "" if it is in none; `known`: of each graph, once it is asked.
std::string ParameterOf(const model::Process& process, const model::Site& site,
                        std::map<const model::Graph*, model::Parameters>* known) {
  if (site.graph == nullptr || process.parameters.empty()) return "";
  return known->try_emplace(site.graph, process, *site.graph)
      .first->second.At(site.record.address());
}

std::vector<tensors::Series> AllSeries(const model::Process& process) {
  std::vector<tensors::Series> all;
  for (const auto& [number, executable] : process.executables) {
    for (auto& series : tensors::SeriesOf(executable)) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace

std::string TensorsListText(const model::Run& run, std::size_t limit) {
  std::string text;
  for (const auto& process : run.processes) {
    Table table(2, {"graph key", "site", "node", "type", ">bytes", "actions", ">observed",
                    "replays", "last hash", "called at", "compiled"});
    for (const auto& series : AllSeries(*process)) table.AddRow(Row(series));
    if (!text.empty()) text += '\n';
    text += ProcessTitle(*process) + "\n\n";
    text += table.rows() == 0 ? "  nothing is observed\n" : table.Text(limit, "sites");
  }
  return text;
}

Json TensorsListJson(const model::Run& run, std::size_t limit) {
  Json json;
  json["run"] = run.path;
  json["processes"] = Json::array();
  for (const auto& process : run.processes) {
    Json entry = IdentityJson(*process);
    const auto all = AllSeries(*process);
    entry["sites_count"] = all.size();
    entry["sites"] = Json::array();
    std::map<const model::Graph*, model::Parameters> known;
    for (const auto& series : all) {
      if (!Within(entry["sites"].size(), limit)) break;
      Json& row = entry["sites"].emplace_back(RowJson(series));
      const std::string parameter = ParameterOf(*process, series.site(), &known);
      if (!parameter.empty()) row["parameter"] = parameter;
    }
    json["processes"].push_back(std::move(entry));
  }
  json["damage"] = DamageJson(run);
  return json;
}

}  // namespace graphtap::report
