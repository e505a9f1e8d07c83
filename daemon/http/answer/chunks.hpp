// Takes the frame of a chunked body away (RFC 9112 section 7.1), and loses no byte of a body that has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::http {

// From the first byte that cannot belong to a frame, everything is passed on as it came: that a body is in chunks may
// be a wrong statement of its headers.
class Chunks {
public:
    Chunks() = default;
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks();

    // Takes bytes from the front of `rest` up to the next piece of the body, which it returns; it is valid until the
    // next call. Returns "" when `rest` has no more, or when it has read the last chunk; call again if `rest` is left.
    std::string_view next(std::string_view& rest);
    bool has_last() const { return has_last_; }

private:
    enum class Part {
        size,     // "1a; name=value" and the end of its line
        data,     // of a chunk
        end,      // the line end after a chunk
        trailer,  // lines after the last chunk, up to an empty one
        foreign,  // no frame
    };

    std::string_view data(std::string_view& rest);
    // Takes one byte of a frame. False if it cannot belong to one.
    bool follow(char c);
    bool end_size();
    bool end_trailer();

    Part part_ = Part::size;
    std::string line_;        // of a frame, as it came
    std::uint64_t left_ = 0;  // bytes of this chunk
    bool has_last_ = false;
    bool is_given_ = false;  // `line_` was returned
};

}  // namespace shelfd::http
