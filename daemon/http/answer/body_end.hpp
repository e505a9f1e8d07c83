// Decides where a body ends if the length that its answer states may be wrong.
#pragma once

#include "http/client.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shelfd::http {

// How a transfer ended.
enum class Ending {
    closed,   // in order: by the server
    silence,  // by us, after the silence that `BodyEnd::patience` demands
    broken,   // by an error or a time-out
};

// A body that is a whole JSON object or array is complete, whatever length is stated. Any other is complete when it
// agrees with the headers: one that is coded, or no JSON, is not known to be whole. A 204 and a 304 state that they
// have no body.
class BodyEnd {
public:
    // After which silence on an open connection nothing more is to be expected.
    enum class Patience {
        idle,          // the request's idle time
        long_silence,  // the stated length has arrived, but seems to be wrong; or the headers already say it all
        short_silence
    };

    // Before the head of the answer is complete.
    BodyEnd() = default;
    BodyEnd(int status, std::span<const Header> headers);

    void take(std::string_view piece);
    // The last chunk has arrived.
    void take_last_chunk() { has_last_chunk_ = true; }

    // True if a whole object or array has arrived, and with it the last chunk or the stated length, not exceeded.
    bool is_over() const;
    bool is_whole() const { return text_ == Text::whole; }
    Patience patience() const;
    bool is_complete(Ending ending) const;

    // True if the headers say that the body is in chunks.
    bool is_chunked() const { return is_chunked_; }
    // True if the headers state a length that is no number of bytes, or several that differ.
    bool has_unusable_length() const { return length_ == Length::unusable; }
    // In bytes; 0 = none is stated, or it is not usable.
    std::uint64_t stated() const { return stated_; }

private:
    enum class Length { absent, stated, unusable, chunked };
    enum class Text { none, open, whole, other };

    void read_length(const std::string& list);
    void follow(char c);
    bool has_stated() const { return length_ == Length::stated && received_ >= stated_; }
    // True if what has arrived is what the headers announce.
    bool is_as_stated() const { return has_last_chunk_ || (has_stated() && received_ == stated_); }

    int status_ = 0;
    Length length_ = Length::absent;
    std::uint64_t stated_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t whole_at_ = 0;  // bytes up to the end of the object or array
    bool is_chunked_ = false;
    bool has_last_chunk_ = false;
    Text text_ = Text::none;
    std::uint64_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
};

}  // namespace shelfd::http
