// Replay items: a list of replays as a part of a longer text. Pure function; the rest as cursor.h.
#pragma once

#include <vector>

#include "proto/spec/cursor.h"
#include "proto/spec/specification.h"

namespace graphtap::spec {

// Steps over the list and the spaces behind it; the caller says what may follow.
bool TakeReplayItems(Cursor& cursor, Words words, std::vector<Replays::Item>* items);

}  // namespace graphtap::spec
