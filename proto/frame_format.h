// The container of a .gtap file: a sequence of frames, each a 48-byte header and a payload.
// Shared by the writer (preload library) and the reader (analyzer); docs/format.md explains it byte
// by byte. All numbers are little-endian. A payload is one zstd frame, or raw bytes (kFlagRaw), of
// length-delimited graphtap.Entry messages. Checks are the low 32 bits of XXH3-64.
#pragma once

#include <array>
#include <cstdint>

namespace graphtap {

inline constexpr std::array<unsigned char, 8> kFrameMagic = {0x89, 'G',  'T',  'A',
                                                             'P',  0x0d, 0x0a, 0x1a};
inline constexpr std::uint8_t kFormatMajor = 1;  // a reader refuses another major version
inline constexpr std::uint8_t kFormatMinor = 0;  // a reader reads on whatever the minor version

enum class FrameKind : std::uint8_t { kDefinitions = 1, kRecords = 2, kPayload = 3, kEnd = 4 };

inline constexpr std::uint8_t kFlagRaw = 1;  // the payload is stored as it is, not compressed

// Offsets in the header; each field ends where the next begins.
inline constexpr unsigned kMagicAt = 0;
inline constexpr unsigned kMajorAt = 8;
inline constexpr unsigned kMinorAt = 9;
inline constexpr unsigned kKindAt = 10;
inline constexpr unsigned kFlagsAt = 11;
inline constexpr unsigned kCountAt = 12;         // messages in the payload
inline constexpr unsigned kSequenceAt = 16;      // frames of this file, from 0
inline constexpr unsigned kFirstNumberAt = 24;   // messages of this kind in all earlier frames
inline constexpr unsigned kStoredLengthAt = 32;  // bytes of payload in the file
inline constexpr unsigned kRawLengthAt = 36;     // bytes of payload after decompression
inline constexpr unsigned kPayloadCheckAt = 40;  // over the stored payload
inline constexpr unsigned kHeaderCheckAt = 44;   // over the 44 bytes before it
inline constexpr unsigned kFrameHeaderBytes = 48;

// A frame is closed at this much raw payload, or when its first message is this old.
inline constexpr std::uint32_t kFrameTargetBytes = 1u << 20;
inline constexpr std::uint64_t kFrameMaxAgeNs = 250'000'000;

// A writer cuts the bytes that an observation copied into pieces of at most this much.
inline constexpr std::uint32_t kPieceMaxBytes = 1u << 20;

// A reader refuses to allocate more for one payload. A writer drops and counts a larger message.
inline constexpr std::uint32_t kFrameMaxRawBytes = 64u << 20;

// Live definitions are written again after this much stored payload.
inline constexpr std::uint64_t kRepeatDefinitionsBytes = 64ull << 20;

}  // namespace graphtap
