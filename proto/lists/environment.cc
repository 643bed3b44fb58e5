#include "proto/lists/environment.h"

#include <charconv>
#include <limits>

namespace graphtap {
namespace {

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> InRange(std::optional<std::uint64_t> value, std::uint64_t low,
                                     std::uint64_t high) {
  return value && *value >= low && *value <= high ? value : std::nullopt;
}

// One function for each form of value in environment.inc: false if the text is malformed; a form
// that can say more than what is allowed writes it into *why.

bool ParseText(std::string_view text, std::string* value) {
  value->assign(text);
  return true;
}

bool ParseFlag(std::string_view text, bool* flag) {
  *flag = text == "1";
  return text == "0" || text == "1";
}

bool ParseZstd(std::string_view text, int* level) {
  if (text == "auto") return *level = 1, true;
  const auto number = InRange(ParseNumber(text), 0, 19);
  *level = static_cast<int>(number.value_or(0));
  return number.has_value();
}

bool ParseBytes(std::string_view text, std::uint64_t* bytes) {
  const auto number = InRange(graphtap::ParseBytes(text), 1, 1ull << 40);
  *bytes = number.value_or(0);
  return number.has_value();
}

bool ParseMegabytes(std::string_view text, std::uint64_t* bytes) {
  const auto number = InRange(ParseNumber(text), 1, 1u << 20);
  *bytes = number.value_or(0) << 20;
  return number.has_value();
}

bool ParseMilliseconds(std::string_view text, std::uint64_t* milliseconds) {
  const auto number = InRange(ParseNumber(text), 0, 60'000);
  *milliseconds = number.value_or(0);
  return number.has_value();
}

bool ParseProbe(std::string_view text, spec::Specification* specification, std::string* why) {
  if (text.empty()) return true;
  auto parsed = spec::ParseSpecification(text, why);
  if (!parsed) return false;
  *specification = *std::move(parsed);
  return true;
}

bool ParseReplays(std::string_view text, spec::Replays* replays, std::string* why) {
  auto parsed = spec::ParseReplays(text, why);
  if (!parsed) return false;
  *replays = *std::move(parsed);
  return true;
}

bool ParsePoints(std::string_view text, spec::Points* points, std::string* why) {
  auto parsed = spec::ParsePoints(text, why);
  if (!parsed) return false;
  *points = *std::move(parsed);
  return true;
}

bool ParseSwitch(std::string_view text, bool* on) {
  *on = text == "1";
  return text == "0" || text == "1";
}

bool ParseStacks(std::string_view text, bool* python) {
  *python = text == "python";
  return *python || text == "off";
}

bool ParseLog(std::string_view text, LogLevel* level) {
  if (text == "quiet") return *level = LogLevel::quiet, true;
  if (text == "warning") return *level = LogLevel::warning, true;
  if (text == "info") return *level = LogLevel::info, true;
  return false;
}

// What no variable says alone.
bool HasReferences(const Settings& settings, std::string* error) {
  for (const spec::Rule& rule : settings.specification.rules) {
    for (const spec::Action& action : rule.actions) {
      const bool named = !action.path.empty() || !settings.check.empty();
      if (action.kind != spec::ActionKind::kCheck || named) continue;
      *error =
          "GRAPHTAP_PROBE: 'check' has nothing to compare with: allowed is check:PATH, or a "
          "PATH in GRAPHTAP_CHECK";
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const auto unit = std::string_view("KMGT").find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  const auto number = ParseNumber(text);
  if (!number || *number > (std::uint64_t{1} << 63 >> shift)) return std::nullopt;
  return *number << shift;
}

std::optional<Settings> ParseSettings(const EnvironmentReader& read, std::string* error) {
  Settings settings;
  const auto set = [&](auto parse, const char* variable, const char* fallback, const char* allowed,
                       auto* field) {
    const char* text = read(variable);
    if (text == nullptr || *text == '\0') text = fallback;
    std::string why;
    if (parse(text, field, &why)) return true;
    *error = why.empty() ? std::string(variable) + "='" + text + "': allowed is " + allowed
                         : std::string(variable) + ": " + why;
    return false;
  };
#define GT_ENV(field, form, variable, option, value, fallback, allowed, meaning)   \
  if (!set(                                                                        \
          [](std::string_view text, auto* to, [[maybe_unused]] std::string* why) { \
            if constexpr (requires { Parse##form(text, to, why); }) {              \
              return Parse##form(text, to, why);                                   \
            } else {                                                               \
              return Parse##form(text, to);                                        \
            }                                                                      \
          },                                                                       \
          variable, fallback, allowed, &settings.field))                           \
    return std::nullopt;
#include "proto/lists/environment.inc"
#undef GT_ENV
  if (!HasReferences(settings, error)) return std::nullopt;
  return settings;
}

RankSetting ReadRank(const EnvironmentReader& read) {
  const auto number = [&](const char* variable) -> std::optional<std::uint32_t> {
    const char* text = read(variable);
    if (text == nullptr) return std::nullopt;
    const auto value = InRange(ParseNumber(text), 0, std::numeric_limits<std::uint32_t>::max());
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  for (const auto& entry : kRankVariables) {
    if (const auto rank = number(entry.rank)) {
      return {rank, number(entry.world_size), entry.rank};
    }
  }
  return {};
}

}  // namespace graphtap
