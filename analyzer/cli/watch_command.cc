// `graphtap watch`: follows a run until it ends.

#include <signal.h>
#include <time.h>

#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/model/growing_run.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/watch_report.h"

namespace graphtap {
namespace {

constexpr int kExitSignalBase = 128;

struct WatchArguments {
  std::string run;
  double interval_s = 1;
  bool json = false;
};

std::uint64_t Now(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// The signals that end it: taken between two reads, so that the summary is always printed.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~Interrupts() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Waits; the signal that came, or 0.
  int Wait(double seconds) const {
    timespec limit = {};
    limit.tv_sec = static_cast<time_t>(seconds);
    limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
    const int signal = sigtimedwait(&signals_, nullptr, &limit);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t signals_, before_;
};

class Watch {
 public:
  explicit Watch(const WatchArguments& arguments) : arguments_(arguments), run_(arguments.run) {}

  int Follow() {
    int signal = 0;
    bool told = false, over = false;
    while (true) {
      if (const auto status = run_.Read(); !status.ok()) return cli::Refuse(status);
      if (over) break;
      over = run_.Over();
      // Once more, for what came between: the launcher notes the end after its job has ended.
      if (over && (!run_.run().launch || run_.run().launch->end_realtime_ns)) continue;
      if (!run_.exists() && !told) {
        std::cerr << "graphtap: waiting for " << arguments_.run << std::endl;
        told = true;
      }
      PrintIntervals();
      signal = interrupts_.Wait(arguments_.interval_s);
      if (signal != 0) break;
    }
    Conclude();
    return signal == 0 ? cli::kExitReportMade : kExitSignalBase + signal;
  }

 private:
  // The processes that go on, with what is new since the last time.
  void PrintIntervals() {
    const std::uint64_t now = Now(CLOCK_MONOTONIC), today = Now(CLOCK_REALTIME);
    for (const auto& process : run_.run().processes) {
      const bool first = !before_.contains(process.get());
      auto& before = before_[process.get()];
      if (!first && process->ending.how != model::Ending::How::kUnknown) continue;
      report::WatchedInterval interval{process.get(), run_.tally(*process)};
      const std::uint64_t start = process->run.start_realtime_ns();
      interval.since_start_ns = today > start ? today - start : 0;
      if (first) {
        interval.rate = interval.tally.Rate().value_or(0);
      } else if (now > read_ns_) {
        interval.rate = static_cast<double>(interval.tally.replays - before) * 1e9 /
                        static_cast<double>(now - read_ns_);
      }
      before = interval.tally.replays;
      Print(arguments_.json ? Line(report::WatchJson(interval)) : report::WatchLine(interval));
    }
    read_ns_ = now;
  }

  void Conclude() {
    if (!run_.exists()) return;
    for (const auto& line : report::DamageLines(run_.run())) {
      std::cerr << "graphtap: " << line << '\n';
    }
    if (arguments_.json) {
      Print(Line(report::WatchSummaryJson(run_)));
    } else {
      std::cout << report::WatchSummaryText(run_) << std::flush;
    }
  }

  static std::string Line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  static void Print(const std::string& line) { std::cout << line << std::endl; }

  const WatchArguments arguments_;
  const Interrupts interrupts_;
  model::GrowingRun run_;
  std::uint64_t read_ns_ = 0;
  std::map<const model::Process*, std::uint64_t> before_;  // replays
};

// "": it is a length of time; else what is allowed.
std::string CheckInterval(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool read = error == std::errc() && end == text.data() + text.size();
  if (read && seconds >= 0.01 && seconds <= 86400) return "";
  return absl::StrFormat("'%s': allowed are seconds, 0.01 to 86400", text);
}

}  // namespace

void AddWatchCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command = root.add_subcommand(
      "watch",
      "Follows a run until it ends, also one that has yet to begin: a line for each process and "
      "interval, then what there is. Ctrl-C ends it earlier.");
  command->add_option("run", arguments->run, "A run folder, or one .gtap file of it.")
      ->option_text("RUN")
      ->required();
  command->add_option("--interval", arguments->interval_s, "Seconds between two lines. Default: 1.")
      ->option_text("SECONDS")
      ->check(CLI::Validator(CheckInterval, ""));
  command->add_flag("--json", arguments->json, "Print a JSON object on each line.");
  command->callback([arguments, exit_code] { *exit_code = Watch(*arguments).Follow(); });
}

}  // namespace graphtap
