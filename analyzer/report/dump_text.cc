#include "analyzer/report/dump_text.h"

#include "absl/strings/str_format.h"
#include "analyzer/model/references.h"
#include "analyzer/report/entry_printer.h"

namespace graphtap::report {

class DumpPrinter::Printer : public EntryPrinter {
 public:
  explicit Printer(const model::Process& process)
      : EntryPrinter(
            [&process](Reference kind, std::uint32_t id) {
              return absl::StrFormat("%u  # %s", id, Quoted(model::Describe(process, kind, id)));
            },
            Words::kComments) {}
};

DumpPrinter::DumpPrinter(const model::Process& process)
    : process_(process), printer_(std::make_unique<Printer>(process)) {}

DumpPrinter::~DumpPrinter() = default;

std::string DumpPrinter::Head() const {
  return absl::StrFormat("file: %s\n", Quoted(process_.file));
}

std::string DumpPrinter::Text(const Entry& entry) const { return printer_->Text(entry); }

}  // namespace graphtap::report
