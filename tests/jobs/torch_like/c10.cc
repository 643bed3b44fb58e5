// The stand-in's libc10.so: the function whose name says which strings it was compiled with.
#include <string>

namespace c10::detail {

[[gnu::visibility("default")]] void torchInternalAssertFail(const char*, const char*, unsigned,
                                                            const char*, const std::string&);
void torchInternalAssertFail(const char*, const char*, unsigned, const char*, const std::string&) {}

}  // namespace c10::detail
