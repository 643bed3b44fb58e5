// Caret: shows a place in a text that a user gave, on a terminal that is to stay intact.
// Pure functions, any thread, no failure: a byte that cannot be shown is a ?. Units: bytes of the
// text, columns of the terminal (one a character).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graphtap::spec {

// Length of the UTF-8 character at the beginning; 1 also for a byte that begins none. 0: empty.
std::size_t CharacterBytes(std::string_view text) noexcept;

// The text as one line of at most `columns` characters; a longer one ends with "...".
std::string Printable(std::string_view text, std::size_t columns);

// Two indented lines: the text around `place`, and a caret under it (behind the text if the place
// is its end).
std::string Caret(std::string_view text, std::size_t place);

}  // namespace graphtap::spec
