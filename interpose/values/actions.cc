#include "interpose/values/actions.h"

#include <algorithm>

#include "interpose/session/state.h"
#include "proto/reference/reference.h"

namespace graphtap::values {
namespace {

using spec::ActionKind;

const spec::Action* Find(const spec::Rule& rule, ActionKind kind) {
  const auto found = std::find_if(rule.actions.begin(), rule.actions.end(),
                                  [&](const auto& action) { return action.kind == kind; });
  return found == rule.actions.end() ? nullptr : &*found;
}

// "x3@100 train_step#0/forward/scale_add.arg1[3]"
std::string Title(const Watched& watched, const Arrival& arrival) {
  return 'x' + std::to_string(arrival.executable) + '@' + std::to_string(arrival.replay) + ' ' +
         watched.Key();
}

}  // namespace

ArrivalActions::ArrivalActions(Actions& owner, Watched& watched, const Arrival& arrival)
    : owner_(owner), watched_(watched), arrival_(arrival) {
  ++watched.seen;
  for (const std::uint32_t rule : *arrival.rules) Begin(rule);
}

void ArrivalActions::Begin(std::uint32_t rule) {
  const spec::Rule& rules = owner_.session_.settings().specification.rules[rule];
  if (const spec::Action* print = Find(rules, ActionKind::kPrint)) {
    const std::uint64_t every = std::max<std::uint64_t>(print->number, 1);
    if (watched_.seen % every == 0 && !print_) print_.emplace(arrival_.dtype, arrival_.bytes);
  }
  if (const spec::Action* check = Find(rules, ActionKind::kCheck)) {
    Reference* reference = owner_.ReferenceOf(*check);
    checks_.push_back({rule, Check(*reference, watched_, arrival_)});
  }
}

void ArrivalActions::Add(std::span<const std::byte> piece) {
  if (print_) print_->Add(piece);
  if (checks_.empty()) return;
  auto& scratch = owner_.scratch_;
  scratch.resize(std::max(scratch.size(), piece.size()));
  for (RuleCheck& each : checks_) each.check.Add(piece, scratch);
}

void ArrivalActions::Conclude(std::optional<std::uint64_t> hash) {
  if (print_) session::WriteLine("graphtap: " + Title(watched_, arrival_) + ' ' + print_->Text());
  for (RuleCheck& each : checks_) {
    owner_.Settle(each.rule, each.check, arrival_, watched_, hash);
  }
}

bool Actions::Open(std::string* error) {
  const Settings& settings = session_.settings();
  for (const auto& path : reference::ReferencesOf(settings.specification, settings.check)) {
    auto opened = Reference::Open(reference::AbsolutePath(path, session::WorkingFolderAtLoad()),
                                  session_, error);
    if (opened == nullptr) return false;
    references_.emplace(path, std::move(opened));
  }
  return true;
}

Reference* Actions::ReferenceOf(const spec::Action& action) const {
  return references_.at(action.path.empty() ? session_.settings().check : action.path).get();
}

bool Actions::Watches(const std::vector<std::uint32_t>& rules) const {
  const auto& all = session_.settings().specification.rules;
  return std::any_of(rules.begin(), rules.end(), [&](std::uint32_t rule) {
    return Find(all[rule], ActionKind::kPrint) || Find(all[rule], ActionKind::kCheck);
  });
}

bool Actions::WantsBytes(const Watched& watched, const std::vector<std::uint32_t>& rules) {
  const auto& all = session_.settings().specification.rules;
  return std::any_of(rules.begin(), rules.end(), [&](std::uint32_t rule) {
    const spec::Action* check = Find(all[rule], ActionKind::kCheck);
    return Find(all[rule], ActionKind::kPrint) ||
           (check != nullptr && ReferenceOf(*check)->WantsBytes(watched));
  });
}

std::string Actions::RuleText(std::uint32_t rule) const {
  return '\'' + session_.settings().specification.rules[rule].text + "': ";
}

void Actions::Settle(std::uint32_t rule, Check& check, const Arrival& arrival, Watched& watched,
                     std::optional<std::uint64_t> hash) {
  auto& recorder = session_.recorder();
  const Outcome outcome = check.Conclude(hash);
  if (outcome == Outcome::kPassed) return recorder.Count(rule, record::RuleCount::kPassed, 1);
  if (outcome == Outcome::kImpossible) {
    recorder.Count(rule, record::RuleCount::kImpossible, 1);
    if (!told_impossible_.insert(rule).second) return;
    return session_.Say(MessageCode::check_impossible,
                        RuleText(rule) + Title(watched, arrival) + ": " + check.why_not(),
                        session::Times::kEach);
  }
  recorder.Count(rule, record::RuleCount::kFailed, 1);
  if (watched.failed.insert(rule).second) {
    record::CheckFailure failure = check.Failure();
    failure.site = arrival.site;
    failure.replay = arrival.replay;
    failure.rule = rule;
    recorder.Append(failure);
  }
  must_end_ = session_.settings().check_abort;
  if (!told_failed_.insert(rule).second) return;
  session_.Say(MessageCode::check_failed,
               RuleText(rule) + Title(watched, arrival) + ": " + check.FailureText(),
               session::Times::kEach);
}

}  // namespace graphtap::values
